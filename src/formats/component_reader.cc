#include "formats/component_reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>

#include "core/scaled_frequencies.h"
#include "formats/engine_rules.h"
#include "formats/layer_plan.h"
#include "formats/rope_parameters.h"
#include "formats/spec_reader.h"

namespace rotary::detail {
namespace {

// The entry of "per_layer_config" for a layer, whose index may be padded with zeros; null if there is none.
const Json* layer_entry(const ConfigView& view, int layer) {
  const Value entries = member(view.node(), view.path(), "per_layer_config");
  if (!entries) return nullptr;
  if (!entries.json->is_object()) fail(view.reading(), entries.path, "be an object or null", show(*entries.json));
  std::string key = std::to_string(layer);
  for (key.insert(0, 5 - std::min<std::size_t>(5, key.size()), '0'); !key.empty(); key.erase(0, 1)) {
    if (const Value entry = member(*entries.json, entries.path, key)) {
      if (!entry.json->is_object()) fail(view.reading(), entry.path, "be an object or null", show(*entry.json));
      return entry.json;
    }
    if (key[0] != '0') break;
  }
  return nullptr;
}

// The configuration as that layer sees it.
Json overlaid(const ConfigView& view, const Json& entry) {
  view.reading().spend(view.reading().num_bytes, view.path_of("per_layer_config"));
  Json node = view.node();
  node.erase("per_layer_config");
  node.update(entry);
  return node;
}

// Layers that share a rotation: same layer type, same set of parameters, same base, rotating or not.
struct LayerGroup {
  Json overlay;  // of "per_layer_config"; null if the layers have none
  std::string type;
  bool rotates = true;
  std::optional<Value> base;
  std::vector<int> indices;
};

std::vector<LayerGroup> group(const ConfigView& view, const LayerPlan& plan) {
  using Key = std::tuple<std::string, std::string, bool, double>;  // entry, type, rotates, base
  std::vector<LayerGroup> groups;
  std::map<Key, std::size_t> places;
  for (const PlannedLayer& layer : plan.layers) {
    const Json* entry = layer_entry(view, layer.index);
    const double base = layer.rotates && layer.base ? to_number(view.reading(), *layer.base) : 0;
    const Key key{entry ? entry->dump(-1, ' ', false, Json::error_handler_t::replace) : "", layer.type, layer.rotates,
                  base};
    const auto [place, is_new] = places.emplace(key, groups.size());
    if (is_new) groups.push_back({entry ? overlaid(view, *entry) : Json(), layer.type, layer.rotates, layer.base, {}});
    groups[place->second].indices.push_back(layer.index);
  }
  return groups;
}

// "function: field must hold, got x" of the core, with the key that the field came from instead of the function.
std::string with_key(std::string what, const std::string& dictionary, const std::vector<Source>& sources) {
  if (const auto colon = what.find(": "); colon != std::string::npos) what = what.substr(colon + 2);
  const std::string field = what.substr(0, what.find(' '));
  for (const Source& source : sources)
    if (source.field == field && !source.assumed) return source.key + what.substr(field.size());
  return dictionary + ": " + what;
}

class ComponentReader {
 public:
  ComponentReader(const ConfigView& view, std::string model_type, ViewOf view_of = ViewOf::kComponent)
      : view_(view),
        reading_(view.reading()),
        row_(view.row()),
        model_type_(std::move(model_type)),
        view_of_(view_of),
        begin_(reading_.unsettled.size()) {}

  std::vector<ModelRotation> read() {
    if (row_.value("remote", false) && reading_.as(Reference::kTransformers))
      reading_.warn(view_.path_of("model_type"),
                    "not part of transformers 5: read as the family's own (remote) code does");
    const LayerPlan plan = plan_layers(view_);
    if (const std::string why = switched_off(); !why.empty()) return {still(plan, why)};
    std::vector<PlannedType> labels;
    for (const PlannedLayer& layer : plan.layers) {
      const std::string label = label_of(row_, layer.type);
      const auto known = [&](const PlannedType& t) { return t.label == label; };
      if (std::none_of(labels.begin(), labels.end(), known)) labels.push_back({label, layer.index});
    }
    if (row_.contains("per_type") && plan.all)
      fail(reading_, view_.path_of("num_hidden_layers"), "be given (layer types differ)", "nothing");
    const std::vector<RopeParameters> sets = read_rope_parameters(view_, labels);
    end_ = reading_.unsettled.size();
    std::vector<ModelRotation> out;
    if (plan.all) {
      out.push_back(rotation(sets.at(0), LayerGroup{}, true));
      return out;
    }
    for (const LayerGroup& layers : group(view_, plan)) {
      const RopeParameters* set = set_for(sets, label_of(row_, layers.type));
      const bool null_base = row_.value("null_base_is_none", false) && set && set->nulls.contains("rope_theta");
      const bool rotates = layers.rotates && set && !set->none && !null_base;
      const ConfigView own = view_.with_node(layers.overlay.is_null() ? view_.node() : layers.overlay);
      ComponentReader reader(own, model_type_, layers.overlay.is_null() ? ViewOf::kComponent : ViewOf::kLayer);
      reader.begin_ = begin_, reader.end_ = end_;
      out.push_back(rotates ? reader.rotation(*set, layers, false) : reader.still(layers));
    }
    return out;
  }

 private:
  const RopeParameters* set_for(const std::vector<RopeParameters>& sets, const std::string& label) const {
    for (const RopeParameters& set : sets)
      if (set.label.empty() || set.label == label) return &set;
    return nullptr;
  }

  // {"key", "is"}: the rotation exists only with that value of the key. Returns the reason when it is off.
  std::string switched_off() const {
    if (row_.contains("never")) return text_of(row_, "never");
    const auto rule = row_.find("when");
    if (rule == row_.end()) return "";
    const Value value = view_.get(rule->at("key").get<std::string>());
    const Json actual = value ? *value.json : Json();
    const Json& wanted = rule->at("is");
    const bool on =
        wanted.is_array() ? std::find(wanted.begin(), wanted.end(), actual) != wanted.end() : actual == wanted;
    if (on) return "";
    return view_.path_of(rule->at("key").get<std::string>()) + " is " + actual.dump() +
           (value && !value.assumed ? "" : " by default");
  }

  ModelRotation named() const {
    ModelRotation out;
    out.component = view_.component();
    out.model_type = model_type_;
    out.part = text_of(row_, "part");
    out.note = text_of(row_, "note");
    return out;
  }

  ModelRotation still(const LayerPlan& plan, const std::string& why) const {
    ModelRotation out = named();
    out.rotation.rotates = false;
    out.note = why;
    out.all_layers = plan.all;
    for (const PlannedLayer& layer : plan.layers) out.layers.push_back(layer.index);
    return out;
  }

  ModelRotation still(const LayerGroup& layers) const {
    ModelRotation out = named();
    out.rotation.rotates = false;
    out.layers = layers.indices;
    out.layer_type = layers.type;
    out.head_dim = read_head_dim(view_, view_of_, layers.type);
    out.rotation.query_scale = query_scale(out.head_dim);
    if (const Json* rule = temperature_rule(false)) out.rotation.query_scale_rule = temperature(*rule, nullptr);
    return out;
  }

  // Constant factors on the query: a product of powers of keys ("head" is the head's width) and numbers.
  double query_scale(int head_dim) const {
    double scale = 1;
    for (const Json& term : row_.value("query_scale", Json::array())) {
      if (term.is_number()) {
        scale *= term.get<double>();
        continue;
      }
      const std::string of = term.at("of").get<std::string>();
      const double x = of == "head" ? head_dim : view_.number(of).value_or(1);
      scale *= std::pow(x, term.value("power", 1.0));
    }
    return scale;
  }

  const Json* temperature_rule(bool rotating) const {
    const auto rule = row_.find("temperature");
    if (rule == row_.end() || rule->value("on_rotating_layers", true) != rotating) return nullptr;
    if (const auto key = rule->find("when"); key != rule->end()) {
      const Value on = view_.get(key->get<std::string>());
      const bool is_on =
          on && (on.json->is_boolean() ? on.json->get<bool>() : on.json->is_number() && on.json->get<double>() != 0);
      if (!is_on) return nullptr;
    }
    return &*rule;
  }

  // 1 + beta ln(1 + floor((m + shift) / floor)); beta and floor are keys of the set or of the configuration.
  QueryScaleRule temperature(const Json& rule, const RopeParameters* set) const {
    const auto number = [&](const char* name) -> double {
      if (rule.at(name).is_number()) return rule.at(name).get<double>();
      const std::string key = rule.at(name).get<std::string>();
      const Value inside = set ? set->get(key) : Value{};
      const Value value = inside ? inside : view_.get(key);
      return value ? to_number(reading_, value) : 0;
    };
    const auto kind = rule.value("log_n", false)   ? QueryScaleRule::Kind::kLogN
                      : rule.value("power", false) ? QueryScaleRule::Kind::kPower
                                                   : QueryScaleRule::Kind::kLogFloor;
    QueryScaleRule out{kind, number("beta"), number("floor"), rule.value("shift", 0.0)};
    return out.beta == 0 || out.floor_scale == 0 ? QueryScaleRule{} : out;
  }

  // MLA: the softmax scale carries mscale(factor, mscale_all_dim)^2 when the set scales at all.
  double softmax_factor(const RopeParameters& set, const Scaling& scaling) const {
    if (text_of(row_, "softmax") != "mscale_all_dim" || std::holds_alternative<DefaultScaling>(scaling)) return 1;
    const Value k = set.get("mscale_all_dim"), factor = set.get("factor");
    if (!k || !factor) return 1;
    const double s = to_number(reading_, factor), all_dim = to_number(reading_, k);
    if (all_dim == 0) return 1;
    const double m = yarn_magnitude(s, all_dim);
    if (!std::isfinite(m * m)) fail(reading_, k.path, "give a finite softmax factor", show(*k.json));
    return m * m;
  }

  std::vector<PositionAxis> position_axes(const AxisLayout& layout) const {
    const auto rule = row_.find("axes");
    std::vector<PositionAxis> out(static_cast<std::size_t>(layout.num_axes));
    if (const auto named = row_.find("axis_names"); named != row_.end()) {
      for (std::size_t i = 0; i < out.size() && i < named->size(); ++i) out[i].name = (*named)[i].get<std::string>();
      return out;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (rule == row_.end()) {
        out[i].name = text_of(row_, "position", "token");
        continue;
      }
      const Json names =
          rule->value("names", layout.num_axes == 3 ? Json{"time", "height", "width"} : Json{"height", "width"});
      out[i].name = i < names.size() ? names[i].get<std::string>() : "axis " + std::to_string(i);
      out[i].offset = rule->value("offset", 0.0);
    }
    return out;
  }

  LayerRotation layer_rotation(const RopeSpec& s, const RopeParameters& set) const {
    LayerRotation out;
    reading_.spend_on(s, set.path);
    out.query = make_rotation_map(s, reading_.options.seq_len, reading_.options.arithmetic);
    out.rotates_values = row_.contains("values") && values_rotate();
    out.rotates_output_back = row_.value("output_back", false);
    out.before_projection = row_.value("before_projection", false);
    if (row_.value("first_head_only", false)) out.heads = {0};
    out.query_scale = query_scale(s.head_dim);
    if (const Json* rule = temperature_rule(true)) out.query_scale_rule = temperature(*rule, &set);
    out.softmax_factor = softmax_factor(set, s.scaling);
    out.axes = position_axes(s.axes);
    return out;
  }

  bool values_rotate() const {
    const Json& rule = row_.at("values");
    if (rule.is_boolean()) return rule.get<bool>();
    const Value key = view_.get(rule.get<std::string>());
    return key && to_boolean(reading_, key);
  }

  ModelRotation rotation(const RopeParameters& set, const LayerGroup& layers, bool all) const {
    ModelRotation out = named();
    out.layers = layers.indices;
    out.all_layers = all;
    out.layer_type = layers.type;
    if (const std::string reason = text_of(row_, "not_a_rotation"); !reason.empty()) {
      out.head_dim = read_head_dim(view_, view_of_, layers.type);
      out.rotation.not_a_rotation = reason;
      return out;
    }
    // Checks of numbers are the core's; here they get the file's name and the dictionary's path.
    try {
      const std::size_t own_begin = reading_.unsettled.size();
      RopeSpec s = read_spec(view_, view_of_, set, layers.type, layers.base, out.sources);
      out.unknown = unsettled(own_begin);
      apply_engine_rules(view_, set, s, out);
      if (!out.unknown.empty() || !out.fails.empty()) {
        out.head_dim = s.head_dim;
        return out;
      }
      out.rotation = layer_rotation(s, set);
      out.head_dim = s.head_dim;
      out.spec = s;
    } catch (const AssumedMismatch& mismatch) {
      reading_.warn(set.path, mismatch.reason);
      out.head_dim = read_head_dim(view_, view_of_, layers.type);
      out.rotation.not_a_rotation = mismatch.reason;
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(reading_.name + ": " + with_key(error.what(), set.path, out.sources));
    }
    return out;
  }

  // What transformers 5 does with this component's keys and the reference may not do, in one sentence.
  std::string unsettled(std::size_t own_begin) const {
    std::string out;
    for (std::size_t i = begin_; i < reading_.unsettled.size(); ++i) {
      if (i >= end_ && i < own_begin) continue;
      const ConfigWarning& w = reading_.unsettled[i];
      out += (out.empty() ? "not known what " + name_and_release(*reading_.options.reference) + " does with "
                          : "; with ") +
             w.key + " (" + w.message + ")";
    }
    return out;
  }

  const ConfigView& view_;
  Reading& reading_;
  const Json& row_;
  std::string model_type_;
  ViewOf view_of_;
  std::size_t begin_, end_ = 0;  // of what is unsettled about the component's dictionaries
};

}  // namespace

std::vector<ModelRotation> read_component(const ConfigView& view, const std::string& model_type) {
  std::vector<ModelRotation> out = ComponentReader(view, model_type).read();
  const auto parts = view.row().find("parts");
  if (parts == view.row().end()) return out;
  for (const Json& part : *parts) {
    Json row = view.row();
    row.erase("parts");
    row.merge_patch(part);
    const ConfigView own = view.with_row(row);
    const Json head = row.value("head", Json::array());
    const bool has_width =
        std::all_of(head.begin(), head.end(), [&](const Json& key) { return bool(own.get(key.get<std::string>())); });
    if (!has_width) {
      view.reading().warn(view.path_of(head.at(0).get<std::string>()),
                          "absent and without default: the " + part.value("part", "part") + " is left out");
      continue;
    }
    for (ModelRotation& r : ComponentReader(own, model_type).read()) out.push_back(std::move(r));
  }
  return out;
}

}  // namespace rotary::detail
