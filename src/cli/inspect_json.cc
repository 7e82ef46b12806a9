#include "cli/inspect_json.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace rotary::cli {
namespace {

using Json = nlohmann::ordered_json;

// [a, b, frequency, axis]; lists where several axes turn the pair. Frequencies per head are printed for the first set.
Json pair_json(const RotationMap& map, int pair) {
  const ChannelPair& p = map.pairs[static_cast<std::size_t>(pair)];
  const int axis = axis_of(map, pair);
  if (axis != -2) return Json::array({p.a, p.b, axis < 0 ? 0.0 : map.at(0, pair, axis).hi, axis < 0 ? 0 : axis});
  Json frequencies = Json::array(), axes = Json::array();
  for (int i = 0; i < map.num_axes; ++i) {
    if (map.at(0, pair, i).hi == 0) continue;
    frequencies.push_back(map.at(0, pair, i).hi);
    axes.push_back(i);
  }
  return Json::array({p.a, p.b, frequencies, axes});
}

Json pairs_json(const RotationMap& map) {
  Json out = Json::array();
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) out.push_back(pair_json(map, i));
  return out;
}

Json out_pairs_json(const RotationMap& map) {
  bool moved = false;
  Json out = Json::array();
  for (const ChannelPair& p : map.pairs) {
    moved |= p.a != p.c || p.b != p.d;
    out.push_back({p.c, p.d});
  }
  return moved ? out : Json();
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

Json source_json(const Source& s) {
  return {{"field", s.field}, {"key", s.key}, {"value", s.value}, {"assumed", s.assumed}};
}

Json spec_json(const RopeSpec& s) {
  Json out{{"rope_type", scaling_name(s.scaling)}, {"base", s.base}, {"pairing", to_string(s.pairing)}};
  if (s.output_pairing != s.pairing) out["output_pairing"] = to_string(s.output_pairing);
  out["rotary_offset"] = s.rotary_offset;
  out["axis_rule"] = to_string(s.axes.rule);
  if (!s.axes.sections.empty()) out["sections"] = s.axes.sections;
  out["max_position"] = s.max_position > 0 ? Json(s.max_position) : Json();
  return out;
}

Json temperature_json(const QueryScaleRule& rule) {
  if (rule.kind == QueryScaleRule::Kind::kNone) return {};
  const char* kind = rule.kind == QueryScaleRule::Kind::kLogN    ? "log_n"
                     : rule.kind == QueryScaleRule::Kind::kPower ? "power"
                                                                 : "log_floor";
  return {{"kind", kind}, {"beta", rule.beta}, {"floor_scale", rule.floor_scale}, {"shift", rule.shift}};
}

void add_rotation(Json& out, const ModelRotation& r) {
  const LayerRotation& layer = r.rotation;
  out["spec"] = spec_json(*r.spec);
  out["rotary_dim"] = rotary_dim(layer.query);
  out["layout"] = to_string(layout_class(layer.query).layout);
  out["pairs"] = pairs_json(layer.query);
  out["out_pairs"] = out_pairs_json(layer.query);
  out["axes"] = Json::array();
  for (const PositionAxis& axis : layer.axes)
    out["axes"].push_back({{"name", axis.name}, {"offset", axis.offset}, {"multiplier", axis.multiplier}});
  out["attention_factor"] = layer.query.attention_factor;
  out["softmax_factor"] = layer.softmax_factor;
  out["rotates_values"] = layer.rotates_values;
  out["rotates_output_back"] = layer.rotates_output_back;
  out["before_projection"] = layer.before_projection;
  if (!layer.heads.empty()) out["heads"] = layer.heads;
  out["fingerprint"] = hex(fingerprint(layer.query));
}

Json rotation_json(const ModelRotation& r) {
  Json out{{"component", r.component}, {"model_type", r.model_type}, {"part", r.part}};
  out["layers"] = r.all_layers ? Json("all") : Json(r.layers);
  out["layer_type"] = r.layer_type.empty() ? Json() : Json(r.layer_type);
  out["no_rotation"] = !r.rotation.rotates;
  out["head_dim"] = r.head_dim;
  if (!r.rotation.not_a_rotation.empty()) {
    out["pairs"] = nullptr;
    out["not_a_rotation"] = r.rotation.not_a_rotation;
  } else if (!r.unknown.empty() || !r.fails.empty()) {
    out["pairs"] = nullptr;
    out[r.fails.empty() ? "unknown" : "fails"] = r.fails.empty() ? r.unknown : r.fails;
  } else if (r.spec) {
    add_rotation(out, r);
  } else {
    out["rotary_dim"] = 0;
    out["pairs"] = Json::array();
    out["out_pairs"] = nullptr;
  }
  out["input_scale"] = r.rotation.query_scale;
  out["query_temperature"] = temperature_json(r.rotation.query_scale_rule);
  if (!r.note.empty()) out["note"] = r.note;
  out["sources"] = Json::array();
  for (const Source& s : r.sources) out["sources"].push_back(source_json(s));
  return out;
}

}  // namespace

std::string to_json(const ModelConfig& config, const ReadOptions& options) {
  Json out{{"model_type", config.model_type},
           {"reference", to_string(config.reference)},
           {"arithmetic", to_string(options.arithmetic)}};
  out["seq_len"] = options.seq_len > 0 ? Json(options.seq_len) : Json();
  out["files"] = Json::array();
  for (const ModelFile& f : config.files)
    out["files"].push_back({{"path", f.path}, {"format", f.format}, {"role", f.role}});
  out["rotations"] = Json::array();
  for (const ModelRotation& r : config.rotations) out["rotations"].push_back(rotation_json(r));
  out["warnings"] = Json::array();
  for (const ConfigWarning& w : config.warnings) out["warnings"].push_back({{"key", w.key}, {"message", w.message}});
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rotary::cli
