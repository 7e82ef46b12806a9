#include "rotary/spec.h"

#include <cmath>
#include <numeric>
#include <string>

#include "core/pair_slots.h"
#include "core/require.h"

namespace rotary {
namespace {

using detail::require;
constexpr std::string_view kFunction = "validate_spec";

void require_spec(bool ok, std::string_view must_hold, double got) { require(ok, kFunction, must_hold, got); }

bool positive(double x) { return std::isfinite(x) && x > 0; }

// Far beyond any model, and products of a few stay finite.
constexpr double kLargest = 0x1p100;

void require_in_range(double x, const std::string& name) {
  require_spec(x >= 1 / kLargest && x <= kLargest, name + " must be in 2^-100 .. 2^100", x);
}

void require_size(double x, const std::string& name) {
  require_spec(std::abs(x) <= kLargest, name + " must be in -2^100 .. 2^100", x);
}

void require_positive(double x, const std::string& name) {
  require_spec(positive(x), name + " must be finite and positive", x);
  require_in_range(x, name);
}

void require_factor(double x) {
  require_spec(std::isfinite(x) && x >= 1, "factor must be finite and at least 1", x);
  require_in_range(x, "factor");
}

void require_attention_factor(const std::optional<double>& x) {
  if (x) require_positive(*x, "attention_factor");
}

void require_ntk_width(int denominator) {
  require_spec(denominator > 2, "NTK-aware scaling needs a rotary width above 2 (its exponent is d/(d-2))",
               denominator);
}

struct ScalingCheck {
  int count, denominator, pairs, num_axes;

  void operator()(const DefaultScaling&) const {}
  void operator()(const LinearScaling& s) const { require_factor(s.factor); }
  void operator()(const NtkScaling& s) const {
    require_positive(s.alpha, "alpha");
    require_ntk_width(denominator);
  }
  void operator()(const NtkScaledBaseScaling& s) const { require_factor(s.factor); }
  void operator()(const NtkMixedScaling& s) const {
    require_factor(s.factor);
    require_positive(s.mixed_b, "mixed_b");
  }
  void operator()(const DynamicNtkScaling& s) const {
    require_factor(s.factor);
    require_positive(s.original_max_position, "original_max_position");
    require_ntk_width(denominator);
  }
  void operator()(const NtkByPartsScaling& s) const {
    require_factor(s.factor);
    require_positive(s.original_max_position, "original_max_position");
    require_ntk_width(denominator);
    for (double x : {s.beta_0, s.beta_1, s.gamma_0, s.gamma_1}) require_positive(x, "every beta and gamma");
    for (double x : {s.ntk_factor, s.extrapolation_factor}) require_size(x, "ntk_factor and extrapolation_factor");
  }
  void operator()(const NtkByPartsPaperScaling& s) const {
    require_factor(s.factor);
    require_positive(s.original_max_position, "original_max_position");
    require_positive(s.alpha, "alpha");
    require_spec(std::isfinite(s.beta) && s.beta >= s.alpha, "beta must be finite and at least alpha", s.beta);
    require_in_range(s.beta, "beta");
  }
  void operator()(const YarnScaling& s) const {
    require_factor(s.factor);
    require_positive(s.original_max_position, "original_max_position");
    require_positive(s.beta_slow, "beta_slow");
    require_positive(s.beta_fast,
                     "beta_fast");  // below beta_slow the ramp is turned round, as the released code does it
    require_attention_factor(s.attention_factor);
    for (const auto& x : {s.mscale, s.mscale_all_dim})
      if (x) require_spec(*x >= 0 && *x <= kLargest, "mscale and mscale_all_dim must be in 0 .. 2^100", *x);
    require_size(s.mscale_coefficient, "mscale_coefficient");
  }
  void operator()(const LongRopeScaling& s) const {
    require_spec(std::isfinite(s.original_max_position) && s.original_max_position > 1,
                 "original_max_position must be finite and above 1", s.original_max_position);
    require_in_range(s.original_max_position, "original_max_position");
    require_positive(s.factor, "factor");
    require_spec(!s.dynamic_blend || s.factor > 1, "a dynamic blend needs a factor above 1", s.factor);
    require_attention_factor(s.attention_factor);
    require_attention_factor(s.short_mscale);
    require_attention_factor(s.long_mscale);
    check_list(s.short_factor, "short_factor");
    check_list(s.long_factor, "long_factor");
  }
  void operator()(const Llama3Scaling& s) const {
    require_factor(s.factor);
    require_positive(s.original_max_position, "original_max_position");
    require_positive(s.low_freq_factor, "low_freq_factor");
    require_spec(std::isfinite(s.high_freq_factor) && s.high_freq_factor >= s.low_freq_factor,
                 "high_freq_factor must be finite and at least low_freq_factor", s.high_freq_factor);
    require_in_range(s.high_freq_factor, "high_freq_factor");
  }
  void operator()(const ProportionalScaling& s) const {
    require_spec(s.proportion >= 0 && s.proportion <= 1, "proportion must be in [0, 1]", s.proportion);
    require_factor(s.factor);
  }
  void operator()(const GivenFrequencies& s) const {
    require_spec(s.num_sets >= 1, "num_sets must be at least 1", s.num_sets);
    const std::size_t want =
        static_cast<std::size_t>(s.num_sets) * static_cast<std::size_t>(pairs) * static_cast<std::size_t>(num_axes);
    require(s.frequencies.size() == want, kFunction,
            "given frequencies must be [num_sets][pairs][num_axes] = " + std::to_string(want) + " numbers",
            s.frequencies.size());
    for (double f : s.frequencies) require_size(f, "every given frequency");
  }

 private:
  void check_list(const std::vector<double>& list, const std::string& name) const {
    require(static_cast<int>(list.size()) == count, kFunction,
            name + " must have one entry per pair (" + std::to_string(count) + ")", list.size());
    for (double x : list) require_positive(x, "every entry of " + name);
  }
};

void check_axes(const RopeSpec& spec) {
  const AxisLayout& axes = spec.axes;
  const int pairs = spec.rotary_dim / 2;
  require_spec(axes.rule >= AxisRule::kOne && axes.rule <= AxisRule::kAxialParts,
               "the axis rule must be one of the enumeration", static_cast<int>(axes.rule));
  require_spec(axes.num_axes >= 1 && axes.num_axes <= 64, "num_axes must be in 1 .. 64", axes.num_axes);
  const bool sectioned = axes.rule == AxisRule::kSections || axes.rule == AxisRule::kInterleavedSections ||
                         axes.rule == AxisRule::kAlternatingHeightWidth;
  if (sectioned) {
    for (int s : axes.sections) require_spec(s >= 0, "sections must not be negative", s);
    const std::int64_t sum = std::accumulate(axes.sections.begin(), axes.sections.end(), std::int64_t{0});
    require(sum == pairs, kFunction, "sections must sum to rotary_dim / 2 = " + std::to_string(pairs), sum);
    if (axes.rule != AxisRule::kSections)
      require(axes.sections.size() == 3 && axes.num_axes == 3, kFunction,
              "this axis rule needs three sections and three axes", axes.sections.size());
  }
  const bool axial = axes.rule >= AxisRule::kAxialBlocks;
  if (axial) require_spec(pairs % axes.num_axes == 0, "rotary_dim / 2 must divide by the number of axes", pairs);
  if (axes.axis_order.empty()) return;
  require(static_cast<int>(axes.axis_order.size()) == axes.num_axes, kFunction, "axis_order must name every axis",
          axes.axis_order.size());
  std::vector<bool> seen(static_cast<std::size_t>(axes.num_axes));
  for (int axis : axes.axis_order) {
    require_spec(axis >= 0 && axis < axes.num_axes && !seen[static_cast<std::size_t>(axis)],
                 "axis_order must be a permutation of the axes", axis);
    seen[static_cast<std::size_t>(axis)] = true;
  }
}

}  // namespace

void validate_spec(const RopeSpec& spec) {
  constexpr int kMaxChannels = 1 << 20;
  require_spec(spec.head_dim >= 1 && spec.head_dim <= kMaxChannels, "head_dim must be in 1 .. 2^20", spec.head_dim);
  require_spec(spec.rotary_dim >= 2 && spec.rotary_dim % 2 == 0, "rotary_dim must be even and at least 2",
               spec.rotary_dim);
  require_spec(spec.rotary_dim <= spec.head_dim,
               "rotary_dim must be at most head_dim = " + std::to_string(spec.head_dim), spec.rotary_dim);
  require_spec(spec.rotary_offset >= 0 && spec.rotary_offset <= spec.head_dim - spec.rotary_dim,
               "rotary_offset must leave room for rotary_dim channels", spec.rotary_offset);
  for (const Pairing pairing : {spec.pairing, spec.output_pairing})
    require_spec(pairing == Pairing::kHalf || pairing == Pairing::kInterleaved,
                 "pairing and output_pairing must be one of the enumeration", static_cast<int>(pairing));
  require_spec(std::isfinite(spec.base) && spec.base > 1, "base must be finite and above 1", spec.base);
  require_in_range(spec.base, "base");
  require_spec(spec.angle_multiplier != 0, "angle_multiplier must not be 0", spec.angle_multiplier);
  require_size(spec.angle_multiplier, "angle_multiplier");
  require_spec(spec.frequency_dim >= 0 && spec.frequency_dim <= kMaxChannels, "frequency_dim must be in 0 .. 2^20",
               spec.frequency_dim);
  require_spec(std::isfinite(spec.max_position) && spec.max_position >= 0,
               "max_position must be finite and not negative", spec.max_position);
  check_axes(spec);
  std::visit(
      ScalingCheck{detail::list_length(spec), detail::list_denominator(spec), spec.rotary_dim / 2, spec.axes.num_axes},
      spec.scaling);
  if (!spec.xpos) return;
  require_spec(positive(spec.xpos->scale_base), "xpos.scale_base must be finite and positive", spec.xpos->scale_base);
  require_spec(positive(spec.xpos->gamma), "xpos.gamma must be finite and positive", spec.xpos->gamma);
  require_spec(std::isfinite(spec.xpos->center), "xpos.center must be finite", spec.xpos->center);
}

std::string_view to_string(Pairing pairing) { return pairing == Pairing::kHalf ? "half" : "interleaved"; }

std::string_view to_string(AxisRule rule) {
  switch (rule) {
    case AxisRule::kOne: return "one";
    case AxisRule::kSections: return "sections";
    case AxisRule::kInterleavedSections: return "interleaved sections";
    case AxisRule::kAlternatingHeightWidth: return "alternating height and width";
    case AxisRule::kAlternating: return "alternating";
    case AxisRule::kAxialBlocks: return "axial blocks";
    case AxisRule::kAxialAlternating: return "axial alternating";
    case AxisRule::kAxialSplit: return "axial split";
    case AxisRule::kAxialParts: return "axial parts";
  }
  return "?";
}

}  // namespace rotary
