// A model's rotation as pictures. Each function computes what it shows from the map and the spec; nothing is read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "report/figure.h"
#include "rotary/rotation_map.h"
#include "rotary/spec.h"

namespace rotary::report {

/// A rotation to draw. `map` is what the query is turned by; `spec`, what was declared, gives the limits, the method
/// and what there would be without it.
struct NamedRotation {
  // See Axis: an aggregate with text, in another one.
  NamedRotation(std::string named, RopeSpec declared, RotationMap turned_by, std::int64_t positions = 0)
      : name(std::move(named)), spec(std::move(declared)), map(std::move(turned_by)), seq_len(positions) {}

  std::string name;
  RopeSpec spec;
  RotationMap map;       // the first set where each head has its own
  std::int64_t seq_len;  // of the map, for methods that depend on it; 0: short
};

// Positions are the same on every axis of a map. All throw std::invalid_argument: no rotation, an invalid map or spec,
// a map that turns nothing, a negative seq_len.

/// A query and a key in the plane of the first pair that turns, before and after, at two places with the same offset;
/// their score against the offset, and against the position for fixed offsets, where it is flat.
Grid mechanism_figure(const NamedRotation& rotation);

/// Positions per full turn of each pair, on a logarithmic axis with the original and the declared lengths. One rotation
/// that is scaled has what it was without beside it.
LineChart wavelength_figure(std::span<const NamedRotation> rotations);

/// Against the distance s (octaves): the score of a query and a key of ones, and its bound of RoFormer, section 3.4.3,
/// over P pairs with frequencies t_i
///
///     1/P sum over i of cos(s t_i)      1/P sum over j = 1 .. P of |S_j|,   S_j = sum over i < j of e^(i s t_i)
Grid decay_figure(std::span<const NamedRotation> rotations);

/// The angle modulo 2 pi of each pair at positions up to the declared length, four an octave.
HeatMap angle_figure(const NamedRotation& rotation);

/// What a method does: the number that each pair's frequency is divided by; the attention factor, were the scaling
/// factor another. Throws also for frequencies without a method: default, or given as numbers.
Grid scaling_figure(std::span<const NamedRotation> rotations);

/// What rounding costs: the largest error of cos and sin in each octave of positions, pair by pair, of angles rounded
/// to tf32, float16 and bfloat16 and of engines' arithmetics; and the share of pairs for which a position and the next
/// are the same. ggml's is left out where it lacks the method or turns otherwise, or there are several axes.
Grid precision_figure(const NamedRotation& rotation);

}  // namespace rotary::report
