// What a Rotary holds.
#pragma once

#include <functional>
#include <vector>

#include "core/double_double.h"
#include "core/rotation_plan.h"
#include "core/table_rows.h"
#include "rotary/apply.h"

namespace rotary {

struct Rotary::State {
  /// Angles of a token in the arithmetic of the rotation: position [num_axes], angles [pairs].
  using AngleWriter = std::function<void(int set, const double* position, detail::DoubleDouble* angles)>;

  RotationMap map;
  LayoutClass layout;
  Arithmetic arithmetic = Arithmetic::kExact;
  std::int64_t table_rows = 0;
  bool table_given = false;                   ///< positions are rows of the table; nothing is known of frequencies
  std::vector<CosSinTable> tables;            ///< [num_sets], or none
  std::vector<detail::SharedTableRows> rows;  ///< [num_sets]
  AngleWriter write_angles;
  std::vector<std::int32_t> pair_axes;  ///< [pairs]; 0 for a pair that several axes turn, or none
  double largest_frequency = 0;         ///< sum over axes, for the bound on angles

  /// Plans of out = R x, of x = R' out, of keys turned further by the same map, and of keys moved to another.
  detail::RotationPlan forward, backward, shift, move;
  detail::RotationPlan halves;  ///< for rows of this many pairs

  std::int64_t num_pairs() const { return static_cast<std::int64_t>(map.pairs.size()); }
};

}  // namespace rotary
