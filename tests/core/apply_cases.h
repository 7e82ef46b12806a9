// Random head vectors for tests of the kernels, the slow twin applied to them, and the SIMD targets.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/heads.h"
#include "core/rotate_kernels.h"
#include "core/rotation_cases.h"
#include "rotary/apply.h"

namespace rotary::testing {

inline const std::vector<DType> kDTypes{DType::kFloat32, DType::kFloat16, DType::kBfloat16, DType::kFloat64};

/// Contiguous, random in [-1, 1).
inline Heads random_heads(DType dtype, std::array<std::int64_t, 4> shape, std::uint64_t seed = 1) {
  Heads heads = zero_heads(dtype, shape);
  const Vector values = random_vector(static_cast<int>(heads.memory.size()), seed);
  for (std::size_t i = 0; i < values.size(); ++i) heads.memory.set(i, values[i]);
  return heads;
}

/// Contiguous, all equal to `value`.
inline Heads constant_heads(DType dtype, std::array<std::int64_t, 4> shape, double value) {
  Heads heads = zero_heads(dtype, shape);
  for (std::size_t i = 0; i < heads.memory.size(); ++i) heads.memory.set(i, value);
  return heads;
}

inline std::size_t count_nan(const Elements& memory) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < memory.size(); ++i) count += std::isnan(memory[i]);
  return count;
}

/// Out of place, into contiguous memory.
inline Heads rotated(const Rotary& rotary, const Heads& x, const Positions& positions,
                     const ApplyOptions& options = {}) {
  Heads out = zero_heads(x.memory.dtype(), x.shape);
  apply_rotary(rotary, x.read(), out.view(), positions, options);
  return out;
}

/// The tokens begin .. end-1 of `x`, in memory of their own.
inline Heads tokens_of(const Heads& x, std::int64_t begin, std::int64_t end) {
  Heads out = zero_heads(x.memory.dtype(), {x.shape[0], end - begin, x.shape[2], x.shape[3]});
  for (std::int64_t b = 0; b < x.shape[0]; ++b)
    for (std::int64_t t = begin; t < end; ++t)
      for (std::int64_t h = 0; h < x.shape[2]; ++h)
        for (std::int64_t c = 0; c < x.shape[3]; ++c)
          out.memory.set(out.at(b, t - begin, h, c), x.memory[x.at(b, t, h, c)]);
  return out;
}

/// The position of a token on every axis.
using PositionOf = std::function<Vector(std::int64_t b, std::int64_t t)>;

/// `out` is what the twin makes of `x`. Tolerance: cos, sin, product and sum are each rounded once to the precision of
/// the arithmetic, the result once to the dtype, and the twin's angle t is off by t 2^-53.
inline void expect_twin(const RotationMap& map, const Heads& x, const Heads& out, const PositionOf& position) {
  const double u = unit_roundoff(x.memory.dtype());
  const double arithmetic = u == 0x1p-53 ? u : 0x1p-24;
  for_each_head(x, [&](auto b, auto t, auto h) {
    const Vector at = position(b, t);
    const Vector want = reference::rotate(map, x.head(b, t, h), at, map.num_sets == 1 ? 0 : static_cast<int>(h));
    double angle = 0;
    for (double m : at) angle += std::fabs(m) * largest_frequency(map);
    const double relative = 4 * arithmetic + u + angle * 0x1p-52;
    ASSERT_LE(gap(want, out.head(b, t, h)), relative * 1.5 * std::fabs(map.attention_factor) + 0x1p-24 * (u == 0x1p-11))
        << "token " << b << ", " << t << " head " << h;
  });
}

inline void expect_same_values(const Heads& a, const Heads& b) {
  ASSERT_EQ(a.shape, b.shape);
  for_each_head(
      a, [&](auto i, auto t, auto h) { ASSERT_EQ(a.head(i, t, h), b.head(i, t, h)) << i << ", " << t << ", " << h; });
}

/// Runs a test once on each SIMD target.
class OnEveryTarget : public ::testing::Test {
 protected:
  template <class Test>
  void for_each_target(const Test& test) {
    for (const std::string& target : detail::available_targets()) {
      SCOPED_TRACE(target);
      ASSERT_TRUE(detail::choose_target(target));
      test();
    }
  }
  void TearDown() override { detail::choose_target(""); }
};

inline std::string dtype_label(DType dtype) { return std::string(to_string(dtype)); }

}  // namespace rotary::testing
