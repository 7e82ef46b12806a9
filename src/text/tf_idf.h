// Documents as weighted bags of tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace rotary::text {

struct TfIdfOptions {
  std::int32_t first_id = 0;  ///< smaller ids (padding, unknown, markers) are no features
  int min_df = 2;             ///< documents that a feature must stand in
  bool bigrams = false;       ///< pairs of neighbouring tokens too
};

/// A feature that a document has.
struct FeatureWeight {
  std::int32_t feature = 0;
  double weight = 0;
};

/// With tf how often a feature stands in the document, df in how many of the n training documents:
///   weight = (1 + ln tf) * (ln((1 + n) / (1 + df)) + 1), a document's weights then divided by their Euclidean norm.
class TfIdf {
 public:
  /// Learns features and df. Features are numbered by their token ids, so the same documents give the same numbers.
  TfIdf(std::span<const std::vector<std::int32_t>> documents, const TfIdfOptions& options);

  std::size_t num_features() const { return idf_.size(); }

  /// The features of a document, by number; empty when it has none that are known.
  std::vector<FeatureWeight> operator()(const std::vector<std::int32_t>& document) const;

 private:
  TfIdfOptions options_;
  std::unordered_map<std::uint64_t, std::int32_t> numbers_;  // key of a token or a bigram -> feature
  std::vector<double> idf_;
};

}  // namespace rotary::text
