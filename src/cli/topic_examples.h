// What the examples of the topics share: small maps, vectors turned by the library, numbers in text.
#pragma once

#include <string>
#include <vector>

#include "rotary/rotation_map.h"

namespace rotary::cli {

using Vector = std::vector<double>;

/// A head of `width` channels, all of them turning.
RotationMap plain_map(int width, double base = 10000, Pairing pairing = Pairing::kInterleaved);

/// Two channels turned at one frequency.
RotationMap one_pair(double frequency);

/// x, in float64, turned by the library as the token at a position.
Vector turned(const RotationMap& map, Vector x, double position);

double dot(const Vector& x, const Vector& y);

/// Five decimals, "-0.41615"; zero has no sign.
std::string fixed(double x);
/// "(1.00000, 2.00000)".
std::string fixed(const Vector& x);
/// Three significant digits, or whole from 1000 to a million.
std::string short_number(double x);

}  // namespace rotary::cli
