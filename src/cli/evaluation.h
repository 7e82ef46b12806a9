// What `rotary evaluate` finds out, before it is printed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/classifier_folder.h"
#include "nn/metrics.h"
#include "nn/reading.h"

namespace rotary::cli {

/// Documents of one split as the model reads them.
struct TestSet {
  std::vector<nn::Tokens> tokens;
  std::vector<int> classes;
};

struct LengthBand {
  std::int64_t from = 0, to = 0;  ///< tokens, [from, to)
  std::int64_t documents = 0;
  double accuracy = 0;
};

struct AtLength {
  std::int64_t length = 0;  ///< tokens read of each document
  double accuracy = 0, macro_f1 = 0;
  double documents_cut = 0;        ///< share of documents that are longer
  std::optional<double> baseline;  ///< accuracy of TF-IDF and logistic regression on the same tokens
};

struct Evaluation {
  nn::Confusion confusion;
  std::vector<LengthBand> bands;
  std::vector<AtLength> by_length;
};

std::vector<int> predict(const nn::Roformer& model, const std::vector<nn::Tokens>& documents,
                         const nn::ReadingOptions& options);

/// Accuracy of documents by their whole length, in bands of powers of two.
std::vector<LengthBand> by_document_length(const TestSet& test, const std::vector<int>& predictions);

/// Each length in turn. With `train`, the baseline is trained at each length too.
std::vector<AtLength> by_reading_length(const nn::Roformer& model, const TestSet& test, const TestSet* train,
                                        const std::vector<std::int64_t>& lengths, nn::ReadingOptions options);

}  // namespace rotary::cli
