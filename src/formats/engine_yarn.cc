#include <tuple>

#include "core/scaled_frequencies.h"
#include "formats/engine_case.h"

namespace rotary::detail {
namespace {

void ignore_attention_factor(EngineCase& c, YarnScaling& s) {
  if (const Value given = c.set.get("attention_factor")) c.lost(given, "the magnitude follows from the factor");
  s.attention_factor.reset();
}

void round_range(EngineCase& c, YarnScaling& s) {
  if (!s.truncate) c.lost(c.set.get("truncate"), "the correction range is always rounded");
  s.truncate = true;
}

// m(s, mscale) / m(s, mscale_all_dim) with defaults 1 and 0: DeepSeek's own code, and what was made after it.
double deepseek_ratio(const EngineCase& c, const YarnScaling& s) {
  return yarn_magnitude(s.factor, c.number("mscale", 1)) / yarn_magnitude(s.factor, c.number("mscale_all_dim", 0));
}

bool has_sections(const EngineCase& c) { return c.spec.axes.rule != AxisRule::kOne; }

// rotary_embedding/yarn_scaling_rope.py: m(s, 1) x attn_factor; deepseek_scaling_rope.py for latent attention. mrope.py
// makes its table four times as long and takes that for the original length.
void vllm(EngineCase& c, YarnScaling& s, bool latent) {
  const double attn_factor = c.number("attn_factor", 1);
  if (latent) {
    s.attention_factor = deepseek_ratio(c, s) * attn_factor;
    return round_range(c, s);
  }
  for (const char* key : {"mscale", "mscale_all_dim"})
    if (const Value given = c.set.get(key)) c.lost(given, "read for DeepSeek's rope type only");
  const Value apply = c.set.get("apply_yarn_scaling");
  const bool scaled = !apply || to_boolean(c.view.reading(), apply);
  s.attention_factor = (scaled ? yarn_magnitude(s.factor, 1) : 1) * attn_factor;
  if (!has_sections(c)) return;
  c.warn("original_max_position_embeddings",
         c.name() + " takes four times this length for the correction range of M-RoPE");
  s.original_max_position *= 4;
}

// rotary_embedding/yarn.py: the ratio where both keys are given, times attn_factor; mrope.py knows neither key.
void sglang(EngineCase& c, YarnScaling& s, bool latent) {
  const bool mscale = bool(c.set.get("mscale")), all_dim = bool(c.set.get("mscale_all_dim"));
  if (has_sections(c) && (mscale || all_dim)) return c.fails("fails on mscale beside mrope_section (TypeError)");
  const double magnitude = latent || (mscale && all_dim) ? deepseek_ratio(c, s) : yarn_magnitude(s.factor, 1);
  s.attention_factor = magnitude * c.number("attn_factor", 1);
  if (latent) round_range(c, s);
}

// ggml's operator multiplies attn_factor by 1 + 0.1 ln s. Few loaders read the betas.
void llama_cpp(EngineCase& c, YarnScaling& s) {
  for (const char* key : {"mscale", "mscale_all_dim", "attn_factor"})
    if (c.set.get(key)) return c.unknown(c.set.path + "." + key + " (the metadata of some architectures have it)");
  round_range(c, s);
  if (s.beta_fast < s.beta_slow) return c.unknown("beta_fast below beta_slow");
  if (c.row().value("gguf_betas", false)) return;
  for (const auto& [key, beta, fixed] :
       {std::tuple{"beta_fast", &s.beta_fast, 32.0}, {"beta_slow", &s.beta_slow, 1.0}}) {
    if (*beta == fixed) continue;
    c.lost(c.set.get(key), "its loader does not read it, " + show(Json(fixed)) + " counts");
    *beta = fixed;
  }
}

// DeepSeek-2: yarn_log_multiplier holds mscale_all_dim, and cos and sin keep 1 where both are equal.
void llama_cpp_latent(EngineCase& c, YarnScaling& s) {
  if (c.number("mscale", 1) != c.number("mscale_all_dim", 0)) return c.unknown("mscale other than mscale_all_dim");
  round_range(c, s);
}

// mlx_lm/models/rope_utils.py.
void mlx_lm(EngineCase& c, YarnScaling& s) {
  round_range(c, s);
  if (!c.set.get("original_max_position_embeddings")) {
    c.warn("original_max_position_embeddings", "absent: " + c.name() + " takes 4096");
    s.original_max_position = 4096;
  }
  s.attention_factor = deepseek_ratio(c, s);
}

// builders/base.py: the range is never rounded and must lie within the pairs; mscale alone is the magnitude itself.
void genai(EngineCase& c, YarnScaling& s) {
  s.truncate = false;
  s.beta_fast = c.number("beta_fast", 0), s.beta_slow = c.number("beta_slow", 0);
  if (c.spec.rotary_dim != c.spec.head_dim) return c.unknown("YaRN on a part of the head");
  const CorrectionRange range =
      correction_range(s.beta_fast, s.beta_slow, {c.spec.base, c.spec.head_dim}, s.original_max_position, false);
  const double low = range.low.hi, high = range.high.hi;
  if (!(0 < low && low < high && high < c.spec.head_dim / 2.0 - 1))
    return c.fails("asserts 0 < low < high < head_dim / 2 - 1, got " + show(Json(low)) + " and " + show(Json(high)));
  const double mscale = c.number("mscale", 0), all_dim = c.number("mscale_all_dim", 0);
  if (mscale > 0)
    s.attention_factor = all_dim > 0 ? yarn_magnitude(s.factor, mscale) / yarn_magnitude(s.factor, all_dim) : mscale;
  else
    s.attention_factor = yarn_magnitude(s.factor, 1);
}

}  // namespace

void apply_yarn_rules(EngineCase& c, YarnScaling& s) {
  if (c.is(Reference::kTransformers4)) return;
  const bool latent = c.row().contains("softmax");
  const bool blends = c.is(Reference::kVllm) || c.is(Reference::kSglang);
  if (blends && c.number("extrapolation_factor", 1) != 1) {
    c.out.unknown = c.name() + " blends by extrapolation_factor " + show(*c.set.get("extrapolation_factor").json) +
                    ", for which there is no term here";
    return;
  }
  if (const Value given = c.set.get("attn_factor");
      given && (c.is(Reference::kMlxLm) || c.is(Reference::kOnnxruntimeGenai)))
    c.lost(given, "no such key");
  ignore_attention_factor(c, s);
  switch (c.reference) {
    case Reference::kVllm: return vllm(c, s, latent);
    case Reference::kSglang: return sglang(c, s, latent);
    case Reference::kLlamaCpp: return latent ? llama_cpp_latent(c, s) : llama_cpp(c, s);
    case Reference::kMlxLm: return mlx_lm(c, s);
    case Reference::kOnnxruntimeGenai: return genai(c, s);
    default: return;
  }
}

}  // namespace rotary::detail
