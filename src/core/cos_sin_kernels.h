// What the SIMD kernels that make cos and sin are given; rotate_kernels.h holds them, cos_sin-inl.h is their source.
#pragma once

#include <cstddef>

namespace rotary::detail {

inline constexpr double kLargestAngle = 0x1p40;    ///< that the doubles can do
inline constexpr double kProductMargin = 0x1p-49;  ///< how far a product of two rows may be off, of its factor

/// angle[i] = (hi[i] + lo[i]) * (times ? times[i] : time), i < count. lo is small against hi.
struct Angles {
  const double* hi = nullptr;
  const double* lo = nullptr;
  const double* times = nullptr;
  double time = 1;
  std::size_t count = 0;
};

/// Rows first .. first + rows - 1 of a table, as products of rotations: row r is that of `first` turned by r.
struct RowBlock {
  Angles frequency;  ///< of the pairs; times and time do not count
  double factor = 1;
  double first = 0;  ///< not below `rows`
  std::size_t rows = 0;
  const double* start = nullptr;  ///< [cos, sin, margin of sin][pairs] of row `first`, factor included
  const double* steps = nullptr;  ///< [rows][cos, sin][pairs] of the angles r * frequency
};

/// Writes cos * factor and sin * factor, each rounded once: the same bits as cos_sin_float().
using WriteCosSin = void (*)(const Angles& angles, double factor, float* cos, float* sin) noexcept;

/// Writes cos * factor and sin * factor within 2^-51 * factor; |angle| < 2^40.
using WriteDoubles = void (*)(const Angles& angles, double factor, double* cos, double* sin) noexcept;

/// Writes rows of a table, `row_step` floats apart: the same bits as WriteCosSin.
using WriteBlock = void (*)(const RowBlock& block, float* cos, float* sin, std::size_t row_step) noexcept;

struct CosSinKernels {
  WriteCosSin write;
  WriteDoubles write_doubles;  ///< null, and write_block too, for a target without fused multiply-add
  WriteBlock write_block;
};

}  // namespace rotary::detail
