// One set of rope parameters -> the scaling method with its numbers.
#pragma once

#include <vector>

#include "formats/rope_parameters.h"
#include "rotary/scaling.h"

namespace rotary::detail {

/// Reads the method's own keys; unknown keys inside the dictionary become warnings. Sources of what was read are
/// appended. `nested`: the set is one of several by layer type (which changes what transformers sees).
Scaling read_scaling(const RopeParameters& parameters, const ConfigView& view, bool nested,
                     std::vector<Source>& sources);

}  // namespace rotary::detail
