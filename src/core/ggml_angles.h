// The angles of ggml's CPU rope in its own float32 arithmetic: one pair's angle is the previous pair's times
// base^(-2/d), rounded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rotary/spec.h"

namespace rotary::detail {

/// What ggml_rope_ext and ggml_rope_multi compute for a spec, operation by operation:
///
///     theta_0 = float(position), theta_{i+1} = theta_i * powf(base, -2/d)          per axis
///     e = theta_i / freq_factor_i, angle = freq_scale * e                          linear scaling: freq_scale = 1/s
///     angle = fma(freq_scale * e, 1 - mix_i, e * mix_i)                            YaRN, bounds always rounded
///     magnitude = attn_factor * (1 + 0.1 logf(1 / freq_scale))                     the bracket with YaRN only
///
/// Llama 3, LongRoPE and proportional scaling are freq_factors, as llama.cpp's converter makes them. attn_factor is
/// what makes the magnitude the spec's attention factor. powf and logf are correctly rounded here; cos and sin are
/// taken as glibc does.
///
/// Interleaved sections follow ggml: a pair in none of the three bands (the tail of [24, 20, 20]) takes the fourth
/// position id, which is 0 for text, so it does not turn. Throws std::invalid_argument for a scaling, axis rule or
/// exponent that ggml lacks.
class GgmlAngles {
 public:
  GgmlAngles(const RopeSpec& spec, std::int64_t seq_len);

  std::size_t num_pairs() const { return slots_.size(); }
  float magnitude() const { return magnitude_; }

  /// position: [num_axes], angles: [num_pairs] radians, in the order of the rotation map's pairs.
  void angles(const double* position, std::span<float> angles) const;

 private:
  struct Slot {
    int axis;       // kFourthId: turned by nothing
    bool restarts;  // first of a frequency list
    float freq_factor;
    float mix;  // share of the unscaled angle
  };

  float step_ = 0;
  float freq_scale_ = 1;
  float magnitude_ = 1;
  bool mixes_ = false;
  bool negates_ = false;
  int num_axes_ = 1;
  std::vector<Slot> slots_;
};

/// The angle at position 1 for each frequency of the spec's list; the sign of negate_angle is left to the caller.
std::vector<float> ggml_frequencies(const RopeSpec& spec, std::int64_t seq_len);

}  // namespace rotary::detail
