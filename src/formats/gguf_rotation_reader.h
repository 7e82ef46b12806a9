// The rotation of the layers of a GGUF model.
#pragma once

#include <vector>

#include "formats/gguf_keys.h"

namespace rotary::detail {

/// By the rules of the architecture's row of gguf_architectures.json.
std::vector<ModelRotation> read_gguf_rotations(GgufKeys& keys, const Json& row);

}  // namespace rotary::detail
