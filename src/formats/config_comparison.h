// Whether two files that describe one model say the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rotary/formats/model_config.h"

namespace rotary::detail {

/// Compares the rotations of every layer, up to the order of channels within a head: checkpoints of Meta and Mistral
/// pair neighbours where Hugging Face's, with their rows permuted, pair halves. A difference is a warning of `first`
/// that names both files.
void compare_configs(ModelConfig& first, const ModelConfig& second);

/// The layers of both, empty for all; none if they share none.
std::optional<std::vector<int>> shared_layers(const ModelRotation& a, const ModelRotation& b);

/// What two rotations differ in beside the order of channels within a head and the rounding of float32, in which files
/// hold factors; "" if nothing.
std::string difference_on_permuted_rows(const ModelRotation& a, const ModelRotation& b);

}  // namespace rotary::detail
