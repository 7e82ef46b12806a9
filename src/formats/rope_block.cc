#include "formats/rope_block.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace rotary::detail {
namespace {

using nlohmann::json;

std::vector<std::string> parts_of(const std::string& place) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < place.size();) {
    const std::size_t end = std::min(place.find('.', begin), place.size());
    out.push_back(place.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

bool holds_dictionaries(const json& block) {
  return std::any_of(block.begin(), block.end(), [](const json& value) { return value.is_object(); });
}

// The dictionary in force: rope_scaling beats rope_parameters; of a layer type where there is one for each.
json old_block(const json& node, const std::string& layer_type) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const auto found = node.find(key);
    if (found == node.end() || !found->is_object()) continue;
    if (!holds_dictionaries(*found)) return *found;
    if (const auto own = found->find(layer_type); own != found->end() && own->is_object()) return *own;
  }
  return json::object();
}

}  // namespace

OrderedJson plain_number(double x) {
  if (std::trunc(x) == x && std::fabs(x) < 0x1p53) return static_cast<std::int64_t>(x);
  return x;
}

OrderedJson plain_block(const RopeSpec& spec) {
  return {{"rope_theta", plain_number(spec.base)}, {"rope_type", "default"}};
}

OrderedJson rope_block(const json& node, const std::string& layer_type, const RopeSpec& spec) {
  const auto& yarn = std::get<YarnScaling>(spec.scaling);
  OrderedJson out{{"rope_theta", plain_number(spec.base)},
                  {"rope_type", "yarn"},
                  {"factor", yarn.factor},
                  {"original_max_position_embeddings", plain_number(yarn.original_max_position)}};
  const json old = old_block(node, layer_type);
  for (const auto& [key, value] : old.items())
    if (key != "type" && !out.contains(key)) out[key] = OrderedJson::parse(value.dump());
  return out;
}

std::string place_of(const json& document, const std::string& component) {
  const json* node = &document;
  for (const std::string& part : parts_of(component)) {
    const auto found = node->find(part);
    if (found == node->end() || !found->is_object()) return "";
    node = &*found;
  }
  return component;
}

const json& node_at(const json& document, const std::string& place) {
  const json* node = &document;
  for (const std::string& part : parts_of(place)) node = &node->at(part);
  return *node;
}

OrderedJson nested(const std::string& place, OrderedJson patch) {
  std::vector<std::string> parts = parts_of(place);
  for (; !parts.empty(); parts.pop_back()) {
    OrderedJson outer;
    outer[parts.back()] = std::move(patch);
    patch = std::move(outer);
  }
  return patch;
}

json patched(json document, const std::string& place, const OrderedJson& patch) {
  json* node = &document;
  for (const std::string& part : parts_of(place)) node = &(*node)[part];
  for (const auto& [key, value] : patch.items()) {
    if (value.is_null())
      node->erase(key);
    else
      (*node)[key] = json::parse(value.dump());
  }
  return document;
}

}  // namespace rotary::detail
