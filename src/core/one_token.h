// A step of decoding: one token, whose row lies in the table.
#pragma once

#include <span>

#include "core/rotary_state.h"
#include "core/rotation_pass.h"

namespace rotary::detail {

/// Turns the only token of every tensor (checked, as for a pass) forwards. Returns false, with nothing done and nothing
/// said of the positions, unless the call is this simple: then the preparations of a pass would take longer than it.
bool rotate_one_token(const Rotary::State& state, std::span<const PassTensor> tensors, const Positions& positions,
                      const ApplyOptions& options);

}  // namespace rotary::detail
