#include <cmath>
#include <numeric>
#include <string>

#include "core/ggml_angles.h"
#include "core/require.h"

namespace rotary {
namespace {

using detail::require;

constexpr std::string_view kFunction = "validate_ggml_rotation";

template <class T>
void check(bool ok, std::string_view must_hold, const T& got) {
  require(ok, kFunction, must_hold, got);
}

bool is_positive(float x) { return std::isfinite(x) && x > 0; }

void check_channels(const GgmlRotation& g) {
  check(g.head_dim >= 1 && g.head_dim <= 1 << 20, "head_dim must be in 1 .. 2^20", g.head_dim);
  check(g.n_dims >= 2 && g.n_dims % 2 == 0, "n_dims must be even and at least 2", g.n_dims);
  check(g.n_dims <= g.head_dim, "n_dims must be at most head_dim = " + std::to_string(g.head_dim), g.n_dims);
  check(g.n_offs >= 0 && g.n_offs % 2 == 0, "n_offs must be even and not negative", g.n_offs);
  check(g.n_offs <= g.head_dim - g.n_dims, "n_offs must leave room for n_dims channels", g.n_offs);
  if (g.mode != GgmlMode::kVision) return;
  check(g.head_dim % 2 == 0 && g.n_dims == g.head_dim / 2, "n_dims must be head_dim / 2 in mode kVision", g.n_dims);
  check(g.n_offs == 0, "n_offs must be 0 in mode kVision", g.n_offs);
}

void check_sections(const GgmlRotation& g) {
  if (!detail::has_sections(g.mode)) return;
  for (int s : g.sections) check(s >= 0, "sections must not be negative", s);
  const auto sum = std::accumulate(g.sections.begin(), g.sections.end(), std::int64_t{0});
  check(sum > g.sections[3], "sections must have a pair on one of the first three position ids", sum);
  check(sum <= g.head_dim, "sections must sum to at most head_dim = " + std::to_string(g.head_dim), sum);
}

void check_angles(const GgmlRotation& g) {
  check(std::isfinite(g.freq_base) && g.freq_base > 1, "freq_base must be finite and above 1", g.freq_base);
  check(is_positive(g.freq_scale), "freq_scale must be finite and positive", g.freq_scale);
  check(is_positive(g.attn_factor), "attn_factor must be finite and positive", g.attn_factor);
  const auto pairs = static_cast<std::size_t>(detail::num_pairs(g));
  check(g.freq_factors.empty() || g.freq_factors.size() >= pairs,
        "freq_factors must be empty or one per pair, " + std::to_string(pairs), g.freq_factors.size());
  for (std::size_t i = 0; i < g.freq_factors.size() && i < pairs; ++i)
    check(is_positive(g.freq_factors[i]), "freq_factors[" + std::to_string(i) + "] must be finite and positive",
          g.freq_factors[i]);
  check(std::isfinite(g.ext_factor), "ext_factor must be finite", g.ext_factor);
  if (g.ext_factor == 0) return;
  check(g.n_ctx_orig > 0, "n_ctx_orig must be positive with ext_factor", g.n_ctx_orig);
  check(is_positive(g.beta_fast), "beta_fast must be finite and positive with ext_factor", g.beta_fast);
  check(is_positive(g.beta_slow), "beta_slow must be finite and positive with ext_factor", g.beta_slow);
}

}  // namespace

void validate_ggml_rotation(const GgmlRotation& parameters) {
  const GgmlMode m = parameters.mode;
  check(m == GgmlMode::kNormal || m == GgmlMode::kNeox || detail::has_sections(m), "mode must be one of ggml's",
        static_cast<int>(m));
  check_channels(parameters);
  check_sections(parameters);
  check_angles(parameters);
}

RotationMap make_rotation_map(const GgmlRotation& parameters) {
  const detail::GgmlAngles ggml(parameters);
  RopeSpec pairs;
  pairs.head_dim = parameters.head_dim;
  pairs.rotary_dim = 2 * detail::num_pairs(parameters);
  pairs.rotary_offset = parameters.n_offs;
  pairs.pairing = parameters.mode == GgmlMode::kNormal ? Pairing::kInterleaved : Pairing::kHalf;
  pairs.output_pairing = pairs.pairing;
  RotationMap map = make_rotation_map(pairs);
  map.num_axes = ggml.num_axes();
  map.attention_factor = ggml.magnitude();
  map.frequency.assign(map.pairs.size() * static_cast<std::size_t>(map.num_axes), {});
  const std::vector<double> ones(static_cast<std::size_t>(map.num_axes), 1);
  std::vector<float> angles(ggml.num_pairs());
  ggml.angles(ones.data(), angles);
  for (std::size_t pair = 0; pair < angles.size(); ++pair)
    map.frequency[pair * ones.size() + static_cast<std::size_t>(ggml.axis(pair))] = {angles[pair], 0};
  return map;
}

}  // namespace rotary
