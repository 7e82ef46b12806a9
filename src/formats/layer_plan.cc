#include "formats/layer_plan.h"

#include <algorithm>
#include <set>

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
// "restart"); "final": type of the last layer, with "final_in_lists" also of a list in the file; "lead_key" names k;
// "cycle_key" a list of the file that replaces the cycle.
std::string type_by_rule(const ConfigView& view, const Json& rule, int i, int count) {
  if (rule.contains("final") && i == count - 1) return rule.at("final").get<std::string>();
  std::int64_t lead = rule.value("lead", 0);
  if (const auto key = rule.find("lead_key"); key != rule.end())
    lead = std::clamp<std::int64_t>(view.integer(key->get<std::string>()).value_or(0), 0, count);
  if (i < lead) return rule.at("lead_type").get<std::string>();
  if (rule.value("restart", false)) i -= static_cast<int>(lead);
  if (rule.value("from_end", false)) i = count - 1 - i;
  if (const auto cycle = rule.find("cycle"); cycle != rule.end())
    return (*cycle)[static_cast<std::size_t>(i) % cycle->size()].get<std::string>();
  if (const auto same = rule.find("all"); same != rule.end()) return same->get<std::string>();
  const int every = rule_number(view, rule.at("every"));
  return rule.at(i % every == rule.value("at", every - 1) ? "special" : "rest").get<std::string>();
}

// The file's list; one that is no list is an error only where the family's rotation depends on layer types.
Value types_in_file(const ConfigView& view) {
  const Value given = view.in_file("layer_types");
  if (!given || given.json->is_array()) return given;
  for (const char* column : {"layer_types", "per_type", "rotating_types", "attention_types"})
    if (view.row().contains(column)) fail(view.reading(), given.path, "be a list", show(*given.json));
  view.reading().warn(given.path, "is no list, ignored: " + show(*given.json));
  return {};
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
  if (const Value given = types_in_file(view)) {
    std::vector<std::string> types = to_texts(reading, given);
    for (const Json& dropped : view.row().value("dropped_types", Json::array()))
      std::erase(types, dropped.get<std::string>());
    if (view.row().contains("dropped_types")) return types;
    if (rule.value("final_in_lists", false) && !types.empty() && reading.as_transformers()) {
      const std::string final = rule.at("final").get<std::string>();
      if (types.back() != final)
        reading.depart(given.path, "transformers 5 makes the last layer " + final + "; lost: " + types.back(),
                       kThroughTransformers);
      types.back() = final;
    }
    // Longer lists occur (multi-token-prediction layers); shorter ones leave layers without a type.
    if (static_cast<int>(types.size()) < count)
      fail(reading, given.path, "have one entry per layer (" + std::to_string(count) + ")",
           std::to_string(types.size()) + " entries");
    types.resize(static_cast<std::size_t>(count));
    for (std::string& type : types) type = legacy_type(type);
    return types;
  }
  std::vector<std::string> types, cycle;
  if (rule.empty()) return types;
  if (const auto key = rule.find("cycle_key"); key != rule.end())
    if (const Value own = view.in_file(key->get<std::string>())) cycle = to_texts(reading, own);
  for (int i = 0; i < count; ++i)
    types.push_back(cycle.empty() ? type_by_rule(view, rule, i, count)
                                  : legacy_type(cycle[static_cast<std::size_t>(i) % cycle.size()]));
  return types;
}

bool listed(const Json& list, const std::string& type) {
  return std::find(list.begin(), list.end(), type) != list.end();
}

// Which layers have this attention and which rotate, by the lists of the file and the rules of the row.
class LayerRules {
 public:
  LayerRules(const ConfigView& view, int count) : view_(view), row_(view.row()), count_(count) {
    indices_ = read_indices("attention_indices");
    except_ = read_indices("attention_except");
    if (!indices_ && row_.contains("attention_indices") && row_.value("attention_indices_required", false))
      indices_.emplace();
    if (const auto rule = row_.find("rotation_list"); rule != row_.end()) read_flags(*rule);
    if (const auto rule = row_.find("only_layers"); rule != row_.end())
      if (const Value list = view_.in_file(rule->at("key").get<std::string>()))
        marks_ = to_texts(view_.reading(), list);
  }

  // Layers that have this attention at all: by type, by a list of indices, or by a list of exceptions.
  bool has_attention(const std::string& type, int i) const {
    const auto types = row_.find("attention_types");
    if (types != row_.end() && !type.empty() && !listed(*types, type)) return false;
    if (const auto only = row_.find("only_layers"); only != row_.end()) return is_marked(*only, i);
    if (indices_) return indices_->contains(i);
    return !except_ || !except_->contains(i);
  }

  bool rotates(const std::string& type, int i) const {
    if (const auto rule = row_.find("rotation_list"); rule != row_.end()) return rotates_by_list(*rule, i);
    const auto rotating = row_.find("rotating_types");
    if (rotating == row_.end()) return true;
    if (const auto key = row_.find("rotating_types_unless_null");
        key != row_.end() && !view_.get(key->get<std::string>()))
      return true;
    if (const auto key = row_.find("rotating_prefix");
        key != row_.end() && i < view_.integer(key->get<std::string>()).value_or(0))
      return true;
    return listed(*rotating, type);
  }

 private:
  std::optional<std::set<int>> read_indices(const char* column) const {
    const auto key = row_.find(column);
    const Value list = key == row_.end() ? Value{} : view_.get(key->get<std::string>());
    if (!list) return std::nullopt;
    const std::vector<int> indices = to_integers(view_.reading(), list);
    return std::set<int>(indices.begin(), indices.end());
  }

  void read_flags(const Json& rule) {
    const Value list = view_.in_file(rule.at("key").get<std::string>());
    if (!list) return;
    flags_ = to_numbers(view_.reading(), list);
    if (!flags_.empty() && static_cast<int>(flags_.size()) < count_)
      fail(view_.reading(), list.path, "have one entry per layer (" + std::to_string(count_) + ")",
           std::to_string(flags_.size()) + " entries");
  }

  // {"key", "value", "every", "at", "lead"}: layers whose entry of the list has the value; without a list a pattern.
  bool is_marked(const Json& rule, int i) const {
    const auto n = static_cast<std::size_t>(i);
    if (marks_) return n < marks_->size() && (*marks_)[n] == rule.at("value").get<std::string>();
    return i < rule.value("lead", 0) || i % rule.value("every", 1) == rule.value("at", 0);
  }

  // {"key", "interval"}: a list whose zeros ("still": its other numbers) are layers without rotation; absent or empty,
  // every interval-th layer (counted from 1, or back from the last with "from_end") has none.
  bool rotates_by_list(const Json& rule, int i) const {
    if (!flags_.empty()) return (flags_[static_cast<std::size_t>(i)] != 0) != rule.value("still", false);
    const int from = rule.value("from_end", false) ? count_ - 1 - i : i + 1;
    return from % rule_number(view_, rule.at("interval")) != 0;
  }

  const ConfigView& view_;
  const Json& row_;
  int count_;
  std::optional<std::set<int>> indices_, except_;
  std::vector<double> flags_;
  std::optional<std::vector<std::string>> marks_;
};

}  // namespace

LayerPlan plan_layers(const ConfigView& view) {
  LayerPlan plan;
  const Value count_value = view.get("num_hidden_layers");
  int count = count_value ? view.require_size("num_hidden_layers") : 0;
  constexpr int kMaxLayers = 4096;
  const auto bounded = [&](int layers) {
    if (layers > kMaxLayers) fail(view.reading(), count_value.path, "be at most 4096", std::to_string(layers));
    return layers;
  };
  const std::vector<std::string> types = layer_types(view, bounded(count));
  if (view.row().contains("dropped_types") && !types.empty()) count = bounded(static_cast<int>(types.size()));
  const auto base_key = view.row().find("base_list");
  const Value bases = base_key == view.row().end() ? Value{} : view.in_file(base_key->get<std::string>());
  if (bases && (!bases.json->is_array() || static_cast<int>(bases.json->size()) < count))
    fail(view.reading(), bases.path, "be a list with one base per layer (" + std::to_string(count) + ")",
         show(*bases.json));
  const LayerRules rules(view, count);
  for (int i = 0; i < count; ++i) {
    const auto n = static_cast<std::size_t>(i);
    PlannedLayer layer{i, n < types.size() ? types[n] : "", true, std::nullopt};
    if (!rules.has_attention(layer.type, i)) continue;
    layer.rotates = rules.rotates(layer.type, i);
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
