#include "formats/component_reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "formats/layer_plan.h"
#include "formats/rope_parameters.h"
#include "formats/scaling_reader.h"

namespace rotary::detail {
namespace {

std::string text_of(const Json& row, const char* key, const std::string& otherwise = "") {
  const auto found = row.find(key);
  return found == row.end() ? otherwise : found->get<std::string>();
}

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

struct Widths {
  int head = 0;    // channels of the vector
  int rotary = 0;  // what partial_rotary_factor is a share of
};

// A family's own defaults contradict each other: reported as no rotation that could be named, not as an error of the
// file.
struct AssumedMismatch {
  std::string reason;
};

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
  ComponentReader(const ConfigView& view, std::string model_type, bool is_overlay = false)
      : view_(view),
        reading_(view.reading()),
        row_(view.row()),
        model_type_(std::move(model_type)),
        is_overlay_(is_overlay) {}

  std::vector<ModelRotation> read() {
    if (row_.value("remote", false) && reading_.as_transformers())
      reading_.warn(view_.path_of("model_type"),
                    "not part of transformers 5: read as the family's own (remote) code does");
    const LayerPlan plan = plan_layers(view_);
    if (const std::string why = switched_off(); !why.empty()) return {still(plan, why)};
    std::vector<PlannedType> labels;
    for (const PlannedLayer& layer : plan.layers) {
      const std::string label = label_of(layer.type);
      const auto known = [&](const PlannedType& t) { return t.label == label; };
      if (std::none_of(labels.begin(), labels.end(), known)) labels.push_back({label, layer.index});
    }
    if (row_.contains("per_type") && plan.all)
      fail(reading_, view_.path_of("num_hidden_layers"), "be given (layer types differ)", "nothing");
    const std::vector<RopeParameters> sets = read_rope_parameters(view_, labels);
    std::vector<ModelRotation> out;
    if (plan.all) {
      out.push_back(rotation(sets.at(0), LayerGroup{}, true));
      return out;
    }
    for (const LayerGroup& layers : group(view_, plan)) {
      const RopeParameters* set = set_for(sets, label_of(layers.type));
      const bool null_base = row_.value("null_base_is_none", false) && set && set->nulls.contains("rope_theta");
      const bool rotates = layers.rotates && set && !set->none && !null_base;
      const ConfigView own = view_.with_node(layers.overlay.is_null() ? view_.node() : layers.overlay);
      const ComponentReader reader(own, model_type_, !layers.overlay.is_null());
      out.push_back(rotates ? reader.rotation(*set, layers, false) : reader.still(layers));
    }
    return out;
  }

 private:
  std::string label_of(const std::string& type) const {
    const auto labels = row_.find("labels");
    if (labels == row_.end()) return type;
    const auto found = labels->find(type);
    return found == labels->end() ? type : found->get<std::string>();
  }

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
    out.head_dim = widths(layers.type).head;
    out.rotation.query_scale = query_scale(out.head_dim);
    if (const Json* rule = temperature_rule(false)) out.rotation.query_scale_rule = temperature(*rule, nullptr);
    return out;
  }

  // The entry of "per_type" for a layer type; empty for families with one set.
  const Json& rule_for(const std::string& type) const {
    static const Json empty = Json::object();
    const auto per_type = row_.find("per_type");
    if (per_type == row_.end()) return empty;
    const auto found = per_type->find(label_of(type));
    return found == per_type->end() ? empty : *found;
  }

  int divided(const std::string& total, const std::string& parts) const {
    const int a = view_.require_size(total), b = view_.require_size(parts);
    if (a % b != 0 && !row_.value("head_dim_floors", false))
      fail(reading_, view_.get(total).path,
           "divide by " + parts + " = " + std::to_string(b) + " (head_dim is not given)", std::to_string(a));
    return a / b;
  }

  // Whether this view is of a layer with its own entries and they hold the key.
  bool overlay_sets(const char* key) const {
    return !view_.node().contains("per_layer_config") && view_.node().contains(key) && is_overlay_;
  }

  int plain_head_dim(const std::string& type) const {
    const Json& rule = rule_for(type);
    if (rule.contains("head_dim") && overlay_sets("head_dim")) return view_.require_size("head_dim");
    for (const Json& key : rule.value("head_dim", Json::array()))
      if (view_.get(key.get<std::string>())) return view_.require_size(key.get<std::string>());
    if (!row_.value("head_dim_derived", false) && view_.get("head_dim")) return view_.require_size("head_dim");
    if (const auto quotient = row_.find("head_quotient"); quotient != row_.end()) {
      int size = view_.require_size((*quotient)[0].get<std::string>());
      for (std::size_t i = 1; i < quotient->size(); ++i) size /= view_.require_size((*quotient)[i].get<std::string>());
      return std::max(size, row_.value("head_minimum", 1));
    }
    return divided("hidden_size", "num_attention_heads");
  }

  Widths widths(const std::string& type) const {
    Widths out;
    if (const auto sum = row_.find("head"); sum != row_.end()) {
      for (const Json& key : *sum) out.head += view_.require_size(key.get<std::string>());
    } else {
      out.head = plain_head_dim(type);
    }
    out.rotary = out.head;
    const auto rule = row_.find("width");
    if (rule == row_.end()) return out;
    if (rule->is_object()) {  // {"quotient": [key, key or number, ...], "minimum"}
      int size = view_.require_size((*rule)["quotient"][0].get<std::string>());
      for (std::size_t i = 1; i < rule->at("quotient").size(); ++i) {
        const Json& by = rule->at("quotient")[i];
        size /= by.is_number() ? by.get<int>() : view_.require_size(by.get<std::string>());
      }
      out.rotary = std::max(size, rule->value("minimum", 1));
    } else if (view_.get(rule->get<std::string>()) || !row_.contains("width_if_null")) {
      out.rotary = view_.require_size(rule->get<std::string>());
    } else {
      out.rotary = view_.require_size(text_of(row_, "width_if_null"));
    }
    return out;
  }

  void add_width_sources(std::vector<Source>& sources) const {
    const auto sum = row_.find("head");
    if (sum != row_.end()) {
      for (const Json& key : *sum) sources.push_back(view_.get(key.get<std::string>()).source(key.get<std::string>()));
    } else if (const Value given = view_.in_file("head_dim"); given && !row_.value("head_dim_derived", false)) {
      sources.push_back(given.source("head_dim"));
    } else {
      for (const char* key : {"head_dim", "hidden_size", "num_attention_heads"})
        if (const Value value = view_.get(key)) sources.push_back(value.source(key));
    }
  }

  // The share of the width that turns; 1 where this reference ignores the key.
  // An absolute width ("absolute_width" names its key) counts where the file has no share.
  double partial(const RopeParameters& set, const Widths& w, const Scaling& scaling,
                 std::vector<Source>& sources) const {
    const Value value = set.get("partial_rotary_factor");
    if (const auto key = row_.find("absolute_width"); key != row_.end())
      if (const Value width = view_.get(key->get<std::string>())) {
        const double share = static_cast<double>(view_.require_size(key->get<std::string>())) / w.rotary;
        if (value && !value.assumed && to_number(reading_, value) != share) {
          if (!reading_.as_transformers())
            fail(reading_, width.path,
                 "agree with " + value.path + " = " + show(*value.json) + " of head_dim " + std::to_string(w.rotary),
                 show(*width.json));
          reading_.warn(width.path,
                        "ignored: " + value.path + " = " + show(*value.json) + " wins; lost: " + show(*width.json));
        } else {
          sources.push_back(width.source("rotary_dim"));
          return share;
        }
      }
    if (!value || std::holds_alternative<ProportionalScaling>(scaling)) return 1;
    const double share = to_number(reading_, value);
    const bool honoured = row_.value("partial", false);
    if (share == 1 && !honoured) return 1;
    if (!honoured && reading_.as_transformers()) {
      if (std::holds_alternative<DefaultScaling>(scaling)) {
        reading_.warn(
            value.path,
            "ignored by transformers 5 for this family with rope_type 'default': the whole head rotates; lost: " +
                show(*value.json));
        return 1;
      }
      reading_.warn(value.path,
                    "transformers 5 fails on a partial rotation with a scaling method for this family (its apply "
                    "function wants the whole head); reported as written");
    }
    if (!(share > 0)) fail(reading_, value.path, "be a number above 0", show(*value.json));
    sources.push_back(value.source("partial_rotary_factor"));
    return share;
  }

  std::string pairing_name() const {
    const auto rule = row_.find("pairing");
    if (rule == row_.end()) return "half";
    if (rule->is_string()) return rule->get<std::string>();
    const Value key = view_.get(rule->at("key").get<std::string>());
    const bool on = key ? to_boolean(reading_, key) : rule->at("default").get<bool>();
    return rule->at(on ? "true" : "false").get<std::string>();
  }

  int axes_of_rule() const {
    const auto rule = row_.find("axes");
    return rule == row_.end() || rule->contains("sections") ? 1 : rule->value("num_axes", 2);
  }

  // Interleaved sections need not sum to the number of pairs in transformers: what is beyond the pairs is cut, the rest
  // is axis 0.
  std::vector<int> fitted(std::vector<int> sections, AxisRule rule, int pairs, const Value& value) const {
    if (rule != AxisRule::kInterleavedSections || sections.size() != 3 ||
        sections[0] + sections[1] + sections[2] == pairs || !reading_.as_transformers())
      return sections;
    for (int axis : {1, 2})
      sections[static_cast<std::size_t>(axis)] =
          std::clamp(sections[static_cast<std::size_t>(axis)], 0, (pairs + 2 - axis) / 3);
    sections[0] = pairs - sections[1] - sections[2];
    reading_.warn(value.path, "does not sum to the " + std::to_string(pairs) +
                                  " pairs: transformers 5 cuts it without a word; lost: " + show(*value.json));
    return sections;
  }

  AxisLayout axes(const RopeParameters& set, int pairs, std::vector<Source>& sources) const {
    AxisLayout out;
    const auto rule = row_.find("axes");
    if (rule == row_.end()) return out;
    static const std::map<std::string, AxisRule> kRules{{"sections", AxisRule::kSections},
                                                        {"interleaved_sections", AxisRule::kInterleavedSections},
                                                        {"alternating_hw", AxisRule::kAlternatingHeightWidth},
                                                        {"alternating", AxisRule::kAlternating},
                                                        {"blocks", AxisRule::kAxialBlocks},
                                                        {"axial_alternating", AxisRule::kAxialAlternating},
                                                        {"split", AxisRule::kAxialSplit},
                                                        {"parts", AxisRule::kAxialParts}};
    out.rule = kRules.at(rule->at("rule").get<std::string>());
    out.num_axes = rule->value("num_axes", 2);
    for (const Json& axis : rule->value("order", Json::array())) out.axis_order.push_back(axis.get<int>());
    const auto sections = rule->find("sections");
    if (sections == rule->end()) return out;
    Value given;
    for (const char* key : {"mrope_section", "xdrope_section"})
      if (!given) given = set.get(key);
    if (!given && sections->is_null())
      fail(reading_, set.path + ".mrope_section", "be given for this family", "nothing");
    const Value value = given ? given : Value{&*sections, set.path + ".mrope_section", true};
    out.sections = fitted(to_integers(reading_, value), out.rule, pairs, value);
    out.num_axes = rule->value("axes_from_sections", false) ? static_cast<int>(out.sections.size()) : 3;
    sources.push_back(value.source("sections"));
    const int sum = std::accumulate(out.sections.begin(), out.sections.end(), 0);
    if (value.assumed && sum != pairs)
      throw AssumedMismatch{"the family's default sections " + show(*value.json) + " do not fit " +
                            std::to_string(pairs) + " pairs: transformers 5 fails on this configuration"};
    return out;
  }

  // "frequency_lists": [{"count", "base", "axes"}, ...] (keys): lists of their own bases one after the other; what is
  // left does not turn.
  GivenFrequencies frequency_lists(const Json& lists, RopeSpec& s) const {
    std::vector<std::pair<int, double>> turns;  // axis, frequency
    int axis = 0;
    for (const Json& list : lists) {
      const std::string count_key = list.at("count").get<std::string>();
      const int count = view_.require_size(count_key), axes = list.value("axes", 1);
      if (static_cast<std::int64_t>(turns.size()) + std::int64_t{count} * axes > s.rotary_dim / 2)
        fail(reading_, view_.path_of(count_key), "fit into the head of " + std::to_string(s.head_dim) + " channels",
             std::to_string(count));
      RopeSpec one;
      one.head_dim = one.rotary_dim = 2 * count;
      const Value base = view_.get(list.at("base").get<std::string>());
      one.base = base ? to_number(reading_, base) : 10000;
      if (!(one.base > 1)) fail(reading_, base.path, "be above 1", show(*base.json));
      const RotationMap map = make_rotation_map(one, 0, reading_.options.arithmetic);
      for (int i = 0; i < axes; ++i, ++axis)
        for (const Frequency& f : map.frequency) turns.emplace_back(axis, f.hi);
    }
    s.axes.num_axes = axis;
    GivenFrequencies out;
    out.frequencies.resize(static_cast<std::size_t>(s.rotary_dim / 2 * axis));
    for (std::size_t i = 0; i < turns.size(); ++i)
      out.frequencies[i * static_cast<std::size_t>(axis) + static_cast<std::size_t>(turns[i].first)] = turns[i].second;
    return out;
  }

  // The key that the rotary width comes from.
  std::string width_key(const RopeParameters& set) const {
    if (const Value share = set.get("partial_rotary_factor")) return share.path;
    for (const char* column : {"width", "absolute_width"})
      if (const auto key = row_.find(column); key != row_.end() && key->is_string())
        if (const Value width = view_.get(key->get<std::string>())) return width.path;
    return view_.path_of("head_dim");
  }

  void set_rotary_width(RopeSpec& s, const RopeParameters& set, const Widths& w, std::vector<Source>& sources) const {
    // Towers of three axes and more drop the channels that do not divide among them.
    const int axes_count = axes_of_rule();
    const int width = axes_count > 2 ? axes_count * 2 * (w.rotary / axes_count / 2) : w.rotary;
    const double exact = width * partial(set, w, s.scaling, sources);
    const std::string key = width_key(set);
    if (!(exact >= 1 && exact <= s.head_dim))
      fail(reading_, key, "give a rotary width in 2 .. " + std::to_string(s.head_dim), show(Json(exact)));
    const int share = static_cast<int>(exact);  // truncated, as int() does
    s.rotary_dim = share + share % 2;
    if (share % 2 == 0) return;
    if (s.rotary_dim > s.head_dim && row_.value("head_dim_floors", false))
      throw AssumedMismatch{"hidden_size / num_attention_heads gives the odd head_dim " + std::to_string(share) +
                            ": transformers 5 fails on this configuration"};
    if (!reading_.as_transformers() || s.rotary_dim > s.head_dim)
      fail(reading_, key, "give an even rotary width", std::to_string(share));
    reading_.warn(key, "gives the odd rotary width " + std::to_string(share) + ": transformers 5 rounds up to " +
                           std::to_string(s.rotary_dim) + " channels and keeps the odd number in the exponent");
    s.frequency_dim = share;
  }

  RopeSpec spec(const RopeParameters& set, const LayerGroup& layers, std::vector<Source>& sources) const {
    RopeSpec s;
    const Widths w = widths(layers.type);
    s.head_dim = w.head;
    add_width_sources(sources);
    s.scaling = read_scaling(set, view_, !set.label.empty(), sources);
    set_rotary_width(s, set, w, sources);
    s.rotary_offset = text_of(row_, "slice", "leading") == "trailing" ? s.head_dim - s.rotary_dim : 0;
    const std::string pairing = pairing_name();
    s.pairing = pairing == "half" ? Pairing::kHalf : Pairing::kInterleaved;
    s.output_pairing = pairing == "interleaved_to_half" ? Pairing::kHalf : s.pairing;
    s.negate_angle = row_.value("negate_angle", false);
    s.base = base(set, layers, sources);
    s.axes = axes(set, s.rotary_dim / 2, sources);
    if (const auto lists = row_.find("frequency_lists"); lists != row_.end()) s.scaling = frequency_lists(*lists, s);
    if (row_.value("coordinate", false)) s.angle_multiplier = 6.283185307179586;
    if (const auto limit = view_.number("max_position_embeddings"); limit && *limit >= 0) s.max_position = *limit;
    return s;
  }

  double base(const RopeParameters& set, const LayerGroup& layers, std::vector<Source>& sources) const {
    const Value value = layers.base ? *layers.base : set.get("rope_theta");
    const auto factor_key = row_.find("base_factor");
    const Value factor = factor_key == row_.end() ? Value{} : view_.get(factor_key->get<std::string>());
    if (factor) sources.push_back(factor.source("base factor"));
    const double scale = factor ? to_number(reading_, factor) : 1;
    if (!value || row_.value("fixed_base", false)) {
      sources.push_back({"base", set.path + ".rope_theta", "10000", true});
      return 10000 * scale;
    }
    sources.push_back(value.source("base"));
    return to_number(reading_, value) * scale;
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
    const double m = attention_magnitude(s, all_dim);
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
      out.head_dim = widths(layers.type).head;
      out.rotation.not_a_rotation = reason;
      return out;
    }
    // Checks of numbers are the core's; here they get the file's name and the dictionary's path.
    try {
      const RopeSpec s = spec(set, layers, out.sources);
      out.rotation = layer_rotation(s, set);
      out.head_dim = s.head_dim;
      out.spec = s;
    } catch (const AssumedMismatch& mismatch) {
      reading_.warn(set.path, mismatch.reason);
      out.head_dim = widths(layers.type).head;
      out.rotation.not_a_rotation = mismatch.reason;
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(reading_.name + ": " + with_key(error.what(), set.path, out.sources));
    }
    return out;
  }

  static double attention_magnitude(double factor, double k) {
    return factor <= 1 ? 1.0 : 0.1 * k * std::log(factor) + 1.0;
  }

  const ConfigView& view_;
  Reading& reading_;
  const Json& row_;
  std::string model_type_;
  bool is_overlay_;
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
