// Head vectors of every dtype and stride for tests of the kernels, the slow twin applied to them, and the SIMD targets.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/bfloat16.h"
#include "core/float16.h"
#include "core/rotate_kernels.h"
#include "core/rotation_cases.h"
#include "rotary/apply.h"

namespace rotary::testing {

inline const std::vector<DType> kDTypes{DType::kFloat32, DType::kFloat16, DType::kBfloat16, DType::kFloat64};

/// Half the distance between numbers near 1.
inline double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return 0x1p-24;
    case DType::kFloat16: return 0x1p-11;
    case DType::kBfloat16: return 0x1p-8;
    case DType::kFloat64: return 0x1p-53;
  }
  return 0;
}

/// The float16 nearest to a number, ties to even, by its definition: an integer multiple of the last place.
inline std::uint16_t to_float16(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
  const double size = std::fabs(value);
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
  const auto places = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));  // 1024 is the next exponent
  return static_cast<std::uint16_t>(sign | (((exponent + 14) << 10) + places));
}

/// Elements of a dtype in memory of their own, as numbers.
class Elements {
 public:
  Elements(DType dtype, std::size_t count)
      : dtype_(dtype), size_(count), lines_(count * size_of(dtype) / sizeof(Line) + 1) {}

  DType dtype() const { return dtype_; }
  std::size_t size() const { return size_; }
  void* data() { return lines_.data(); }
  const void* data() const { return lines_.data(); }

  void set(std::size_t i, double value) {
    switch (dtype_) {
      case DType::kFloat32: return put(i, static_cast<float>(value));
      case DType::kFloat16: return put(i, to_float16(value));
      case DType::kBfloat16: return put(i, detail::to_bfloat16(static_cast<float>(value)));
      case DType::kFloat64: return put(i, value);
    }
  }
  double operator[](std::size_t i) const {
    switch (dtype_) {
      case DType::kFloat32: return get<float>(i);
      case DType::kFloat16: return detail::from_float16(get<std::uint16_t>(i));
      case DType::kBfloat16: return detail::from_bfloat16(get<std::uint16_t>(i));
      case DType::kFloat64: return get<double>(i);
    }
    return 0;
  }
  template <class T>
  void put(std::size_t i, T value) {
    std::memcpy(static_cast<std::byte*>(data()) + i * sizeof(T), &value, sizeof(T));
  }
  template <class T>
  T get(std::size_t i) const {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(data()) + i * sizeof(T), sizeof(T));
    return value;
  }
  friend bool operator==(const Elements& a, const Elements& b) {
    return a.dtype_ == b.dtype_ && a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), a.size() * size_of(a.dtype_)) == 0;
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  DType dtype_;
  std::size_t size_;
  std::vector<Line> lines_;
};

/// Head vectors and the memory they lie in.
struct Heads {
  Elements memory;
  std::int64_t start = 0;
  std::array<std::int64_t, 4> shape{}, strides{};

  TensorView view() {
    return {static_cast<std::byte*>(memory.data()) + start * static_cast<std::int64_t>(size_of(memory.dtype())),
            memory.dtype(), shape, strides};
  }
  ConstTensorView read() const { return as_const(const_cast<Heads*>(this)->view()); }
  std::size_t at(std::int64_t b, std::int64_t t, std::int64_t h, std::int64_t c) const {
    return static_cast<std::size_t>(start + b * strides[0] + t * strides[1] + h * strides[2] + c * strides[3]);
  }
  Vector head(std::int64_t b, std::int64_t t, std::int64_t h) const {
    Vector out(static_cast<std::size_t>(shape[3]));
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = memory[at(b, t, h, static_cast<std::int64_t>(c))];
    return out;
  }
};

/// Contiguous and zero.
inline Heads zero_heads(DType dtype, std::array<std::int64_t, 4> shape) {
  const auto [b, t, h, c] = shape;
  return {Elements(dtype, static_cast<std::size_t>(b * t * h * c)), 0, shape, {t * h * c, h * c, c, 1}};
}

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

/// Calls visit(b, t, h) for every head vector.
template <class Visit>
void for_each_head(const Heads& x, const Visit& visit) {
  for (std::int64_t b = 0; b < x.shape[0]; ++b)
    for (std::int64_t t = 0; t < x.shape[1]; ++t)
      for (std::int64_t h = 0; h < x.shape[2]; ++h) visit(b, t, h);
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
