#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rotary::nn {

/// How a classifier did: counts[truth][prediction].
struct Confusion {
  std::vector<std::vector<std::int64_t>> counts;

  std::int64_t total() const;
  double accuracy() const;  ///< 0 without documents
  /// Mean over the classes that occur (as truth or prediction) of 2 tp / (2 tp + fp + fn).
  double macro_f1() const;
};

/// truth and predictions: class numbers below num_classes, one each for a document.
Confusion compare(std::span<const int> truth, std::span<const int> predictions, int num_classes);

/// Of a share that was counted among so many: sqrt(share (1 - share) / count).
double standard_error(double share, std::int64_t count);

}  // namespace rotary::nn
