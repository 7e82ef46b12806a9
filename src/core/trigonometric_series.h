// Constants of the range reduction and the series that trigonometry.cc and its SIMD counterpart share.
#pragma once

#include <array>
#include <cstddef>

#include "core/double_double.h"

namespace rotary::detail {

inline constexpr double kHalfPi[3] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;

/// 1/n! for n = 0 .. 28: the next terms are below 2^-107 at pi/4.
inline constexpr auto kInverseFactorial = [] {
  std::array<DoubleDouble, 29> table;
  table[0] = {1, 0};
  for (std::size_t n = 1; n < table.size(); ++n) table[n] = table[n - 1] / DoubleDouble{static_cast<double>(n)};
  return table;
}();

/// (-1)^(n / 2) / n!: what belongs to r^n in the series of sin (n odd) and cos (n even).
constexpr double series_term(std::size_t n) { return n % 4 < 2 ? kInverseFactorial[n].hi : -kInverseFactorial[n].hi; }

}  // namespace rotary::detail
