// One component of a configuration -> its rotations, by the rules of its family's row.
#pragma once

#include <vector>

#include "formats/config_view.h"

namespace rotary::detail {

std::vector<ModelRotation> read_component(const ConfigView& view, const std::string& model_type);

}  // namespace rotary::detail
