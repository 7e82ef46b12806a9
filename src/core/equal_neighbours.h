// Positions whose row of cos and sin is that of the next one too.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rotary/cos_sin_table.h"
#include "rotary/precision.h"

namespace rotary::detail {

/// What is examined: rows at some positions, and what they should be.
struct Examined {
  RotationMap exact;  ///< one axis
  std::function<CosSinTable(std::span<const std::int64_t>)> rows;
  NumberFormat stored = NumberFormat::kFloat32;  ///< what cos and sin are rounded to on top
};

/// Pairs of a map of one axis that have a frequency.
std::vector<int> turning_pairs(const RotationMap& map);

/// Fills the equal_... and first_equal_... of `out`. The search ends with the first position where all pairs are equal.
void find_equal_neighbours(const Examined& examined, std::int64_t search_below, PrecisionLoss& out);

}  // namespace rotary::detail
