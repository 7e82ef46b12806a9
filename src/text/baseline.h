// The bar that a classifier has to pass: TF-IDF and logistic regression on the same tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/tf_idf.h"

namespace rotary::text {

struct BaselineOptions {
  TfIdfOptions features;
  /// C of liblinear: the inverse of the regularisation. 30 was the best of 3 ... 100 on the validation sets of two data
  /// sets at two lengths; one class against the rest needs a larger C than a multinomial regression.
  double cost = 30;
};

/// A linear classifier of weighted bags of tokens.
struct Baseline {
  TfIdf features;
  int num_classes = 0;
  std::vector<double> weights;  ///< [num_features][num_classes]
  std::vector<double> bias;     ///< [num_classes]; minus infinity for a class without training documents
};

/// Trains one logistic regression (L2, liblinear's L2R_LR) for each class against the rest. `documents` holds token
/// ids, not negative; `labels` holds a class in [0, num_classes) for each. The same input gives the same weights on the
/// same machine. Throws std::invalid_argument; the labels must show two classes or more.
Baseline train_baseline(std::span<const std::vector<std::int32_t>> documents, std::span<const int> labels,
                        int num_classes, const BaselineOptions& options = {});

/// The class with the highest score for each document, the lower one of two that are equal. A document without known
/// features gets the class with the highest bias.
std::vector<int> predict(const Baseline& baseline, std::span<const std::vector<std::int32_t>> documents);

}  // namespace rotary::text
