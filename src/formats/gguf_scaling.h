// Context scaling of a GGUF model: from rope.scaling.* and the tensors of factors to what one layer's frequencies
// become.
#pragma once

#include <optional>
#include <vector>

#include "formats/gguf_keys.h"
#include "rotary/spec.h"

namespace rotary::detail {

/// What llama.cpp's context holds: the same for all layers.
struct GgufScaling {
  std::string type = "linear";  ///< "none", "linear", "yarn", "longrope"
  double factor = 1;            ///< s: every frequency is divided by it
  double original_max_position = 0;
  double ext_factor = 0;  ///< 1: YaRN's ramp; 0: none
  double attention = 1;   ///< what cos and sin are multiplied by, before the operator's own 1 + 0.1 ln s
  double beta_fast = 32, beta_slow = 1;
  double log_multiplier = 0;  ///< mscale_all_dim
  double alpha = 0;
  std::vector<Source> sources;
};

GgufScaling read_gguf_scaling(GgufKeys& keys, const Json& row);

/// What the rotation of one layer multiplies cos and sin by, if its frequencies are divided by `factor`.
double gguf_magnitude(const GgufScaling& scaling, double factor);

/// Fills spec.scaling (and spec.base, with alpha). `sliding_plain`: without any scaling.
struct GgufLayerScaling {
  double factor = 1;    ///< of this layer
  bool plain = false;   ///< nothing of GgufScaling counts
  bool factors = true;  ///< tensors of factors count
};
void scale_gguf_spec(GgufKeys& keys, const Json& row, const GgufScaling& scaling, const GgufLayerScaling& layer,
                     RopeSpec& spec, std::vector<Source>& sources);

}  // namespace rotary::detail
