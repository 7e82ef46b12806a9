// What a cos/sin table knows about its arithmetic: how to fill its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/ggml_angles.h"
#include "rotary/rotation_map.h"

namespace rotary::detail {

/// Fills rows, cos and sin [pairs]. Both kinds of table use it, so a row has the same bits in both and however the
/// table grew.
class TableRows {
 public:
  virtual ~TableRows() = default;

  /// The row of a token at position [num_axes].
  virtual void write(const double* position, float* cos, float* sin) const = 0;

  /// Rows of positions first .. first + num_rows - 1, the same on every axis, `row_step` floats apart; first >= 0.
  virtual void write_range(std::int64_t first, std::int64_t num_rows, float* cos, float* sin,
                           std::size_t row_step) const;

 protected:
  explicit TableRows(int num_axes) : num_axes_(num_axes) {}

 private:
  int num_axes_;
};

using SharedTableRows = std::shared_ptr<const TableRows>;

/// Rows of a map in every arithmetic but ggml's. Throws std::invalid_argument, in the name of `function`, for that one
/// and for a frequency set that the map lacks.
SharedTableRows map_rows(const RotationMap& map, Arithmetic arithmetic, int set, std::string_view function);

/// Whether some pair is turned by several axes.
bool has_pair_of_several_axes(const RotationMap& map);

/// Rows in ggml's arithmetic, whose angles are made from pair to pair.
SharedTableRows ggml_rows(const GgmlAngles& ggml);

}  // namespace rotary::detail
