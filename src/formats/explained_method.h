// The passages about frequencies: base, method, bands, and what lies beyond the trained length.
#pragma once

#include <cstdint>

#include "rotary/formats/explanation.h"

namespace rotary::detail {

Passage explain_speed(const RopeSpec& spec);
Passage explain_method(const RopeSpec& spec, std::int64_t seq_len);
Passage explain_beyond(const ModelRotation& rotation, std::int64_t seq_len);

}  // namespace rotary::detail
