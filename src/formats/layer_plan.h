// Which layers of a component there are, of which type, and which of them rotate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/config_view.h"

namespace rotary::detail {

struct PlannedLayer {
  int index = 0;
  std::string type;  ///< "" if the family has no layer types
  bool rotates = true;
  std::optional<Value> base;  ///< a base of its own, from a per-layer list
};

struct LayerPlan {
  std::vector<PlannedLayer> layers;  ///< attention layers only
  bool all = false;                  ///< every layer, alike or their number unknown: reported as "all"
  std::vector<std::string> types;    ///< distinct types, in order of appearance
};

LayerPlan plan_layers(const ConfigView& view);

}  // namespace rotary::detail
