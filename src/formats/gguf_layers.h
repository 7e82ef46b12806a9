// Which layers of a GGUF model attend, which within a sliding window, and which of them turn.
#pragma once

#include <vector>

#include "formats/gguf_keys.h"

namespace rotary::detail {

/// Layers that are alike.
struct GgufLayers {
  bool sliding = false;
  bool rotates = true;
  std::vector<int> indices;
};

struct GgufLayerPlan {
  std::vector<GgufLayers> groups;
  bool all = false;       ///< one group, of every layer
  bool windowed = false;  ///< some layers slide as the architecture has it
};

/// By the rules of the architecture's row of gguf_architectures.json.
GgufLayerPlan plan_gguf_layers(GgufKeys& keys, const Json& row);

}  // namespace rotary::detail
