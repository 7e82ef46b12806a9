// What the figures of rotations have in common: frequencies of the pairs, limits, positions to look at.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/rotation_figures.h"

namespace rotary::report {

constexpr double kTwoPi = 6.283185307179586;

/// Throws what rotation_figures.h promises; `function` is the caller's name.
void validate_rotations(std::span<const NamedRotation> rotations, const char* function);

/// [pairs], radians per position when all axes go on by one.
std::vector<double> frequencies_of(const RotationMap& map);

/// [pairs]: those of the same base without the method. Throws as make_rotation_map.
std::vector<double> unscaled_frequencies(const RopeSpec& spec);

/// Whether a method changes a progression: neither default nor given as numbers.
bool is_scaled(const RopeSpec& spec);

/// The declared length, else the original one, else 131,072.
double limit_of(const RopeSpec& spec);

/// Whole numbers from 1 to `last` (>= 1), ascending, `per_octave` of them an octave where there are as many; `last` is
/// one of them.
std::vector<std::int64_t> octave_positions(std::int64_t last, int per_octave);

/// 0, 1, ... [pairs], as an x axis.
std::vector<double> pair_indices(std::size_t num_pairs);

/// A line at each original and declared length: "8,192 trained", "131,072 limit".
std::vector<ReferenceLine> length_lines(std::span<const NamedRotation> rotations, ReferenceLine::Direction direction);

}  // namespace rotary::report
