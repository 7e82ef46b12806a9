#include "cli/explain_json.h"

#include <cmath>

#include "cli/passages.h"
#include "rotary/bands.h"

namespace rotary::cli {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(double x) { return x > 0 ? Json(x) : Json(); }

std::string_view name_of(BandEffect effect) {
  constexpr std::string_view kNames[] = {"kept", "divided", "blended", "still", "given"};
  return kNames[static_cast<std::size_t>(effect)];
}

Json bands_json(const RopeSpec& spec, std::int64_t seq_len) {
  Json out = Json::array();
  for (const Band& b : frequency_bands(spec, seq_len)) {
    out.push_back({{"begin", b.begin}, {"end", b.end}, {"effect", name_of(b.effect)}});
    if (b.effect != BandEffect::kStill) {
      out.back()["divisors"] = {b.first_divisor, b.last_divisor};
      out.back()["wavelengths"] = {b.first_wavelength, b.last_wavelength};
    }
    out.back()["turns_in_training"] = trained_length(spec) > 0 ? Json(b.turns_in_training) : Json();
  }
  return out;
}

Json facts_json(const ModelRotation& r, const ReadOptions& options) {
  const RopeSpec& spec = *r.spec;
  const double f = r.rotation.query.attention_factor;
  return {{"rope_type", scaling_name(spec.scaling)},
          {"base", spec.base},
          {"pairing", to_string(spec.pairing)},
          {"head_dim", spec.head_dim},
          {"rotary_dim", rotary_dim(r.rotation.query)},
          {"trained_length", or_null(trained_length(spec))},
          {"max_position", or_null(spec.max_position)},
          {"attention_factor", f},
          {"logit_factor", f * f},
          {"softmax_factor", r.rotation.softmax_factor},
          {"query_scale", r.rotation.query_scale},
          {"bands", bands_json(spec, options.seq_len)}};
}

}  // namespace

Json to_json(const Recommendation& r) {
  Json out{{"advice", to_string(r.advice)},
           {"target_length", r.target_length},
           {"limit", or_null(r.limit)},
           {"original", or_null(r.original)},
           {"factor", r.factor},
           {"component", r.component},
           {"layer_type", r.layer_type.empty() ? Json() : Json(r.layer_type)},
           {"summary", r.summary},
           {"settings", Json::array()},
           {"caveats", r.caveats}};
  for (const EngineSetting& s : r.settings)
    out["settings"].push_back({{"engine", s.engine}, {"place", s.place}, {"text", s.text}, {"outcome", s.outcome}});
  if (r.after) out["bands"] = bands_json(*r.after, 0);
  return out;
}

Json explanation_json(const ModelConfig& config, const ReadOptions& options) {
  Json out{{"model_type", config.model_type}, {"reference", to_string(config.reference)}, {"rotations", Json::array()}};
  for (const ModelRotation& r : config.rotations) {
    out["rotations"].push_back({{"component", r.component}, {"part", r.part}});
    Json& one = out["rotations"].back();
    one["layers"] = r.all_layers ? Json("all") : Json(r.layers);
    one["layer_type"] = r.layer_type.empty() ? Json() : Json(r.layer_type);
    one["facts"] = r.spec ? facts_json(r, options) : Json();
    one["passages"] = to_json(explain_rotation(r, options));
  }
  out["warnings"] = Json::array();
  for (const ConfigWarning& w : config.warnings) out["warnings"].push_back({{"key", w.key}, {"message", w.message}});
  return out;
}

}  // namespace rotary::cli
