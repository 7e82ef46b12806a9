// Context-scaling methods: what each one needs. The formulas are in src/core/scaled_frequencies.h.
//
// Notation: base b, rotary width d, inv_freq_i = b^(-2i/d), factor s >= 1, original length L0 (trained positions before
// extension), wavelength 2 pi / inv_freq. Field names are those of transformers' rope_parameters where it has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "rotary/version.h"

namespace rotary {

/// inv_freq_i unchanged.
struct DefaultScaling {
  friend bool operator==(const DefaultScaling&, const DefaultScaling&) = default;
};

/// Position interpolation (arXiv 2306.15595): inv_freq_i / s.
struct LinearScaling {
  double factor = 1;
  friend bool operator==(const LinearScaling&, const LinearScaling&) = default;
};

/// NTK-aware with a fixed alpha (YaRN paper, definition 1): base b * alpha^(d/(d-2)). Pair 0 is kept, the last is
/// divided by alpha.
struct NtkScaling {
  double alpha = 1;
  friend bool operator==(const NtkScaling&, const NtkScaling&) = default;
};

/// vLLM's "ntk" without mixed_b: frequencies of base b * s, then divided by s^(2/d). Another curve than NtkScaling.
struct NtkScaledBaseScaling {
  double factor = 1;
  friend bool operator==(const NtkScaledBaseScaling&, const NtkScaledBaseScaling&) = default;
};

/// vLLM's "ntk" with mixed_b (kexue.fm 9948): a = ln s / (d/2)^mixed_b; inv_freq_i / exp(a * (i+1)^mixed_b).
struct NtkMixedScaling {
  double factor = 1;
  double mixed_b = 0.625;
  friend bool operator==(const NtkMixedScaling&, const NtkMixedScaling&) = default;
};

/// Dynamic NTK: for a sequence of L > L0 the base becomes b * r^(d/(d-2)), with r = s L/L0 - (s - 1) (released code) or
/// r = L/L0 (the YaRN paper's section 3.3; equal for s = 1). Up to L0 it is plain RoPE, bit for bit.
struct DynamicNtkScaling {
  double factor = 1;
  double original_max_position = 0;  ///< L0; transformers takes max_position_embeddings
  bool paper_form = false;
  friend bool operator==(const DynamicNtkScaling&, const DynamicNtkScaling&) = default;
};

/// NTK-by-parts as first released (YaRN repository): linear and NTK-aware blended between beta_0 and beta_1 rotations,
/// the result blended with the unscaled frequency between gamma_0 and gamma_1 rotations (bounds floored / ceiled as
/// pair indices).
struct NtkByPartsScaling {
  double factor = 1;
  double original_max_position = 0;
  double beta_0 = 1.25, beta_1 = 0.75, gamma_0 = 16, gamma_1 = 2;
  double ntk_factor = 1, extrapolation_factor = 1;
  friend bool operator==(const NtkByPartsScaling&, const NtkByPartsScaling&) = default;
};

/// NTK-by-parts as in the YaRN paper (definition 2): a ramp linear in the number of rotations r = L0 / wavelength,
/// divided by s where r < alpha, kept where r > beta. With `temperature` also the paper's attention factor 0.1 ln s +
/// 1, which is the paper's own YaRN (another function than the released code, YarnScaling).
struct NtkByPartsPaperScaling {
  double factor = 1;
  double original_max_position = 0;
  double alpha = 1, beta = 32;
  bool temperature = false;
  friend bool operator==(const NtkByPartsPaperScaling&, const NtkByPartsPaperScaling&) = default;
};

/// YaRN as released (arXiv 2309.00071 and its code): a ramp linear in the pair index between the correction dimensions
/// c(beta_fast) and c(beta_slow), c(r) = d ln(L0 / (2 pi r)) / (2 ln b), floored / ceiled if `truncate`, clamped to [0,
/// d-1].
struct YarnScaling {
  double factor = 1;
  double original_max_position = 0;
  double beta_fast = 32, beta_slow = 1;
  bool truncate = true;
  std::optional<double> attention_factor;        ///< replaces the computed one
  std::optional<double> mscale, mscale_all_dim;  ///< both non-zero: factor m(s, mscale) / m(s, mscale_all_dim)
  double mscale_coefficient = 0.1;               ///< of m(s, k) = coefficient * k * ln s + 1; 0.07 in TeleChat3
  friend bool operator==(const YarnScaling&, const YarnScaling&) = default;
};

/// LongRoPE (arXiv 2402.13753), also called su: inv_freq_i / short_factor_i up to L0, / long_factor_i beyond.
struct LongRopeScaling {
  std::vector<double> short_factor, long_factor;  ///< [d/2] each
  double original_max_position = 0;
  double factor = 1;                                ///< s; max_position / L0 when the config has none
  std::optional<double> attention_factor;           ///< else 1 if s <= 1, else sqrt(1 + ln s / ln L0)
  std::optional<double> short_mscale, long_mscale;  ///< PhiMoE: replace the attention factor per list
  /// Microsoft's dynamic form: beyond L0 the list is 1 + (long_factor - 1) (L/L0 - 1) / (s - 1), growing with the
  /// length.
  bool dynamic_blend = false;
  friend bool operator==(const LongRopeScaling&, const LongRopeScaling&) = default;
};

/// Llama 3.1: wavelengths below L0/high kept, above L0/low divided by s, blended between. No attention factor.
/// low_freq_factor == high_freq_factor leaves no blended band (transformers divides by zero there).
struct Llama3Scaling {
  double factor = 8;
  double low_freq_factor = 1, high_freq_factor = 4;
  double original_max_position = 8192;
  friend bool operator==(const Llama3Scaling&, const Llama3Scaling&) = default;
};

/// p-RoPE (arXiv 2410.06205): the first floor(proportion * d / 2) pairs keep the spacing of the full width d, the
/// others do not turn; all divided by factor.
struct ProportionalScaling {
  double proportion = 1;
  double factor = 1;
  friend bool operator==(const ProportionalScaling&, const ProportionalScaling&) = default;
};

/// Frequencies given as numbers (learned, or read from a file): [num_sets][pairs][num_axes] radians per position.
struct GivenFrequencies {
  int num_sets = 1;  ///< 1, or one per head
  std::vector<double> frequencies;
  friend bool operator==(const GivenFrequencies&, const GivenFrequencies&) = default;
};

using Scaling = std::variant<DefaultScaling, LinearScaling, NtkScaling, NtkScaledBaseScaling, NtkMixedScaling,
                             DynamicNtkScaling, NtkByPartsScaling, NtkByPartsPaperScaling, YarnScaling, LongRopeScaling,
                             Llama3Scaling, ProportionalScaling, GivenFrequencies>;

/// The method's name as in configs: "default", "linear", "ntk", "dynamic", "yarn", "longrope", "llama3",
/// "proportional", ...
ROTARY_API std::string_view scaling_name(const Scaling& scaling);

/// Whether the frequencies depend on the sequence length (dynamic NTK, LongRoPE).
ROTARY_API bool depends_on_length(const Scaling& scaling);

}  // namespace rotary
