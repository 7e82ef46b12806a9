#include "formats/layer_plan.h"

#include <algorithm>

namespace rotary::detail {
namespace {

const Json& object_of(const Json& row, const char* key) {
  static const Json empty = Json::object();
  const auto found = row.find(key);
  return found == row.end() ? empty : *found;
}

// A number that a rule names: the value of a key, or itself.
int rule_number(const ConfigView& view, const Json& rule) {
  if (rule.is_number()) return rule.get<int>();
  return view.require_size(rule.get<std::string>());
}

std::string legacy_type(const std::string& type) {
  if (type == "conv" || type == "mamba" || type == "recurrent") return "linear_attention";
  return type == "attention" ? "full_attention" : type;
}

// The pattern of layer types that a family makes when the file has no list:
//   {"all": T}; {"cycle": [T, ...]}; {"every": n, "at": r, "special": T, "rest": U}: T where i mod n == r (default n -
//   1);
// with "from_end" i counts back from the last layer; "lead": k layers of "lead_type" first (not counted with
// "restart"); "final": type of the last layer; "lead_key" names k; "cycle_key" a list of the file that replaces the
// cycle.
std::string type_by_rule(const ConfigView& view, const Json& rule, int i, int count) {
  if (rule.contains("final") && i == count - 1) return rule.at("final").get<std::string>();
  const int lead = rule.contains("lead_key")
                       ? static_cast<int>(view.integer(rule.at("lead_key").get<std::string>()).value_or(0))
                       : rule.value("lead", 0);
  if (i < lead) return rule.at("lead_type").get<std::string>();
  if (rule.value("restart", false)) i -= lead;
  if (rule.value("from_end", false)) i = count - 1 - i;
  if (const auto key = rule.find("cycle_key"); key != rule.end())
    if (const Value own = view.in_file(key->get<std::string>()); own && own.json->is_array() && !own.json->empty()) {
      const std::vector<std::string> types = to_texts(view.reading(), own);
      return legacy_type(types[static_cast<std::size_t>(i) % types.size()]);
    }
  if (const auto cycle = rule.find("cycle"); cycle != rule.end())
    return (*cycle)[static_cast<std::size_t>(i) % cycle->size()].get<std::string>();
  if (const auto same = rule.find("all"); same != rule.end()) return same->get<std::string>();
  const int every = rule_number(view, rule.at("every"));
  return rule.at(i % every == rule.value("at", every - 1) ? "special" : "rest").get<std::string>();
}

std::vector<std::string> layer_types(const ConfigView& view, int count) {
  Reading& reading = view.reading();
  const Json& rule = object_of(view.row(), "layer_types");
  // A list of attention windows, 0 for full attention.
  if (const auto key = rule.find("windows"); key != rule.end())
    if (const Value windows = view.in_file(key->get<std::string>())) {
      std::vector<std::string> types;
      for (int window : to_integers(reading, windows))
        types.push_back(window == 0 ? "full_attention" : "sliding_attention");
      return types;
    }
  if (const Value given = view.in_file("layer_types"); given && given.json->is_array()) {
    std::vector<std::string> types = to_texts(reading, given);
    for (const Json& dropped : view.row().value("dropped_types", Json::array()))
      std::erase(types, dropped.get<std::string>());
    if (view.row().contains("dropped_types")) return types;
    // Longer lists occur (multi-token-prediction layers); shorter ones leave layers without a type.
    if (static_cast<int>(types.size()) < count)
      fail(reading, given.path, "have one entry per layer (" + std::to_string(count) + ")",
           std::to_string(types.size()) + " entries");
    types.resize(static_cast<std::size_t>(count));
    for (std::string& type : types) type = legacy_type(type);
    return types;
  }
  std::vector<std::string> types;
  if (rule.empty()) return types;
  for (int i = 0; i < count; ++i) types.push_back(type_by_rule(view, rule, i, count));
  return types;
}

bool listed(const Json& list, const std::string& type) {
  return std::find(list.begin(), list.end(), type) != list.end();
}

// {"key", "interval"}: a list whose zeros are layers without rotation; absent or empty, every interval-th layer
// (counted from 1, or back from the last with "from_end") has none.
bool rotates_by_list(const ConfigView& view, const Json& rule, int i, int count) {
  const Value list = view.in_file(rule.at("key").get<std::string>());
  if (list && list.json->is_array() && !list.json->empty()) {
    const std::vector<double> flags = to_numbers(view.reading(), list);
    if (static_cast<int>(flags.size()) < count)
      fail(view.reading(), list.path, "have one entry per layer (" + std::to_string(count) + ")",
           std::to_string(flags.size()) + " entries");
    return flags[static_cast<std::size_t>(i)] != 0;
  }
  const int from = rule.value("from_end", false) ? count - 1 - i : i + 1;
  return from % rule_number(view, rule.at("interval")) != 0;
}

bool rotates(const ConfigView& view, const std::string& type, int i, int count) {
  const Json& row = view.row();
  if (const auto list = row.find("rotation_list"); list != row.end()) return rotates_by_list(view, *list, i, count);
  const auto rotating = row.find("rotating_types");
  if (rotating == row.end()) return true;
  if (const auto key = row.find("rotating_types_unless_null"); key != row.end() && !view.get(key->get<std::string>()))
    return true;
  if (const auto key = row.find("rotating_prefix");
      key != row.end() && i < view.integer(key->get<std::string>()).value_or(0))
    return true;
  return listed(*rotating, type);
}

// Layers that have this attention at all: by type, by a list of indices, or by a list of exceptions.
bool has_attention(const ConfigView& view, const std::string& type, int i) {
  const Json& row = view.row();
  if (const auto types = row.find("attention_types"); types != row.end() && !type.empty() && !listed(*types, type))
    return false;
  const auto in_list = [&](const char* rule) -> std::optional<bool> {
    const auto key = row.find(rule);
    const Value list = key == row.end() ? Value{} : view.get(key->get<std::string>());
    if (!list)
      return key != row.end() && row.value("attention_indices_required", false) ? std::optional(false) : std::nullopt;
    const std::vector<int> indices = to_integers(view.reading(), list);
    return std::find(indices.begin(), indices.end(), i) != indices.end();
  };
  // {"key", "value", "every", "at", "lead"}: layers whose entry of the list has the value; without a list a pattern.
  if (const auto only = row.find("only_layers"); only != row.end()) {
    const Value list = view.in_file(only->at("key").get<std::string>());
    if (list && list.json->is_array())
      return static_cast<std::size_t>(i) < list.json->size() &&
             (*list.json)[static_cast<std::size_t>(i)] == only->at("value");
    return i < only->value("lead", 0) || i % only->value("every", 1) == only->value("at", 0);
  }
  if (const auto found = in_list("attention_indices")) return *found;
  if (const auto found = in_list("attention_except")) return !*found;
  return true;
}

}  // namespace

LayerPlan plan_layers(const ConfigView& view) {
  LayerPlan plan;
  const Value count_value = view.get("num_hidden_layers");
  int count = count_value ? view.require_size("num_hidden_layers") : 0;
  constexpr int kMaxLayers = 1 << 16;
  if (count > kMaxLayers) fail(view.reading(), count_value.path, "be at most 65536", show(*count_value.json));
  const std::vector<std::string> types = layer_types(view, count);
  if (view.row().contains("dropped_types") && !types.empty()) count = static_cast<int>(types.size());
  const auto base_key = view.row().find("base_list");
  const Value bases = base_key == view.row().end() ? Value{} : view.in_file(base_key->get<std::string>());
  if (bases && (!bases.json->is_array() || static_cast<int>(bases.json->size()) < count))
    fail(view.reading(), bases.path, "be a list with one base per layer (" + std::to_string(count) + ")",
         show(*bases.json));
  for (int i = 0; i < count; ++i) {
    const auto n = static_cast<std::size_t>(i);
    PlannedLayer layer{i, n < types.size() ? types[n] : "", true, std::nullopt};
    if (!has_attention(view, layer.type, i)) continue;
    layer.rotates = rotates(view, layer.type, i, count);
    if (bases) {
      const Value own{&(*bases.json)[n], bases.path + "[" + std::to_string(i) + "]", bases.assumed};
      layer.rotates = !own.json->is_null() && to_number(view.reading(), own) != 0;
      layer.base = own;
    }
    if (std::find(plan.types.begin(), plan.types.end(), layer.type) == plan.types.end())
      plan.types.push_back(layer.type);
    plan.layers.push_back(std::move(layer));
  }
  plan.all = count == 0;
  return plan;
}

}  // namespace rotary::detail
