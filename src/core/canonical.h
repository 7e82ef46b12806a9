// The canonical form of a rotation map: equal functions have equal forms.
#pragma once

#include "rotary/rotation_map.h"

namespace rotary::detail {

/// Pairs that never turn become passed channels (unless an attention factor scales them); zeros lose their sign.
RotationMap canonical(const RotationMap& map);

}  // namespace rotary::detail
