// The slow twin of everything that rotates: the definition of a rotation map, in plain double.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "rotary/rotation_map.h"

namespace rotary::reference {

using Vector = std::vector<double>;

/// x turned at `position`, one number per axis.
inline Vector rotate(const RotationMap& map, const Vector& x, const Vector& position, int set = 0) {
  Vector out(x.size());
  for (std::size_t channel = 0; channel < x.size(); ++channel)
    if (const int to = map.pass_to[channel]; to >= 0) out[static_cast<std::size_t>(to)] = x[channel];
  for (std::size_t i = 0; i < map.pairs.size(); ++i) {
    double t = 0;
    for (std::size_t axis = 0; axis < position.size(); ++axis)
      t += position[axis] * map.at(set, static_cast<int>(i), static_cast<int>(axis)).hi;
    const auto a = static_cast<std::size_t>(map.pairs[i].a), b = static_cast<std::size_t>(map.pairs[i].b);
    const auto c = static_cast<std::size_t>(map.pairs[i].c), d = static_cast<std::size_t>(map.pairs[i].d);
    out[c] = map.attention_factor * (x[a] * std::cos(t) - x[b] * std::sin(t));
    out[d] = map.attention_factor * (x[a] * std::sin(t) + x[b] * std::cos(t));
  }
  return out;
}

/// x turned at each position of a list, the same on every axis.
inline std::vector<Vector> rotate_all(const RotationMap& map, const Vector& x, const Vector& positions) {
  std::vector<Vector> out;
  for (double m : positions) out.push_back(rotate(map, x, Vector(static_cast<std::size_t>(map.num_axes), m)));
  return out;
}

inline double dot(const Vector& x, const Vector& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// Channel of the interleaved layout that holds what `channel` holds in the half layout, in a slice of `width`
/// channels that starts at `start`: even channels first, then odd ones.
inline std::size_t interleaved_channel(std::size_t channel, std::size_t start, std::size_t width) {
  const std::size_t i = channel - start, half = width / 2;
  if (channel < start || i >= width) return channel;
  return start + (i < half ? 2 * i : 2 * (i - half) + 1);
}

}  // namespace rotary::reference
