// The gradients of what makes the angle, by their definition: dL/dt = g_d y_c - g_c y_d for a pair, y being x turned.
#pragma once

#include "apply_twin.h"

namespace rotary::fuzz {

/// A sum, and how far off it may be.
struct BoundedSum {
  double value = 0, allowed = 0;

  void add(double weight, double term, double error) {
    value += weight * term;
    allowed += std::fabs(weight) * error;
  }
};

class GradientTwin {
 public:
  GradientTwin(const RotationMap& map, const Tensor& x, const Tensor& g, const DrawnPositions& positions)
      : map_(map),
        arithmetic_(x.memory->dtype() == DType::kFloat64 ? 0x1p-53 : 0x1p-24),
        frequencies_(map.frequency.size()),
        positions_(static_cast<std::size_t>(map.num_axes) * positions.at.size()) {
    const Shape& shape = *x.shape;
    for (std::int64_t b = 0; b < shape[0]; ++b)
      for (std::int64_t t = 0; t < shape[1]; ++t)
        for (std::int64_t h = 0; h < shape[2]; ++h)
          add_head(x.head(b, t, h), g.head(b, t, h), positions, static_cast<std::size_t>(b * shape[1] + t), h);
  }

  void check(const std::vector<double>& of_frequencies, const std::vector<double>& of_positions) const {
    if (!moderate_) return;
    check_sums(frequencies_, of_frequencies, "a frequency's gradient");
    check_sums(positions_, of_positions, "a position's gradient");
  }

 private:
  void add_head(const std::vector<double>& x, const std::vector<double>& g, const DrawnPositions& positions,
                std::size_t token, std::int64_t head) {
    const auto is_moderate = [](double value) { return std::fabs(value) <= 4096; };
    moderate_ &= std::all_of(x.begin(), x.end(), is_moderate) && std::all_of(g.begin(), g.end(), is_moderate);
    const std::vector<double>& at = positions.at[token];
    const int set = map_.num_sets == 1 ? 0 : static_cast<int>(head);
    const std::vector<double> y = reference::rotate(map_, x, at, set);
    // cos, sin and products are rounded to the arithmetic, a sum in double as often as it has terms, and the twin's
    // angle is off by a few 2^-53 of it.
    double error = 8 * arithmetic_ + 1000 * 0x1p-53;
    for (const double m : at) error += std::fabs(m) * 0x1p-51;  // no drawn frequency is above 1
    for (std::size_t i = 0; i < map_.pairs.size(); ++i) {
      const ChannelPair& p = map_.pairs[i];
      const auto a = static_cast<std::size_t>(p.a), b = static_cast<std::size_t>(p.b);
      const auto c = static_cast<std::size_t>(p.c), d = static_cast<std::size_t>(p.d);
      const double slope = g[d] * y[c] - g[c] * y[d];
      const double size =
          map_.attention_factor * (std::fabs(x[a]) + std::fabs(x[b])) * (std::fabs(g[c]) + std::fabs(g[d]));
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        const Frequency& f = map_.at(set, static_cast<int>(i), static_cast<int>(axis));
        sums_of(f).add(at[axis], slope, size * error);
        positions_[axis * positions.at.size() + token].add(f.hi, slope, size * error);
      }
    }
  }

  BoundedSum& sums_of(const Frequency& f) { return frequencies_[static_cast<std::size_t>(&f - map_.frequency.data())]; }

  void check_sums(const std::vector<BoundedSum>& want, const std::vector<double>& got, const char* what) const {
    for (std::size_t i = 0; i < want.size(); ++i)
      expect(std::fabs(want[i].value - got[i]) <= want[i].allowed, what, got[i], want[i].value);
  }

  const RotationMap& map_;
  double arithmetic_;
  std::vector<BoundedSum> frequencies_, positions_;
  bool moderate_ = true;
};

}  // namespace rotary::fuzz
