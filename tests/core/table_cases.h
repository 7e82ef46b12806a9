// Small specs and maps for table tests, and comparisons of rows.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "rotary/cos_sin_table.h"

namespace rotary::testing {

inline RopeSpec spec_of(int dim, double base, Scaling scaling = {}) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = dim;
  spec.base = base;
  spec.scaling = std::move(scaling);
  return spec;
}

inline RotationMap map_of(int dim, double base, Scaling scaling = {}) {
  return make_rotation_map(spec_of(dim, base, std::move(scaling)));
}

/// A map of one head of `dim` channels with the given frequencies, [pairs][num_axes].
inline RotationMap map_with(const std::vector<double>& frequencies, int num_axes = 1) {
  RotationMap map = map_of(static_cast<int>(frequencies.size()) / num_axes * 2, 10000);
  map.num_axes = num_axes;
  map.frequency.clear();
  for (double f : frequencies) map.frequency.push_back({f, 0});
  return map;
}

inline void expect_same_row(const CosSinTable& a, std::int64_t row_a, const CosSinTable& b, std::int64_t row_b) {
  ASSERT_EQ(a.num_pairs(), b.num_pairs());
  for (std::size_t i = 0; i < a.cos(row_a).size(); ++i) {
    ASSERT_EQ(a.cos(row_a)[i], b.cos(row_b)[i]) << "row " << row_a << " pair " << i;
    ASSERT_EQ(a.sin(row_a)[i], b.sin(row_b)[i]) << "row " << row_a << " pair " << i;
  }
}

/// Largest |difference| in two rows.
inline double worst_gap(std::span<const float> a, std::span<const float> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::fabs(double{a[i]} - double{b[i]}));
  return worst;
}

inline double worst_cos_gap(const CosSinTable& a, const CosSinTable& b, std::int64_t row) {
  return worst_gap(a.cos(row), b.cos(row));
}
inline double worst_sin_gap(const CosSinTable& a, const CosSinTable& b, std::int64_t row) {
  return worst_gap(a.sin(row), b.sin(row));
}

}  // namespace rotary::testing
