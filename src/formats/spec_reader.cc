#include "formats/spec_reader.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "formats/scaling_reader.h"

namespace rotary::detail {
namespace {

struct Widths {
  int head = 0;    // channels of the vector
  int rotary = 0;  // what partial_rotary_factor is a share of
};

class SpecReader {
 public:
  SpecReader(const ConfigView& view, ViewOf view_of)
      : view_(view), reading_(view.reading()), row_(view.row()), view_of_(view_of) {}

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
      out.rotary = std::max(quotient(rule->at("quotient")), rule->value("minimum", 1));
    } else if (view_.get(rule->get<std::string>()) || !row_.contains("width_if_null")) {
      out.rotary = view_.require_size(rule->get<std::string>());
    } else {
      out.rotary = view_.require_size(text_of(row_, "width_if_null"));
    }
    return out;
  }

  RopeSpec spec(const RopeParameters& set, const std::string& layer_type, const std::optional<Value>& own_base,
                std::vector<Source>& sources) const {
    RopeSpec s;
    const Widths w = widths(layer_type);
    s.head_dim = w.head;
    add_width_sources(sources);
    s.scaling = read_scaling(set, view_, !set.label.empty(), sources);
    set_rotary_width(s, set, w, sources);
    s.rotary_offset = text_of(row_, "slice", "leading") == "trailing" ? s.head_dim - s.rotary_dim : 0;
    const std::string pairing = pairing_name();
    s.pairing = pairing == "half" ? Pairing::kHalf : Pairing::kInterleaved;
    s.output_pairing = pairing == "interleaved_to_half" ? Pairing::kHalf : s.pairing;
    s.negate_angle = row_.value("negate_angle", false);
    s.base = base(set, own_base, sources);
    s.axes = axes(set, s.rotary_dim / 2, sources);
    if (const auto lists = row_.find("frequency_lists"); lists != row_.end()) s.scaling = frequency_lists(*lists, s);
    if (row_.value("coordinate", false)) s.angle_multiplier = 6.283185307179586;
    s.angle_multiplier /= row_.value("position_divisor", 1.0);
    if (const auto limit = view_.number("max_position_embeddings"); limit && *limit >= 0) s.max_position = *limit;
    return s;
  }

 private:
  // The entry of "per_type" for a layer type; empty for families with one set.
  const Json& rule_for(const std::string& type) const {
    static const Json empty = Json::object();
    const auto per_type = row_.find("per_type");
    if (per_type == row_.end()) return empty;
    const auto found = per_type->find(label_of(row_, type));
    return found == per_type->end() ? empty : *found;
  }

  // The first key divided by the others (keys or numbers) in turn, rounding down.
  int quotient(const Json& terms) const {
    int size = view_.require_size(terms[0].get<std::string>());
    for (std::size_t i = 1; i < terms.size(); ++i)
      size /= terms[i].is_number() ? terms[i].get<int>() : view_.require_size(terms[i].get<std::string>());
    return size;
  }

  int divided(const std::string& total, const std::string& parts) const {
    const int a = view_.require_size(total), b = view_.require_size(parts);
    if (a % b != 0 && !row_.value("head_dim_floors", false))
      fail(reading_, view_.get(total).path,
           "divide by " + view_.get(parts).path + " = " + std::to_string(b) + " (head_dim is not given)",
           std::to_string(a));
    return a / b;
  }

  // Whether this view is of a layer with its own entries and they hold the key.
  bool overlay_sets(const char* key) const {
    return !view_.node().contains("per_layer_config") && view_.node().contains(key) && view_of_ == ViewOf::kLayer;
  }

  int plain_head_dim(const std::string& type) const {
    const Json& rule = rule_for(type);
    if (rule.contains("head_dim") && overlay_sets("head_dim")) return view_.require_size("head_dim");
    for (const Json& key : rule.value("head_dim", Json::array()))
      if (view_.get(key.get<std::string>())) return view_.require_size(key.get<std::string>());
    if (!row_.value("head_dim_derived", false) && view_.get("head_dim")) return view_.require_size("head_dim");
    if (const auto terms = row_.find("head_quotient"); terms != row_.end()) return quotient(*terms);
    return divided("hidden_size", "num_attention_heads");
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
          reading_.depart(width.path,
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
    if (!honoured && reading_.as_transformers() && !reading_.as(Reference::kVllm)) {
      if (std::holds_alternative<DefaultScaling>(scaling)) {
        reading_.depart(
            value.path,
            "ignored by transformers 5 for this family with rope_type 'default': the whole head rotates; lost: " +
                show(*value.json));
        return 1;
      }
      reading_.depart(value.path,
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
    reading_.depart(value.path, "does not sum to the " + std::to_string(pairs) +
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
    out.frequencies.resize(static_cast<std::size_t>(s.rotary_dim / 2) * static_cast<std::size_t>(axis));
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
    const bool derived = row_.contains("set") && !view_.get("head_dim");
    return derived ? view_.get("hidden_size").path : view_.path_of("head_dim");
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
    reading_.depart(key, "gives the odd rotary width " + std::to_string(share) + ": transformers 5 rounds up to " +
                             std::to_string(s.rotary_dim) + " channels and keeps the odd number in the exponent");
    s.frequency_dim = share;
  }

  double base(const RopeParameters& set, const std::optional<Value>& own_base, std::vector<Source>& sources) const {
    const Value value = own_base ? *own_base : set.get("rope_theta");
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

  const ConfigView& view_;
  Reading& reading_;
  const Json& row_;
  ViewOf view_of_;
};

}  // namespace

std::string text_of(const Json& row, const char* column, const std::string& otherwise) {
  const auto found = row.find(column);
  return found == row.end() ? otherwise : found->get<std::string>();
}

std::string label_of(const Json& row, const std::string& layer_type) {
  const auto labels = row.find("labels");
  if (labels == row.end()) return layer_type;
  const auto found = labels->find(layer_type);
  return found == labels->end() ? layer_type : found->get<std::string>();
}

int read_head_dim(const ConfigView& view, ViewOf view_of, const std::string& layer_type) {
  return SpecReader(view, view_of).widths(layer_type).head;
}

RopeSpec read_spec(const ConfigView& view, ViewOf view_of, const RopeParameters& set, const std::string& layer_type,
                   const std::optional<Value>& own_base, std::vector<Source>& sources) {
  return SpecReader(view, view_of).spec(set, layer_type, own_base, sources);
}

}  // namespace rotary::detail
