// Two configurations, rotation by rotation.
#pragma once

#include <string>
#include <vector>

#include "rotary/formats/model_config.h"

namespace rotary::cli {

/// Layers that both have, or a rotation that only one has.
struct RotationDifference {
  std::string first, second;  ///< names; empty: no counterpart
  std::vector<int> layers;    ///< empty: all
  MapDifference difference;
};

/// Layer by layer, as deep as both go, as rotary::compare() does at `position`.
std::vector<RotationDifference> compare_configs(const ModelConfig& first, const ModelConfig& second, double position);

/// Whether a rotation depends on the length of the sequence.
bool depends_on_length(const ModelConfig& config);

}  // namespace rotary::cli
