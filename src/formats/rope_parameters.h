// The rope dictionaries of a configuration in either spelling, merged as the reference merges them.
//
// 4.x: top-level rope_theta, partial_rotary_factor and rope_scaling; 5.x: one rope_parameters dictionary, flat or
// nested by layer type. Families whose layer types have sets of their own say so in the table ("per_type").
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "formats/config_view.h"

namespace rotary::detail {

/// One set of rope parameters; every value knows where it came from.
struct RopeParameters {
  std::string label;  ///< layer type it holds for; "" for all
  std::string path;   ///< dotted path of the dictionary, for messages
  bool none = false;  ///< a null entry: no rotation
  std::map<std::string, Value> values;
  std::set<std::string> nulls;  ///< keys written as null

  Value get(const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? Value{} : found->second;
  }
};

/// A layer type in use: the label of its set and the first layer that has it.
struct PlannedType {
  std::string label;
  int first_layer = 0;
};

/// One set, or one per label of the family's "per_type".
std::vector<RopeParameters> read_rope_parameters(const ConfigView& view, const std::vector<PlannedType>& types);

/// The scaling kind under its canonical name: rope_type, else the old spelling type, else "default"; family aliases
/// applied.
std::string rope_type_of(const RopeParameters& parameters, const ConfigView& view);

}  // namespace rotary::detail
