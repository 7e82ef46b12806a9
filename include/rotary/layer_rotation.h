// LayerRotation: what one layer of a model does with rotation maps.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// The multiplier at position m (0-based token index). Throws std::invalid_argument unless all numbers are finite,
/// floor_scale is positive (kLogN: above 1) and, for kLogFloor and kPower, the logarithm's argument and the base are.
ROTARY_API double query_scale_at(const QueryScaleRule& rule, double position);

/// What xPos multiplies pair `pair` of a query by at `position` (a key by its reciprocal):
///
///     zeta_i^((position - center) / scale_base)      zeta_i = (i / num_pairs + gamma) / (1 + gamma)
///
/// The score of a query at m and a key at n gets zeta_i^((m - n) / scale_base), whatever the centre: keep scales of
/// long sequences in range by moving the centre, never by letting it follow the length. Good to 2^-52 relative; 0 or
/// infinity where the value leaves the range of a double. Throws std::invalid_argument unless scale_base and gamma are
/// positive, center and position finite and 0 <= pair < num_pairs. arXiv 2212.10554; scale_base as in torchscale.
ROTARY_API double xpos_scale(const Xpos& xpos, int pair, int num_pairs, double position);

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

/// Compares all that two layers do: the maps of query and key as compare() for maps does, then what else is rotated or
/// multiplied. `same` holds for all of it; the names of position axes do not count. Throws as compare() for maps.
ROTARY_API MapDifference compare(const LayerRotation& first, const LayerRotation& second, double position = 1,
                                 std::string_view declared = {});

}  // namespace rotary
