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

/// A file, and how it is to be read.
struct ReadAs {
  std::string path;
  ReadOptions options;
};

/// Layer by layer, as deep as both go, as rotary::compare() does at `position`. Where a rotation depends on the length
/// and none is asked for, what agrees in short sequences is compared again in one that reaches the position.
/// Throws as read_model_config().
std::vector<RotationDifference> compare_files(const ReadAs& first, const ReadAs& second, double position);

}  // namespace rotary::cli
