// RopeSpec as a C program writes it.
#pragma once

#include "c_api/handles.h"
#include "rotary/spec.h"

namespace rotary::testing {

/// Fills the fields of one scaling method.
struct FlatScaling {
  rotary_spec& to;

  void operator()(const DefaultScaling&) const {}
  void operator()(const LinearScaling& s) const { to.factor = s.factor; }
  void operator()(const NtkScaling& s) const { to.alpha = s.alpha; }
  void operator()(const NtkScaledBaseScaling& s) const { to.factor = s.factor; }
  void operator()(const NtkMixedScaling& s) const { to.factor = s.factor, to.mixed_b = s.mixed_b; }
  void operator()(const DynamicNtkScaling& s) const {
    lengths(s);
    to.paper_form = s.paper_form;
  }
  void operator()(const NtkByPartsScaling& s) const {
    lengths(s);
    to.beta_0 = s.beta_0, to.beta_1 = s.beta_1, to.gamma_0 = s.gamma_0, to.gamma_1 = s.gamma_1;
    to.ntk_factor = s.ntk_factor, to.extrapolation_factor = s.extrapolation_factor;
  }
  void operator()(const NtkByPartsPaperScaling& s) const {
    lengths(s);
    to.alpha = s.alpha, to.beta = s.beta, to.temperature = s.temperature;
  }
  void operator()(const YarnScaling& s) const {
    lengths(s);
    to.beta_fast = s.beta_fast, to.beta_slow = s.beta_slow, to.truncate = s.truncate;
    to.attention_factor = s.attention_factor.value_or(0);
    to.mscale = s.mscale.value_or(0), to.mscale_all_dim = s.mscale_all_dim.value_or(0);
    to.mscale_coefficient = s.mscale_coefficient;
  }
  void operator()(const LongRopeScaling& s) const {
    lengths(s);
    to.short_factor = s.short_factor.data(), to.long_factor = s.long_factor.data();
    to.num_factors = static_cast<int64_t>(s.short_factor.size());
    to.attention_factor = s.attention_factor.value_or(0);
    to.short_mscale = s.short_mscale.value_or(0), to.long_mscale = s.long_mscale.value_or(0);
    to.dynamic_blend = s.dynamic_blend;
  }
  void operator()(const Llama3Scaling& s) const {
    lengths(s);
    to.low_freq_factor = s.low_freq_factor, to.high_freq_factor = s.high_freq_factor;
  }
  void operator()(const ProportionalScaling& s) const { to.proportion = s.proportion, to.factor = s.factor; }
  void operator()(const GivenFrequencies& s) const {
    to.frequencies = s.frequencies.data(), to.num_frequencies = static_cast<int64_t>(s.frequencies.size());
    to.num_sets = s.num_sets;
  }

 private:
  void lengths(const auto& s) const { to.factor = s.factor, to.original_max_position = s.original_max_position; }
};

inline int32_t c_pairing(Pairing pairing) {
  return pairing == Pairing::kHalf ? ROTARY_PAIRING_HALF : ROTARY_PAIRING_INTERLEAVED;
}

/// Points into `spec`.
inline rotary_spec flat_spec(const RopeSpec& spec) {
  rotary_spec out;
  EXPECT_EQ(rotary_spec_init(&out, sizeof out, static_cast<int32_t>(spec.scaling.index())), ROTARY_OK);
  out.head_dim = spec.head_dim;
  out.rotary_dim = spec.rotary_dim;
  out.rotary_offset = spec.rotary_offset;
  out.pairing = c_pairing(spec.pairing);
  out.output_pairing = c_pairing(spec.output_pairing);
  out.negate_angle = spec.negate_angle;
  out.base = spec.base;
  out.angle_multiplier = spec.angle_multiplier;
  out.frequency_dim = spec.frequency_dim;
  std::visit(FlatScaling{out}, spec.scaling);
  out.axis_rule = static_cast<int32_t>(spec.axes.rule);
  out.num_axes = spec.axes.num_axes;
  out.sections = spec.axes.sections.data();
  out.num_sections = static_cast<int32_t>(spec.axes.sections.size());
  out.axis_order = spec.axes.axis_order.empty() ? nullptr : spec.axes.axis_order.data();
  return out;
}

inline Handle handle_of(const RopeSpec& spec, const rotary_rotation_options* options = nullptr) {
  const rotary_spec flat = flat_spec(spec);
  rotary_rotation* made = nullptr;
  EXPECT_EQ(rotary_rotation_from_spec(&flat, options, &made), ROTARY_OK) << rotary_last_error();
  return Handle(made);
}

}  // namespace rotary::testing
