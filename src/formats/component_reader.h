// One component of a configuration -> its rotations, by the rules of its family's row.
#pragma once

#include <vector>

#include "formats/config_view.h"

namespace rotary::detail {

/// What a reference that cannot run, or whose ways are not known, leaves without a rotation says so in `fails` or
/// `unknown`.
std::vector<ModelRotation> read_component(const ConfigView& view, const std::string& model_type);

}  // namespace rotary::detail
