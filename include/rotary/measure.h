// Rotations found out from what they do: from a table of cosines and sines, or from vectors before and after.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rotary/rotation_map.h"
#include "rotary/version.h"

namespace rotary {

/// A rotation of one axis as its effects show it.
struct MeasuredRotation {
  /// Pairs, frequencies in (-pi, pi] / position_step, attention factor (1 if all results are zero). Of a table whose
  /// columns do not say which channels meet, the pairs are those of the half layout and `knows_pairs` is false.
  RotationMap map;
  bool knows_pairs = true;
  std::vector<double> frequency_error;  ///< [num_pairs] how far a frequency can be off, from the rounding of the values
  double factor_error = 0;              ///< the same of the attention factor
  std::int64_t position_step = 1;  ///< all distances are multiples: frequencies are known up to 2 pi / position_step
  double first_position = 0;       ///< where the first row really stands, less where it should: 1 if off by one
  std::int64_t stops_at = -1;      ///< from this row on all rows are the same (clamped positions); -1: none
  int value_bits = 24;             ///< binary digits of the values: 24 float32, 11 float16, 8 bfloat16
  std::string irregular;           ///< what keeps it from being a rotation by one factor and one angle per pair
};

/// A table: row r stands for position r.
///
/// \param cos, sin  [num_rows][num_columns], contiguous. Columns are pairs, or channels: then each value stands twice,
///                  in halves (i and i + num_columns / 2) or side by side (2i, 2i + 1), which says how channels meet
/// Needs two rows at least. O(num_rows num_columns). Throws std::invalid_argument naming the argument for sizes that do
/// not fit and for values that are not finite.
ROTARY_API MeasuredRotation measure_table(std::span<const float> cos, std::span<const float> sin,
                                          std::int64_t num_rows);

/// Vectors before and after the rotation, any number at each position. Channels that meet are found by what they keep
/// together: (after_c^2 + after_d^2) / (before_a^2 + before_b^2) is one number for all vectors.
///
/// \param before, after  [num_vectors][channels], contiguous
/// \param positions      [num_vectors], whole numbers in -2^30 .. 2^30, in any order, two different ones at least; some
///                       near each other, as turns between far ones have to be guessed
/// Finds pairs that stay where they are, and the half or interleaved layout written as the other one. O(num_vectors
/// channels^2). Throws std::invalid_argument naming the argument for sizes that do not fit, values that are not
/// finite, and positions that leave several frequencies possible.
ROTARY_API MeasuredRotation measure_rotation(std::span<const float> before, std::span<const float> after,
                                             std::span<const std::int64_t> positions);

/// Compares a rotation with a measured one as compare() does, with frequencies and factors counted as equal where the
/// measurement cannot tell them apart, and names what only a measurement shows: positions that are off or stop, values
/// of 16 bits (no difference by itself).
ROTARY_API MapDifference compare(const RotationMap& expected, const MeasuredRotation& measured, double position = 1);

/// The same for two measured rotations.
ROTARY_API MapDifference compare(const MeasuredRotation& first, const MeasuredRotation& second, double position = 1);

/// What is wrong with the positions, in words: "positions off by 1", "positions stop at 4095", or why it is no
/// rotation; "" if nothing.
ROTARY_API std::string position_faults(const MeasuredRotation& measured);

/// Tries the faults that are made again and again on a specification, and names the one that gives what was measured:
/// "the scaling is left out", "base 10000 instead of 500000", "attention factor squared", ... "" if none does.
ROTARY_API std::string likely_fault(const RopeSpec& spec, const MeasuredRotation& measured, std::int64_t seq_len = 0);

}  // namespace rotary
