// What a cos/sin table knows about its arithmetic: how to fill one row.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "rotary/rotation_map.h"

namespace rotary::detail {

/// Fills one row, cos and sin [pairs], for a token at position [num_axes]. Both kinds of table call it for every row,
/// so a row has the same bits in both and however the table grew.
using RowWriter = std::function<void(const double* position, float* cos, float* sin)>;

/// Rows of a map in every arithmetic but ggml's. Throws std::invalid_argument, in the name of `function`, for that one
/// and for a frequency set that the map lacks.
RowWriter map_rows(const RotationMap& map, Arithmetic arithmetic, int set, std::string_view function);

/// Rows in ggml's arithmetic, which needs the spec: its angles are made from pair to pair.
RowWriter ggml_rows(const RopeSpec& spec, std::int64_t seq_len);

}  // namespace rotary::detail
