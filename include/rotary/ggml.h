// ggml's rotary operators under ggml's own names, for hosts that have their parameters and no RopeSpec.
#pragma once

#include <array>
#include <vector>

#include "rotary/rotation_map.h"

namespace rotary {

/// GGML_ROPE_TYPE_*, with ggml's numbers. All but kNormal pair half by half.
enum class GgmlMode {
  kNormal = 0,   ///< pair (2i, 2i + 1)
  kNeox = 2,     ///< pair (i, i + n_dims/2)
  kMrope = 8,    ///< as kNeox, pair i on the position id of its section, i mod their sum
  kVision = 24,  ///< pair (i, i + head_dim/2), every section starts its frequencies anew
  kImrope = 40,  ///< as kMrope, ids t h w t h w ... as far as their sections go; the fourth id beyond
};

/// The parameters of ggml_rope_ext, ggml_rope_multi and ggml_rope_set_offset:
///
///     theta_0 = float(position), theta_{i+1} = theta_i * powf(freq_base, -2/n_dims)       per position id
///     e = theta_i / freq_factors[i], angle = freq_scale * e                               ext_factor = 0
///     angle = (freq_scale * e) (1 - mix_i) + e mix_i, mix_i = ext_factor (1 - ramp_i)     else
///     cos and sin times attn_factor (1 + 0.1 logf(1 / freq_scale))                        the bracket with ext_factor
///
/// in float32, operation by operation. A Rotary made of it turns bit for bit as ggml's CPU code does with fused
/// multiply-add and glibc (golden/engines/ggml); apply_rotary_backward() is ggml_rope_ext_back. kMrope, kVision and
/// kImrope have four position axes, in ggml's order: time, height, width, extra.
struct GgmlRotation {
  GgmlMode mode = GgmlMode::kNormal;
  int head_dim = 0;    ///< ne0; may be odd
  int n_dims = 0;      ///< channels that turn; head_dim / 2 for kVision, which turns all
  int n_offs = 0;      ///< first of them
  int n_ctx_orig = 0;  ///< read with ext_factor only, like the betas
  float freq_base = 10000;
  float freq_scale = 1;
  float ext_factor = 0;
  float attn_factor = 1;
  float beta_fast = 32;
  float beta_slow = 1;
  std::array<int, 4> sections{};    ///< pairs per position id; not read by kNormal and kNeox
  std::vector<float> freq_factors;  ///< divisors, one per pair or more; empty: none
};

/// Throws std::invalid_argument, naming the parameter, where ggml aborts, hangs, writes past its output, or turns by
/// angles that are not finite or mean nothing (freq_base up to 1, freq_scale not positive, negative sections).
ROTARY_API void validate_ggml_rotation(const GgmlRotation& parameters);

/// What it does to a vector; frequencies are the float32 angles at position 1.
ROTARY_API RotationMap make_rotation_map(const GgmlRotation& parameters);

}  // namespace rotary
