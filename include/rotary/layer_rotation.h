// LayerRotation: what one layer of a model does with rotation maps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rotary/rotation_map.h"

namespace rotary {

/// Multiplier of the query that depends on its position m (temperature).
struct QueryScaleRule {
  enum class Kind {
    kNone,
    kLogFloor,  ///< 1 + beta ln(1 + floor((m + shift) / floor_scale)): Llama 4, Ministral 3
    kPower,     ///< (1 + (m + shift) / floor_scale)^beta: Beam
    kLogN,      ///< max(1, ln(m + 1) / ln(floor_scale)): Qwen 1
  } kind = Kind::kNone;
  double beta = 0;
  double floor_scale = 1;
  double shift = 0;
  friend bool operator==(const QueryScaleRule&, const QueryScaleRule&) = default;
};

/// The multiplier at position m (0-based token index).
ROTARY_API double query_scale_at(const QueryScaleRule& rule, double position);

/// What the number on a position axis is, and how the model makes it from the raw index: (index + offset) * multiplier.
struct PositionAxis {
  std::string name = "token";  ///< "token", "time", "height", "width", "head index", "patch centre y in [-1,1]", ...
  double offset = 0;
  double multiplier = 1;
  friend bool operator==(const PositionAxis&, const PositionAxis&) = default;
};

struct LayerRotation {
  /// False: the layer applies no rotation at all, and nothing below but query_scale and the temperature means anything.
  bool rotates = true;
  /// Set, with the reason, when what the layer does is no set of plane rotations (V-JEPA 2): `query` is then empty.
  std::string not_a_rotation;
  RotationMap query;
  std::optional<RotationMap> key;  ///< where it differs from the query's
  bool rotates_values = false;
  bool rotates_output_back = false;  ///< the attention output is rotated by the inverse at the query's position
  bool before_projection = false;    ///< applied to hidden states, before the q and k projections
  bool rotates_keys = true;
  std::vector<int> heads;  ///< heads that rotate; empty: all
  double query_scale = 1;  ///< constant multiplier of the query before the product
  QueryScaleRule query_scale_rule;
  double softmax_factor = 1;       ///< what the rope parameters multiply the softmax scale by (MLA's mscale^2)
  std::optional<Xpos> xpos;        ///< magnitude per pair and position
  std::vector<PositionAxis> axes;  ///< one per axis of `query`
};

}  // namespace rotary
