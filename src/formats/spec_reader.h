// One set of rope parameters of a component -> the specification of its rotation, by the rules of the family's row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/rope_parameters.h"
#include "rotary/spec.h"

namespace rotary::detail {

/// A text column of a row.
std::string text_of(const Json& row, const char* column, const std::string& otherwise = "");

/// The label of the set that a layer type uses: itself, unless the family's "labels" say otherwise.
std::string label_of(const Json& row, const std::string& layer_type);

/// A family's own defaults contradict each other: reported as no rotation that could be named, not as an error of the
/// file.
struct AssumedMismatch {
  std::string reason;
};

/// Where a component's view stands: of the whole, or of a layer with entries of its own in "per_layer_config".
enum class ViewOf { kComponent, kLayer };

/// Channels of the head vector of a layer type.
int read_head_dim(const ConfigView& view, ViewOf view_of, const std::string& layer_type);

/// The specification for a layer type; sources of what was read are appended.
/// \param own_base  the layers' own base, from a per-layer list
/// Throws std::runtime_error naming file and key, or AssumedMismatch. The numbers are not yet checked by
/// validate_spec().
RopeSpec read_spec(const ConfigView& view, ViewOf view_of, const RopeParameters& set, const std::string& layer_type,
                   const std::optional<Value>& own_base, std::vector<Source>& sources);

}  // namespace rotary::detail
