// Specs and maps that are refused, by field and value.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/bad_calls.h"
#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

/// Validates a spec of 32 channels with one change.
std::function<void()> spec_with(const std::function<void(RopeSpec&)>& change) {
  return [change] {
    RopeSpec spec = spec_of(32, 10000);
    change(spec);
    validate_spec(spec);
  };
}

std::function<void()> scaling_of(const Scaling& scaling) {
  return spec_with([scaling](RopeSpec& s) { s.scaling = scaling; });
}

std::function<void()> axes_of(const AxisLayout& axes) {
  return spec_with([axes](RopeSpec& s) { s.axes = axes; });
}

std::function<void()> yarn_with(const std::function<void(YarnScaling&)>& change) {
  YarnScaling scaling = yarn_of(4, 4096);
  change(scaling);
  return scaling_of(scaling);
}

std::function<void()> longrope_with(const std::function<void(LongRopeScaling&)>& change) {
  LongRopeScaling scaling = longrope_of(4, 4096, Vector(16, 1), Vector(16, 2));
  change(scaling);
  return scaling_of(scaling);
}

/// Validates a map of 4 channels in 2 pairs with one change.
std::function<void()> map_changed(const std::function<void(RotationMap&)>& change) {
  return [change] {
    RotationMap map = map_of(4, 10000);
    change(map);
    validate_map(map);
  };
}

constexpr const char* kArgument = "invalid_argument";

const BadCall kSpecs[] = {
    {"NoChannels", spec_with([](RopeSpec& s) { s.head_dim = 0; }), kArgument,
     "validate_spec: head_dim must be in 1 .. 2^20, got 0"},
    {"NoSuchPairing", spec_with([](RopeSpec& s) { s.pairing = static_cast<Pairing>(2); }), kArgument, "pairing"},
    {"NoSuchOutputPairing", spec_with([](RopeSpec& s) { s.output_pairing = static_cast<Pairing>(-1); }), kArgument,
     "output_pairing"},
    {"NoSuchAxisRule", spec_with([](RopeSpec& s) { s.axes.rule = static_cast<AxisRule>(9); }), kArgument, "axis rule"},
    {"HugeHead", spec_with([](RopeSpec& s) { s.head_dim = 1 << 21; }), kArgument, "head_dim"},
    // UP-10: 65 (a head of 520 / 8), int(4 * 0.75) = 3, int(100 * 0.25) = 25
    {"UP_10_Width65", spec_with([](RopeSpec& s) { s.head_dim = s.rotary_dim = 65; }), kArgument,
     "rotary_dim must be even and at least 2, got 65"},
    {"UP_10_Width3", spec_with([](RopeSpec& s) { s.head_dim = 4, s.rotary_dim = 3; }), kArgument, "got 3"},
    {"UP_10_Width25", spec_with([](RopeSpec& s) { s.head_dim = 100, s.rotary_dim = 25; }), kArgument, "got 25"},
    {"UP_10_NtkOfOnePair", spec_with([](RopeSpec& s) { s.rotary_dim = 2, s.scaling = NtkScaling{2}; }), kArgument,
     "NTK-aware scaling needs a rotary width above 2"},
    {"UP_10_DynamicOfOnePair", spec_with([](RopeSpec& s) {
       s.rotary_dim = 2, s.scaling = DynamicNtkScaling{2, 4096};
     }),
     kArgument, "NTK-aware"},
    {"UP_10_NtkByPartsOfOnePair", spec_with([](RopeSpec& s) {
       s.rotary_dim = 2, s.scaling = NtkByPartsScaling{2, 4096};
     }),
     kArgument, "NTK-aware"},
    {"NoRotaryChannels", spec_with([](RopeSpec& s) { s.rotary_dim = 0; }), kArgument, "rotary_dim"},
    {"WiderThanTheHead", spec_with([](RopeSpec& s) { s.rotary_dim = 34; }), kArgument,
     "rotary_dim must be at most head_dim = 32, got 34"},
    {"OffsetNegative", spec_with([](RopeSpec& s) { s.rotary_offset = -1; }), kArgument, "rotary_offset"},
    {"OffsetTooLarge", spec_with([](RopeSpec& s) { s.rotary_offset = 1; }), kArgument, "rotary_offset"},
    {"BaseHuge", spec_with([](RopeSpec& s) { s.base = 1e308; }), kArgument, "base must be in 2^-100 .. 2^100"},
    {"AngleMultiplierHuge", spec_with([](RopeSpec& s) { s.angle_multiplier = -1e308; }), kArgument,
     "angle_multiplier must be in -2^100 .. 2^100, got -1e+308"},
    {"BaseOne", spec_with([](RopeSpec& s) { s.base = 1; }), kArgument, "base must be finite and above 1, got 1"},
    {"BaseNegative", spec_with([](RopeSpec& s) { s.base = -10000; }), kArgument, "base"},
    {"BaseNan", spec_with([](RopeSpec& s) { s.base = kNan; }), kArgument, "base"},
    {"BaseInfinite", spec_with([](RopeSpec& s) { s.base = kInfinity; }), kArgument, "base"},
    {"MultiplierZero", spec_with([](RopeSpec& s) { s.angle_multiplier = 0; }), kArgument, "angle_multiplier"},
    {"DenominatorNegative", spec_with([](RopeSpec& s) { s.frequency_dim = -2; }), kArgument, "frequency_dim"},
    {"MaximumNegative", spec_with([](RopeSpec& s) { s.max_position = -1; }), kArgument, "max_position"},
    {"XposScaleBase", spec_with([](RopeSpec& s) {
       s.xpos = {0, 0.4, 0};
     }),
     kArgument, "xpos.scale_base"},
    {"XposGamma", spec_with([](RopeSpec& s) {
       s.xpos = {512, kInfinity, 0};
     }),
     kArgument, "xpos.gamma"},
    {"XposCenter", spec_with([](RopeSpec& s) {
       s.xpos = {512, 0.4, kNan};
     }),
     kArgument, "xpos.center"},
    {"LengthNegative", [] { make_rotation_map(spec_of(32, 10000), -1); }, kArgument,
     "make_rotation_map: seq_len must not be negative, got -1"},
    {"GgmlWithoutTheMethod",
     [] {
       make_rotation_map(spec_of(32, 10000, NtkMixedScaling{2, 0.5}), 0, Arithmetic::kGgml);
     },
     kArgument, "ggml"},
    {"MapOfAnInvalidSpec", [] { make_rotation_map(RopeSpec{}); }, kArgument, "validate_spec: head_dim"},
    {"UnknownArithmetic", [] { parse_arithmetic("fast"); }, kArgument,
     "parse_arithmetic: arithmetic must be one of exact, transformers-float32, transformers-bfloat16, ggml, got fast"},
    {"EmptyArithmetic", [] { parse_arithmetic(""); }, kArgument, "arithmetic"},
};

const BadCall kScalings[] = {
    {"LinearFactor", scaling_of(LinearScaling{0.5}), kArgument, "factor must be finite and at least 1, got 0.5"},
    {"LinearFactorHuge", scaling_of(LinearScaling{1e308}), kArgument, "factor must be in 2^-100 .. 2^100, got 1e+308"},
    {"LinearNan", scaling_of(LinearScaling{kNan}), kArgument, "factor"},
    {"NtkAlpha", scaling_of(NtkScaling{0}), kArgument, "alpha must be finite and positive, got 0"},
    {"NtkScaledBaseFactor", scaling_of(NtkScaledBaseScaling{0}), kArgument, "factor"},
    {"NtkMixedFactor", scaling_of(NtkMixedScaling{0, 1}), kArgument, "factor"},
    {"NtkMixedB", scaling_of(NtkMixedScaling{2, 0}), kArgument, "mixed_b"},
    {"DynamicFactor", scaling_of(DynamicNtkScaling{0.5, 4096}), kArgument, "factor"},
    {"DynamicLength", scaling_of(DynamicNtkScaling{2, 0}), kArgument, "original_max_position"},
    {"ByPartsFactor", scaling_of(NtkByPartsScaling{0, 4096}), kArgument, "factor"},
    {"ByPartsLength", scaling_of(NtkByPartsScaling{2, -1}), kArgument, "original_max_position"},
    {"ByPartsBeta", scaling_of(NtkByPartsScaling{2, 4096, 0}), kArgument, "every beta and gamma"},
    {"ByPartsNtkFactor", scaling_of(NtkByPartsScaling{2, 4096, 1.25, 0.75, 16, 2, kNan}), kArgument,
     "ntk_factor and extrapolation_factor must be in -2^100 .. 2^100, got nan"},
    {"PaperFactor", scaling_of(NtkByPartsPaperScaling{0, 4096}), kArgument, "factor"},
    {"PaperLength", scaling_of(NtkByPartsPaperScaling{2, kInfinity}), kArgument, "original_max_position"},
    {"PaperAlpha", scaling_of(NtkByPartsPaperScaling{2, 4096, 0, 1}), kArgument, "alpha"},
    {"PaperBeta", scaling_of(NtkByPartsPaperScaling{2, 4096, 4, 2}), kArgument,
     "beta must be finite and at least alpha"},
    {"YarnFactor", yarn_with([](YarnScaling& s) { s.factor = 0; }), kArgument, "factor"},
    {"YarnLength", yarn_with([](YarnScaling& s) { s.original_max_position = 0; }), kArgument, "original_max_position"},
    {"YarnBetaFast", yarn_with([](YarnScaling& s) { s.beta_fast = 0; }), kArgument, "beta_fast"},
    {"YarnBetaSlow", yarn_with([](YarnScaling& s) { s.beta_slow = -1; }), kArgument, "beta_slow"},
    {"YarnAttention", yarn_with([](YarnScaling& s) { s.attention_factor = 0; }), kArgument, "attention_factor"},
    {"YarnMscale", yarn_with([](YarnScaling& s) { s.mscale = -1; }), kArgument, "mscale"},
    {"YarnMscaleAllDim", yarn_with([](YarnScaling& s) { s.mscale_all_dim = kNan; }), kArgument, "mscale_all_dim"},
    {"YarnCoefficient", yarn_with([](YarnScaling& s) { s.mscale_coefficient = kNan; }), kArgument,
     "mscale_coefficient"},
    // UP-32: lists of the wrong length
    {"UP_32_ShortList", longrope_with([](LongRopeScaling& s) { s.short_factor.pop_back(); }), kArgument,
     "short_factor must have one entry per pair (16), got 15"},
    {"UP_32_LongList", longrope_with([](LongRopeScaling& s) { s.long_factor.push_back(1); }), kArgument,
     "long_factor must have one entry per pair (16), got 17"},
    {"LongRopeEntry", longrope_with([](LongRopeScaling& s) { s.long_factor[3] = 0; }), kArgument,
     "every entry of long_factor must be finite and positive, got 0"},
    {"LongRopeLength", longrope_with([](LongRopeScaling& s) { s.original_max_position = 1; }), kArgument,
     "original_max_position must be finite and above 1"},
    {"LongRopeFactor", longrope_with([](LongRopeScaling& s) { s.factor = -1; }), kArgument, "factor"},
    {"LongRopeBlend", longrope_with([](LongRopeScaling& s) { s.factor = 1, s.dynamic_blend = true; }), kArgument,
     "a dynamic blend needs a factor above 1"},
    {"LongRopeAttention", longrope_with([](LongRopeScaling& s) { s.attention_factor = kNan; }), kArgument,
     "attention_factor"},
    {"LongRopeMscale", longrope_with([](LongRopeScaling& s) { s.short_mscale = 0; }), kArgument, "attention_factor"},
    {"Llama3Factor", scaling_of(Llama3Scaling{0.5, 1, 4, 8192}), kArgument, "factor"},
    {"Llama3Low", scaling_of(Llama3Scaling{8, 0, 4, 8192}), kArgument, "low_freq_factor"},
    {"Llama3High", scaling_of(Llama3Scaling{8, 4, 1, 8192}), kArgument, "high_freq_factor"},
    {"Llama3Length", scaling_of(Llama3Scaling{8, 1, 4, 0}), kArgument, "original_max_position"},
    {"Proportion", scaling_of(ProportionalScaling{1.5, 1}), kArgument, "proportion must be in [0, 1], got 1.5"},
    {"ProportionNan", scaling_of(ProportionalScaling{kNan, 1}), kArgument, "proportion"},
    {"ProportionalFactor", scaling_of(ProportionalScaling{1, 0}), kArgument, "factor"},
    {"GivenSets", scaling_of(GivenFrequencies{0, {}}), kArgument, "num_sets"},
    {"GivenCount", scaling_of(GivenFrequencies{2, Vector(16, 1)}), kArgument, "[num_sets][pairs][num_axes] = 32"},
    {"GivenHuge", scaling_of(GivenFrequencies{1, Vector(16, 1e300)}), kArgument,
     "every given frequency must be in -2^100 .. 2^100"},
    {"GivenNan", scaling_of(GivenFrequencies{1, Vector(16, kNan)}), kArgument, "every given frequency must be in"},
};

const BadCall kAxes[] = {
    {"NoAxes", axes_of({AxisRule::kOne, 0, {}, {}}), kArgument, "num_axes must be in 1 .. 64, got 0"},
    {"ManyAxes", axes_of({AxisRule::kSections, 65, {16}, {}}), kArgument, "num_axes"},
    // UP-07, UP-50: sections that do not sum to the pairs
    {"UP_07_Sections", axes_of({AxisRule::kSections, 3, {16, 24, 24}, {}}), kArgument,
     "sections must sum to rotary_dim / 2 = 16, got 64"},
    {"UP_50_Interleaved", axes_of({AxisRule::kInterleavedSections, 3, {5, 5, 5}, {}}), kArgument, "sections must sum"},
    {"SectionsNegative", axes_of({AxisRule::kSections, 3, {20, -4}, {}}), kArgument, "sections must not be negative"},
    {"TwoSections", axes_of({AxisRule::kInterleavedSections, 3, {8, 8}, {}}), kArgument, "three sections"},
    {"FourAxes", axes_of({AxisRule::kAlternatingHeightWidth, 4, {8, 4, 4}, {}}), kArgument, "three sections"},
    {"AxialThree", axes_of({AxisRule::kAxialBlocks, 3, {}, {}}), kArgument, "divide by the number of axes, got 16"},
    {"OrderTooShort", axes_of({AxisRule::kAxialBlocks, 2, {}, {0}}), kArgument, "axis_order must name every axis"},
    {"OrderTwice", axes_of({AxisRule::kAxialBlocks, 2, {}, {1, 1}}), kArgument, "axis_order must be a permutation"},
    {"OrderOutside", axes_of({AxisRule::kAxialBlocks, 2, {}, {0, 2}}), kArgument, "axis_order must be a permutation"},
};

const BadCall kMaps[] = {
    {"NoChannels", map_changed([](RotationMap& m) { m.channels = 0; }), kArgument,
     "validate_map: channels must be at least 1, got 0"},
    {"NoAxes", map_changed([](RotationMap& m) { m.num_axes = 0; }), kArgument, "num_axes"},
    {"NoSets", map_changed([](RotationMap& m) { m.num_sets = 0; }), kArgument, "num_sets"},
    {"PassedTooShort", map_changed([](RotationMap& m) { m.pass_to.pop_back(); }), kArgument,
     "pass_to must have one entry per channel, got 3"},
    {"FrequencyCount", map_changed([](RotationMap& m) { m.frequency.pop_back(); }), kArgument,
     "frequency must be [num_sets][pairs][num_axes] = 2, got 1"},
    {"FrequencyNan", map_changed([](RotationMap& m) { m.frequency[1].hi = kNan; }), kArgument, "frequencies"},
    {"FrequencyLow", map_changed([](RotationMap& m) { m.frequency[1].lo = kInfinity; }), kArgument, "frequencies"},
    {"FactorZero", map_changed([](RotationMap& m) { m.attention_factor = 0; }), kArgument, "attention_factor"},
    {"FactorNan", map_changed([](RotationMap& m) { m.attention_factor = kNan; }), kArgument, "attention_factor"},
    {"EndsExchanged", map_changed([](RotationMap& m) { std::swap(m.pairs[0].a, m.pairs[0].b); }), kArgument,
     "pairs must have a < b and be sorted by a"},
    {"Unsorted", map_changed([](RotationMap& m) { std::swap(m.pairs[0], m.pairs[1]); }), kArgument, "sorted by a"},
    {"ReadOutside", map_changed([](RotationMap& m) { m.pairs[1].b = 4; }), kArgument,
     "read channels must be in 0 .. channels-1, got 4"},
    {"WrittenOutside", map_changed([](RotationMap& m) { m.pairs[1].d = -1; }), kArgument,
     "written channels must be in 0 .. channels-1, got -1"},
    {"ReadTwice", map_changed([](RotationMap& m) { m.pairs[1].b = 2; }), kArgument,
     "a channel must be read once, got 2"},
    {"WrittenTwice", map_changed([](RotationMap& m) { m.pairs[1].d = 2; }), kArgument,
     "a channel must be written once, got 2"},
    {"PairedAndPassed", map_changed([](RotationMap& m) { m.pass_to[1] = 1; }), kArgument, "pass_to must be -1"},
    {"NeitherPairedNorPassed", map_changed([](RotationMap& m) { m.pairs.pop_back(), m.frequency.pop_back(); }),
     kArgument, "pass_to must be -1"},
    {"PassedOntoAPair", map_changed([](RotationMap& m) {
       m.pairs.pop_back(), m.frequency.pop_back(), m.pass_to = {-1, 0, -1, 3};
     }),
     kArgument, "a channel must be written once, got 0"},
};

class SpecBadInput : public ::testing::TestWithParam<BadCall> {};
TEST_P(SpecBadInput, IsRefusedByName) { expect_refused(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Specs, SpecBadInput, ::testing::ValuesIn(kSpecs), bad_call_name);
INSTANTIATE_TEST_SUITE_P(Scalings, SpecBadInput, ::testing::ValuesIn(kScalings), bad_call_name);
INSTANTIATE_TEST_SUITE_P(Axes, SpecBadInput, ::testing::ValuesIn(kAxes), bad_call_name);
INSTANTIATE_TEST_SUITE_P(Maps, SpecBadInput, ::testing::ValuesIn(kMaps), bad_call_name);

}  // namespace
}  // namespace rotary::testing
