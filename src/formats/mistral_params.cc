// params.json of Mistral's releases.
//
//   names, yarn   vllm, transformers_utils/configs/mistral.py: alpha is beta_slow, beta is beta_fast, apply_scale false
//                 means an attention factor of 1
//   rope_theta    absent: 1000000 (mistral-inference, transformer.py), but 10000 with a sliding window, as its code
//                 had it when 7B v0.1, the one such release, came out
//   pairing       interleaved (mistral-inference, rope.py)
//   vision        Pixtral's table in two axes (mistral-inference, vision_encoder.py and rope.py)
#include <set>

#include "formats/dialect.h"

namespace rotary::detail {
namespace {

void add_yarn(const ConfigView& file, const Value& yarn, bool latent, Json& row) {
  static const std::set<std::string> kKeys{"factor", "original_max_position_embeddings", "alpha", "beta",
                                           "apply_scale"};
  Reading& reading = file.reading();
  for (const auto& [key, value] : yarn.json->items())
    if (!kKeys.contains(key)) reading.warn(yarn.path + "." + key, "unknown key, ignored: " + show(value));
  for (const char* key : {"factor", "original_max_position_embeddings"})
    if (!file.get(key)) fail(reading, yarn.path + "." + key, "be given", "nothing");
  Json& defaults = row["defaults"];
  defaults.update({{"rope_type", "yarn"}, {"yarn.beta", 32}, {"yarn.alpha", 1}});
  const Value apply = file.get("yarn.apply_scale");
  if (apply && !to_boolean(reading, apply)) {
    defaults["attention_factor"] = 1.0;
  } else if (latent) {
    // As DeepSeek's: the magnitude goes to the softmax.
    defaults.update({{"mscale", 1.0}, {"mscale_all_dim", 1.0}});
    row["softmax"] = "mscale_all_dim";
  }
}

void add_temperature(const ConfigView& file, const Value& rule, Json& row) {
  for (const char* key : {"beta", "original_max_position_embeddings"}) {
    const Value value = member(*rule.json, rule.path, key);
    if (!value) fail(file.reading(), rule.path + "." + key, "be given", "nothing");
    if (!(to_number(file.reading(), value) > 0))
      fail(file.reading(), value.path, "be a number above 0", show(*value.json));
  }
  row["temperature"] = {{"beta", "llama_4_scaling.beta"},
                        {"floor", "llama_4_scaling.original_max_position_embeddings"}};
}

void add_towers(const ConfigView& file, ModelConfig& out) {
  Reading& reading = file.reading();
  const Value multimodal = object_member(file, "multimodal");
  const Value inside = multimodal ? member(*multimodal.json, multimodal.path, "vision_encoder_args") : Value{};
  add_component(inside ? inside : file.in_file("vision_encoder"), "pixtral", {{"pairing", "interleaved"}}, reading,
                out);
  if (const Value audio = file.get("multimodal.whisper_model_args.encoder_args.pos_embed");
      audio && *audio.json == "rope")
    reading.warn(audio.path, "the rotation of the audio encoder is not read");
}

}  // namespace

void read_mistral_params(const Json& root, Reading& reading, ModelConfig& out) {
  const ConfigView file(root, "", dialect_row("mistral"), reading, "");
  Json row = file.row();
  const Value type = file.get("model_type");
  if (type && to_text(reading, type) == "mamba") row["never"] = "no rotation: a state-space model";
  const bool latent = file.get("qk_rope_head_dim") || file.get("qk_nope_head_dim");
  if (latent)
    row.update(
        {{"head", {"qk_nope_head_dim", "qk_rope_head_dim"}}, {"width", "qk_rope_head_dim"}, {"slice", "trailing"}});
  row["defaults"] = {{"rope_theta", file.get("sliding_window") ? 10000.0 : 1000000.0}};
  const Value yarn = object_member(file, "yarn"), temperature = object_member(file, "llama_4_scaling");
  if (yarn && !yarn.json->empty()) add_yarn(file, yarn, latent, row);
  if (temperature) add_temperature(file, temperature, row);
  out.model_type = type && *type.json == "mamba" ? "mamba" : "mistral";
  add_rotations(file.with_row(row), out.model_type, out);
  add_towers(file, out);
}

}  // namespace rotary::detail
