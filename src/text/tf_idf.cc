#include "text/tf_idf.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rotary::text {
namespace {

// A token is its id, a bigram has the first token + 1 above: what a document has, sorted, with how often.
std::vector<std::pair<std::uint64_t, int>> count_keys(const std::vector<std::int32_t>& ids,
                                                      const TfIdfOptions& options) {
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < options.first_id) continue;
    const auto key = static_cast<std::uint64_t>(ids[i]);
    keys.push_back(key);
    if (options.bigrams && i > 0 && ids[i - 1] >= options.first_id)
      keys.push_back((static_cast<std::uint64_t>(ids[i - 1]) + 1) << 32 | key);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::pair<std::uint64_t, int>> counts;
  for (const std::uint64_t key : keys) {
    if (counts.empty() || counts.back().first != key) counts.emplace_back(key, 0);
    ++counts.back().second;
  }
  return counts;
}

}  // namespace

TfIdf::TfIdf(std::span<const std::vector<std::int32_t>> documents, const TfIdfOptions& options) : options_(options) {
  std::unordered_map<std::uint64_t, int> document_counts;
  for (const auto& document : documents)
    for (const auto& [key, count] : count_keys(document, options)) ++document_counts[key];
  std::vector<std::pair<std::uint64_t, int>> kept;
  for (const auto& [key, df] : document_counts)
    if (df >= options.min_df) kept.emplace_back(key, df);
  std::sort(kept.begin(), kept.end());
  const auto n = static_cast<double>(documents.size());
  for (const auto& [key, df] : kept) {
    numbers_.emplace(key, static_cast<std::int32_t>(idf_.size()));
    idf_.push_back(std::log((1 + n) / (1 + df)) + 1);
  }
}

std::vector<FeatureWeight> TfIdf::operator()(const std::vector<std::int32_t>& document) const {
  std::vector<FeatureWeight> out;
  double squares = 0;
  for (const auto& [key, count] : count_keys(document, options_)) {
    const auto found = numbers_.find(key);
    if (found == numbers_.end()) continue;
    const double weight = (1 + std::log(count)) * idf_[static_cast<std::size_t>(found->second)];
    out.push_back({found->second, weight});
    squares += weight * weight;
  }
  for (FeatureWeight& feature : out) feature.weight /= std::sqrt(squares);
  return out;
}

}  // namespace rotary::text
