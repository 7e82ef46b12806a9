// Whether two files that describe one model say the same.
#pragma once

#include "rotary/formats/model_config.h"

namespace rotary::detail {

/// Compares the rotations of every layer, up to the order of channels within a head: checkpoints of Meta and Mistral
/// pair neighbours where Hugging Face's, with their rows permuted, pair halves. A difference is a warning of `first`
/// that names both files.
void compare_configs(ModelConfig& first, const ModelConfig& second);

}  // namespace rotary::detail
