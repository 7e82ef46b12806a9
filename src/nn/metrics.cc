#include "nn/metrics.h"

#include <algorithm>
#include <cmath>

#include "core/require.h"

namespace rotary::nn {

std::int64_t Confusion::total() const {
  std::int64_t sum = 0;
  for (const auto& row : counts)
    for (const std::int64_t n : row) sum += n;
  return sum;
}

double Confusion::accuracy() const {
  std::int64_t right = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) right += counts[i][i];
  return total() == 0 ? 0 : static_cast<double>(right) / static_cast<double>(total());
}

double Confusion::macro_f1() const {
  double sum = 0;
  int classes = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    std::int64_t truth = 0, predicted = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      truth += counts[c][i];
      predicted += counts[i][c];
    }
    if (truth + predicted == 0) continue;
    ++classes;
    sum += 2 * static_cast<double>(counts[c][c]) / static_cast<double>(truth + predicted);
  }
  return classes == 0 ? 0 : sum / classes;
}

Confusion compare(std::span<const int> truth, std::span<const int> predictions, int num_classes) {
  using detail::require;
  require(truth.size() == predictions.size(), "compare", "predictions must be one for each document",
          predictions.size());
  const auto n = static_cast<std::size_t>(num_classes);
  Confusion out{std::vector(n, std::vector<std::int64_t>(n))};
  for (std::size_t i = 0; i < truth.size(); ++i) {
    require(truth[i] >= 0 && truth[i] < num_classes, "compare", "truth must be a class number", truth[i]);
    require(predictions[i] >= 0 && predictions[i] < num_classes, "compare", "predictions must be class numbers",
            predictions[i]);
    ++out.counts[static_cast<std::size_t>(truth[i])][static_cast<std::size_t>(predictions[i])];
  }
  return out;
}

double standard_error(double share, std::int64_t count) {
  return std::sqrt(share * (1 - share) / static_cast<double>(std::max<std::int64_t>(count, 1)));
}

}  // namespace rotary::nn
