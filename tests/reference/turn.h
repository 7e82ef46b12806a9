// The exact twin of an angle: cos and sin of position * frequency where a double would show its own rounding.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>

#include "reference/rotate.h"

namespace rotary::reference {

using Complex = std::complex<long double>;

/// exp(i (high + low)), good to 2^-61 for |high| < 2^34. Whole turns are taken off as a sum of three numbers, the first
/// two of 32 bits, so that their multiples are exact in the 64 bits of a long double.
inline Complex turn(double high, double low) {
  constexpr long double kTurn[3] = {0x1.921fb544p+2L, 0x1.0b4611a6p-32L, 0x1.3198a2e037073p-67L};
  const long double turns = std::nearbyint(high / kTurn[0]);
  long double angle = high;
  for (const long double part : kTurn) angle -= turns * part;
  angle += low;
  return {std::cos(angle), std::sin(angle)};
}

/// exp(i t) of a pair at `position`, one number per axis.
inline Complex turn(const RotationMap& map, int pair, const Vector& position, int set = 0) {
  Complex out = 1;
  for (std::size_t axis = 0; axis < position.size(); ++axis) {
    const Frequency& f = map.at(set, pair, static_cast<int>(axis));
    const double high = position[axis] * f.hi;
    out *= turn(high, std::fma(position[axis], f.hi, -high) + position[axis] * f.lo);
  }
  return out;
}

}  // namespace rotary::reference
