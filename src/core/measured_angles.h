// Angles and magnitudes by row, made into frequencies and a factor.
#pragma once

#include <cstdint>
#include <vector>

#include "rotary/measure.h"

namespace rotary::detail {

struct MeasuredAngles {
  std::vector<std::int64_t> positions;  ///< [num_rows], rising
  std::size_t num_pairs = 0;
  std::vector<double> angle;      ///< [num_rows][num_pairs] in (-pi, pi]
  std::vector<double> magnitude;  ///< [num_rows][num_pairs]
  int value_bits = 24;
  double noise = 0;  ///< how far an angle can be off, radians
};

/// `angle` brought into (-pi, pi].
double wrapped(double angle);

/// Binary digits of the widest value: 8 bfloat16, 11 float16, else 24.
int value_bits_of(std::span<const float> values);

/// Fills everything but the pairs of the map, its channels and `knows_pairs`. Needs two rows at least.
void fit_rotation(const MeasuredAngles& rows, MeasuredRotation& out);

}  // namespace rotary::detail
