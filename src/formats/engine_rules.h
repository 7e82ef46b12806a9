// What named engines compute, where it is another rotation than transformers 5 reads from the same configuration.
//
// Each rule was read in the engine's own code at the release that release_of() names, and those of the engines that can
// be run without their models (tests/golden/record_references.py) were run; docs/references.md is the list. What no
// rule covers and no code was read for is unknown: an engine is never assumed to agree.
#pragma once

#include "formats/rope_parameters.h"
#include "rotary/formats/model_config.h"

namespace rotary::detail {

/// Changes the specification that transformers 5 reads into what the reference computes, with a warning for each value
/// that is lost; or says in `out` that the reference fails on this configuration or that its way is not known. Does
/// nothing for the references that are readings of the file themselves.
void apply_engine_rules(const ConfigView& view, const RopeParameters& set, RopeSpec& spec, ModelRotation& out);

}  // namespace rotary::detail
