// The angles of ggml's CPU rope in its own float32 arithmetic: one pair's angle is the previous pair's times
// base^(-2/d), rounded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rotary/ggml.h"
#include "rotary/spec.h"

namespace rotary::detail {

/// Whether pairs take their position id by sections, of four.
bool has_sections(GgmlMode mode);

/// Pairs that turn.
int num_pairs(const GgmlRotation& parameters);

/// What ggml_rope_ext and ggml_rope_multi compute, operation by operation as in ggml.h, for their own parameters or for
/// a spec. There d is n_dims, linear scaling by s is freq_scale = 1/s, YaRN's bounds are always rounded, and
///
///     angle = fma(freq_scale * e, 1 - mix_i, e * mix_i)
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
  explicit GgmlAngles(const GgmlRotation& parameters);

  std::size_t num_pairs() const { return slots_.size(); }
  int num_axes() const { return num_axes_; }
  int axis(std::size_t pair) const { return slots_[pair].axis; }
  float magnitude() const { return magnitude_; }

  /// position: [num_axes], angles: [num_pairs] radians, in the order of the rotation map's pairs.
  void angles(const double* position, std::span<float> angles) const;

 private:
  struct Slot {
    int axis;      // kFourthId: turned by nothing
    int restarts;  // axis that starts its frequencies anew; kNone
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
