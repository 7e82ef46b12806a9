#include "formats/rope_parameters.h"

#include <algorithm>

namespace rotary::detail {
namespace {

const char* const kScaling = "rope_scaling";
const char* const kParameters = "rope_parameters";

// A dictionary of the file; an empty one counts as absent, anything but an object is an error.
Value dictionary(const ConfigView& view, const std::string& key) {
  const Value value = member(view.node(), view.path(), key);
  if (!value) return {};
  if (!value.json->is_object()) fail(view.reading(), value.path, "be an object or null", show(*value.json));
  return value.json->empty() ? Value{} : value;
}

Value default_dictionary(const ConfigView& view) {
  const auto defaults = view.row().find("defaults");
  return defaults == view.row().end() ? Value{} : member(*defaults, view.path(), kParameters, true);
}

void merge(RopeParameters& into, const Value& from) {
  for (const auto& [key, value] : from.json->items()) {
    if (value.is_null())
      into.nulls.insert(key);
    else
      into.values[key] = {&value, from.path + "." + key, from.assumed};
  }
}

// Keys that are read as one value and so never name a set.
bool is_scalar_key(const std::string& key) {
  static const std::set<std::string> kKeys{"rope_type",        "type",
                                           "rope_theta",       "partial_rotary_factor",
                                           "factor",           "original_max_position_embeddings",
                                           "attention_factor", "beta_fast",
                                           "beta_slow",        "mscale",
                                           "mscale_all_dim",   "truncate",
                                           "short_factor",     "long_factor",
                                           "low_freq_factor",  "high_freq_factor",
                                           "mrope_section"};
  return kKeys.contains(key);
}

bool differ(const Value& x, const Value& y) { return *x.json != *y.json; }

std::string pair_text(const Value& x, const Value& y) {
  return show(*x.json) + " at " + x.path + " and " + show(*y.json) + " at " + y.path;
}

// The dictionary in the spelling of transformers 5. 4.57 does not know it; mlx-lm 0.31.3 reads rope_theta and
// rope_scaling (mlx_lm/models/*.py but for seven files).
Value v5_dictionary(const ConfigView& view) {
  const Value given = dictionary(view, kParameters);
  Reading& reading = view.reading();
  if (given && reading.as(Reference::kTransformers4)) {
    reading.warn(given.path,
                 "not known to transformers 4.57, which reads rope_theta and rope_scaling; lost: " + show(*given.json));
    return {};
  }
  if (given && reading.as(Reference::kMlxLm))
    reading.depart(given.path,
                   "most models of mlx-lm 0.31.3 read rope_theta and rope_scaling instead, and fall back on "
                   "defaults of their own");
  return given;
}

// These read the number beside, whatever a dictionary holds.
bool reads_beside_only(const Reading& reading, const std::string& key) {
  return reading.as(Reference::kTransformers4) || (reading.as(Reference::kMlxLm) && key == "rope_theta");
}

// The value inside the dictionary wins over the one beside it; the original reading refuses a contradiction.
void settle(RopeParameters& parameters, const ConfigView& view, const std::string& key) {
  if (reads_beside_only(view.reading(), key) && dictionary(view, kScaling)) {
    const Value inside = parameters.get(key), beside = view.get(key);
    if (inside && !inside.assumed && (!beside || differ(inside, beside)))
      view.reading().warn(inside.path, "not read there by " + name_and_release(*view.reading().options.reference) +
                                           "; lost: " + show(*inside.json));
    parameters.values.erase(key);
  } else if (view.reading().as(Reference::kTransformers4)) {
    parameters.values.erase(key);  // of the default dictionary
  }
  const Value inside = parameters.get(key);
  if (!inside) {
    if (Value beside = view.get(key)) parameters.values[key] = beside;
    return;
  }
  const Value beside = view.in_file(key);
  if (!beside || !differ(inside, beside)) return;
  Reading& reading = view.reading();
  if (!reading.as_transformers()) {
    if (!inside.assumed) fail(reading, inside.path, "agree with " + beside.path, pair_text(inside, beside));
    parameters.values[key] = beside;
    return;
  }
  reading.depart(beside.path,
                 "ignored by transformers 5: " + inside.path + " = " + show(*inside.json) +
                     (inside.assumed ? " of the family's default dictionary" : "") +
                     " wins; lost: " + show(*beside.json),
                 kThroughTransformers);
}

void warn_lost(const ConfigView& view, const Value& lost, const std::string& why) {
  if (lost && view.reading().as_transformers())
    view.reading().depart(lost.path, "ignored by transformers 5: " + why + "; lost: " + show(*lost.json),
                          kThroughTransformers);
}

// Families that read one number beside and no dictionary at all.
RopeParameters read_number_only(const ConfigView& view) {
  RopeParameters out;
  out.path = view.path_of(kParameters);
  for (const char* key : {kScaling, kParameters})
    warn_lost(view, dictionary(view, key), "this family reads no dictionary");
  if (Value base = view.get("rope_theta")) out.values["rope_theta"] = base;
  return out;
}

// Dialects without a dictionary: the keys that "set" lists stand beside the others.
RopeParameters read_listed(const ConfigView& view, const Json& names) {
  RopeParameters out;
  out.path = view.path_of(view.row().value("set_path", "rope"));
  for (const Json& name : names)
    if (Value value = view.get(name.get<std::string>())) out.values[name.get<std::string>()] = value;
  return out;
}

RopeParameters read_flat(const ConfigView& view) {
  if (const auto names = view.row().find("set"); names != view.row().end()) return read_listed(view, *names);
  if (view.row().value("no_dictionary", false)) return read_number_only(view);
  const Value scaling = dictionary(view, kScaling), given = v5_dictionary(view);
  Reading& reading = view.reading();
  RopeParameters out;
  const Value fallback = default_dictionary(view);
  const Value chosen = scaling ? scaling : given ? given : fallback;
  out.path = chosen ? chosen.path : view.path_of(kParameters);
  if (scaling && given) {
    if (reading.as_transformers()) {
      reading.depart(given.path, "ignored by transformers 5: " + scaling.path + " is given too and wins",
                     kThroughTransformers);
    } else {
      for (const auto& [key, value] : given.json->items())
        if (const Value other = member(*scaling.json, scaling.path, key); other && *other.json != value)
          fail(reading, other.path, "agree with " + given.path + "." + key, show(*other.json) + " and " + show(value));
      merge(out, given);
    }
  }
  if (chosen) merge(out, chosen);
  settle(out, view, "rope_theta");
  settle(out, view, "partial_rotary_factor");
  return out;
}

bool holds_dictionary_for(const Json& dictionary, const std::vector<std::string>& labels) {
  return std::any_of(labels.begin(), labels.end(),
                     [&](const std::string& label) { return dictionary.contains(label); });
}

// A list with one entry per layer (the first layer of the type counts) or one per layer type, as published files have
// it.
Value element(const Value& list, const PlannedType& type, const std::vector<std::string>& labels,
              const Reading& reading) {
  if (!list || !list.json->is_array()) return list;
  const bool by_layer = list.json->size() > labels.size();
  const auto place = std::find(labels.begin(), labels.end(), type.label) - labels.begin();
  const auto index = by_layer ? static_cast<std::size_t>(type.first_layer) : static_cast<std::size_t>(place);
  if (index >= list.json->size())
    fail(reading, list.path, "have one entry per layer or per layer type", show(*list.json));
  const Value entry{&(*list.json)[index], list.path + "[" + std::to_string(index) + "]", list.assumed};
  return entry.json->is_null() ? Value{} : entry;
}

// The first of the named keys that the file has.
Value first_key(const ConfigView& view, const Json& rule, const char* name, const PlannedType& type,
                const std::vector<std::string>& labels) {
  for (const Json& key : rule.value(name, Json::array()))
    if (const Value found =
            element(member(view.node(), view.path(), key.get<std::string>()), type, labels, view.reading()))
      return found;
  return {};
}

// A value that older files hold beside the dictionaries, then the family's default for the label.
void fill(RopeParameters& out, const ConfigView& view, const Json& rule, const std::string& key,
          const std::string& name, const PlannedType& type, const std::vector<std::string>& labels) {
  const Value inside = out.get(key);
  if (inside && !inside.assumed) return;
  const bool legacy = view.row().value("legacy", true);
  if (const Value found = first_key(view, rule, name.c_str(), type, labels)) {
    if (legacy || !view.reading().as_transformers()) {
      out.values[key] = found;
      return;
    }
    warn_lost(view, found, "this family reads rope_parameters only");
  }
  if (inside) return;
  if (const auto fixed = rule.find("default_" + name); fixed != rule.end())
    out.values[key] = {
        &*fixed, rule.contains(name) ? view.path_of(rule.at(name).at(0).get<std::string>()) : out.path + "." + key,
        true};
}

// What one flat dictionary says about one of several layer types: as the older spelling would, the base goes to the
// types whose base is rope_theta and the rest to the types that scale; to all where the family makes no such
// difference.
void merge_flat(RopeParameters& into, const Value& flat, const ConfigView& view) {
  const auto reads_theta = [](const Json& rule) {
    const Json keys = rule.value("base", Json::array());
    return keys.empty() || std::find(keys.begin(), keys.end(), "rope_theta") != keys.end();
  };
  const auto scales = [](const Json& rule) { return rule.value("scaling", false); };
  const Json& rules = view.row().at("per_type");
  const Json& own = rules.at(into.label);
  const bool all_theta = std::none_of(rules.begin(), rules.end(), reads_theta);
  const bool all_scale = std::none_of(rules.begin(), rules.end(), scales);
  RopeParameters found;
  merge(found, flat);
  for (const auto& [key, value] : found.values)
    if (key == "rope_theta" ? all_theta || reads_theta(own) : all_scale || scales(own)) into.values[key] = value;
}

// transformers 5 puts rope_scaling over sets that say rope_type = default, where `type` alone changes nothing.
void forget_type(RopeParameters& out, const ConfigView& view) {
  const Value type = out.get("type");
  const Reading& reading = view.reading();
  if (!type || out.get("rope_type") || !reading.as_transformers() || reading.as(Reference::kTransformers4)) return;
  if (to_text(view.reading(), type) != "default")
    warn_lost(view, type, "this family reads rope_type only, and type does not stand for it");
  out.values.erase("type");
}

// One set of a family with sets per layer type. `rule` is the family's row entry for the label.
RopeParameters read_labelled(const ConfigView& view, const PlannedType& type, const Json& rule,
                             const std::vector<std::string>& labels) {
  const std::string& label = type.label;
  Reading& reading = view.reading();
  const bool legacy = view.row().value("legacy", true);  // whether 4.x keys are read at all
  const Value scaling = dictionary(view, kScaling), given = v5_dictionary(view);
  const bool nested = given && holds_dictionary_for(*given.json, labels);
  RopeParameters out;
  out.label = label;
  out.path = view.path_of(kParameters) + "." + label;
  const Value fallback = default_dictionary(view);
  const bool use_fallback = fallback && !nested;
  const Value base = nested ? given : use_fallback ? fallback : Value{};
  if (base) {
    const auto entry = base.json->find(label);
    const bool null = entry != base.json->end() && entry->is_null();
    if (null && view.row().value("null_is_none", false)) {
      out.none = true;
      return out;
    }
    if (entry != base.json->end() && !null) {
      if (!entry->is_object()) fail(reading, base.path + "." + label, "be an object or null", show(*entry));
      merge(out, {&*entry, base.path + "." + label, base.assumed});
    } else if (nested && !null && !legacy) {
      fail(reading, out.path, "be given (every layer type in use needs a set)", "nothing");
    }
  }
  const bool flat = given && !nested;
  const bool takes_scaling = rule.value("scaling", false);
  if (flat && view.row().value("flat_parameters", false)) {
    if (takes_scaling) merge(out, given);
    out.values.erase("rope_theta");  // the keys beside count
  } else if (flat && reading.as_transformers()) {
    warn_lost(view, given, "this family reads one dictionary per layer type");
  } else if (flat) {
    merge_flat(out, given, view);
  }
  if (scaling && holds_dictionary_for(*scaling.json, labels)) {
    if (const Value own = member(*scaling.json, scaling.path, label); own && own.json->is_object()) merge(out, own);
  } else if (scaling && (takes_scaling && legacy)) {
    merge(out, scaling);
    if (!base && view.row().value("preset_rope_type", false)) forget_type(out, view);
  } else if (scaling && !legacy) {
    if (reading.as_transformers())
      warn_lost(view, scaling, "this family reads rope_parameters only");
    else
      merge(out, scaling);
  }
  fill(out, view, rule, "rope_theta", "base", type, labels);
  fill(out, view, rule, "partial_rotary_factor", "partial", type, labels);
  return out;
}

}  // namespace

std::vector<RopeParameters> read_rope_parameters(const ConfigView& view, const std::vector<PlannedType>& types) {
  for (const Json& key : view.row().value("ignored_keys", Json::array()))
    warn_lost(view, member(view.node(), view.path(), key.get<std::string>()), "this family does not read it");
  std::vector<std::string> labels;
  for (const PlannedType& type : types) labels.push_back(type.label);
  const auto per_type = view.row().find("per_type");
  if (per_type != view.row().end()) {
    std::vector<RopeParameters> out;
    for (const PlannedType& type : types)
      if (const auto rule = per_type->find(type.label); rule != per_type->end())
        out.push_back(read_labelled(view, type, *rule, labels));
    return out;
  }
  RopeParameters flat = read_flat(view);
  std::vector<std::string> nested;
  for (const auto& [key, value] : flat.values)
    if (value.json->is_object() && !is_scalar_key(key)) nested.push_back(key);
  if (nested.empty()) return {flat};
  Reading& reading = view.reading();
  const bool by_type =
      std::all_of(labels.begin(), labels.end(), [&](const std::string& l) { return flat.values.contains(l); }) &&
      !labels.empty();
  if (by_type && !reading.as_transformers()) {
    std::vector<RopeParameters> out;
    for (const std::string& label : labels) {
      RopeParameters one;
      one.label = label;
      one.path = flat.path + "." + label;
      one.values = flat.values;
      for (const std::string& key : nested) one.values.erase(key);
      merge(one, flat.get(label));
      out.push_back(one);
    }
    return out;
  }
  if (by_type)
    fail(reading, flat.path,
         "be one flat dictionary for this family (transformers 5 fails on sets per layer type here)",
         show(*flat.get(nested[0]).json));
  for (const std::string& key : nested) {
    reading.warn(flat.get(key).path, "unknown key; this family has one set of rope parameters for all layers");
    flat.values.erase(key);
  }
  return {flat};
}

std::string rope_type_of(const RopeParameters& parameters, const ConfigView& view) {
  const Value rope_type = parameters.get("rope_type"), type = parameters.get("type");
  if (rope_type && type && differ(rope_type, type)) {
    Reading& reading = view.reading();
    if (!reading.as_transformers())
      fail(reading, rope_type.path, "agree with " + type.path, pair_text(rope_type, type));
    reading.depart(type.path, "ignored: " + rope_type.path + " = " + show(*rope_type.json) + " wins");
  }
  const Value chosen = rope_type ? rope_type : type;
  if (!chosen) return "default";
  const std::string name = to_text(view.reading(), chosen);
  if (const auto aliases = view.row().find("types"); aliases != view.row().end())
    if (const auto alias = aliases->find(name); alias != aliases->end()) return alias->get<std::string>();
  return name;
}

}  // namespace rotary::detail
