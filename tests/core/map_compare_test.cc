// compare() names the cause of a difference that was put in on purpose.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/bad_calls.h"
#include "core/bfloat16.h"
#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

/// 64 of 128 channels turn, Llama's base.
RopeSpec usual() {
  RopeSpec spec = spec_of(64, 500000);
  spec.head_dim = 128;
  return spec;
}

RotationMap changed(const std::function<void(RopeSpec&)>& change) {
  RopeSpec spec = usual();
  change(spec);
  return make_rotation_map(spec);
}

RotationMap scaled(Scaling scaling) {
  return changed([&](RopeSpec& s) { s.scaling = std::move(scaling); });
}

RotationMap with_frequencies(const std::function<double(double)>& change) {
  RotationMap map = make_rotation_map(usual());
  for (Frequency& f : map.frequency) f = {change(f.hi), 0};
  return map;
}

RotationMap with_factor(double factor) {
  RotationMap map = make_rotation_map(usual());
  map.attention_factor = factor;
  return map;
}

RotationMap with_axes(AxisRule rule, std::vector<int> sections) {
  return changed([&](RopeSpec& s) { s.axes = {rule, 3, std::move(sections), {}}; });
}

RotationMap on_every_head(double second) {
  const RotationMap map = make_rotation_map(usual());
  Vector both;
  for (double factor : {1.0, second})
    for (const Frequency& f : map.frequency) both.push_back(factor * f.hi);
  return scaled(GivenFrequencies{2, both});
}

void vision(RopeSpec& s) { s.axes = {AxisRule::kAxialBlocks, 2, {}, {}}; }

double float16(double x) {
  const int last = std::max(std::ilogb(x), -14) - 10;  // 11 digits, none below 2^-24
  return std::ldexp(std::round(std::ldexp(x, -last)), last);
}

struct DifferenceCase {
  const char* name;
  std::function<RotationMap()> other;
  const char* cause;
  std::function<RotationMap()> map = [] { return make_rotation_map(usual()); };

  friend void PrintTo(const DifferenceCase& c, std::ostream* out) { *out << c.name; }
};

const DifferenceCase kDifferences[] = {
    {"Pairing", [] { return changed([](RopeSpec& s) { s.pairing = s.output_pairing = Pairing::kInterleaved; }); },
     "pairing"},
    {"RotaryWidth", [] { return changed([](RopeSpec& s) { s.rotary_dim = 32; }); }, "rotary width"},
    {"SliceOffset", [] { return changed([](RopeSpec& s) { s.rotary_offset = 64; }); }, "slice offset"},
    {"HeadWidth", [] { return changed([](RopeSpec& s) { s.head_dim = 96; }); }, "head width"},
    {"Base", [] { return changed([](RopeSpec& s) { s.base = 10000; }); }, "base"},
    {"BaseALittleOff", [] { return changed([](RopeSpec& s) { s.base = 500100; }); }, "base"},
    {"BaseOffByOneInTenMillion", [] { return changed([](RopeSpec& s) { s.base = 500000.05; }); }, "base"},
    {"BaseAndConstantFactor", [] { return changed([](RopeSpec& s) { s.base = 10000, s.scaling = LinearScaling{4}; }); },
     "context scaling"},
    {"BaseOfTwoLists", [] { return changed([](RopeSpec& s) { vision(s), s.base = 10000; }); }, "base",
     [] { return changed(vision); }},
    {"NtkIsAnotherBase", [] { return scaled(NtkScaling{4}); }, "base"},
    {"ExponentDenominator", [] { return changed([](RopeSpec& s) { s.frequency_dim = 128; }); }, "exponent denominator"},
    {"Sign", [] { return changed([](RopeSpec& s) { s.negate_angle = true; }); }, "sign"},
    {"ConstantFactor", [] { return scaled(LinearScaling{4}); }, "constant factor (linear scaling)"},
    {"PartOfThePairs", [] { return scaled(Llama3Scaling{}); }, "context scaling (part of the pairs)"},
    {"AllPairs",
     [] {
       return scaled(NtkMixedScaling{8, 0.625});
     },
     "context scaling"},
    {"FactorMissing", [] { return with_factor(1.138); }, "attention factor missing in one"},
    {"FactorSquared", [] { return with_factor(1.138 * 1.138); }, "attention factor squared",
     [] { return with_factor(1.138); }},
    {"FactorSquaredInTheFirst", [] { return with_factor(1.138); }, "attention factor squared in the first",
     [] { return with_factor(1.138 * 1.138); }},
    {"OtherFactor", [] { return with_factor(1.2); }, "attention factor", [] { return with_factor(1.138); }},
    {"Yarn", [] { return scaled(yarn_of(4, 8192)); },
     "context scaling (part of the pairs) and attention factor missing in one"},
    {"AxisAssignment",
     [] {
       return with_axes(AxisRule::kInterleavedSections, {12, 10, 10});
     },
     "axis assignment",
     [] {
       return with_axes(AxisRule::kSections, {12, 10, 10});
     }},
    {"NumberOfAxes", [] { return with_axes(AxisRule::kSections, {32}); }, "axis assignment"},
    {"OutputLayout", [] { return changed([](RopeSpec& s) { s.pairing = Pairing::kInterleaved; }); }, "output layout",
     [] { return changed([](RopeSpec& s) { s.pairing = s.output_pairing = Pairing::kInterleaved; }); }},
    {"Bfloat16Frequencies",
     [] { return with_frequencies([](double f) { return detail::rounded_to_bfloat16(static_cast<float>(f)); }); },
     "16-bit frequencies"},
    {"Float16Frequencies", [] { return with_frequencies(float16); }, "16-bit frequencies"},
    {"Float32Frequencies", [] { return make_rotation_map(usual(), 0, Arithmetic::kTransformersFloat32); },
     "float32 rounding of the frequencies"},
    {"FrequenciesPerHead", [] { return on_every_head(2); }, "frequencies per head"},
    {"OneHeadOnly", [] { return on_every_head(2); }, "constant factor (linear scaling)",
     [] { return on_every_head(1); }},
    {"NoRotation",
     [] {
       return scaled(ProportionalScaling{0, 1});
     },
     "rotation present in one only"},
    {"StillPairs", [] { return with_frequencies([](double f) { return f < 1e-3 ? 0 : f; }); }, "rotary width"},
};

class MapCompare : public ::testing::TestWithParam<DifferenceCase> {};

TEST_P(MapCompare, NamesTheCause) {
  const MapDifference difference = compare(GetParam().map(), GetParam().other());
  EXPECT_FALSE(difference.same);
  EXPECT_EQ(difference.cause, GetParam().cause);
}

TEST_P(MapCompare, IsSilentOnTheSameMap) {
  const MapDifference difference = compare(GetParam().other(), GetParam().other(), 1000003);
  EXPECT_TRUE(difference.same);
  EXPECT_EQ(difference.cause, "");
  EXPECT_EQ(difference.max_angle, 0);
  EXPECT_EQ(difference.factor_ratio, 1);
}

INSTANTIATE_TEST_SUITE_P(Differences, MapCompare, ::testing::ValuesIn(kDifferences),
                         [](const auto& info) { return info.param.name; });

TEST(MapCompare, TheLargestAngleIsThatOfTheWorstPairAtThePosition) {
  const RotationMap x = map_with({1, 0.5, 0.25}), y = map_with({1, 0.5, 0.125});
  const MapDifference near = compare(x, y), far = compare(x, y, -1000);
  EXPECT_EQ(near.pair, 2);
  EXPECT_EQ(near.max_angle, 0.125);
  EXPECT_EQ(far.max_angle, 125);
}

TEST(MapCompare, TheLargestAngleCountsPairsThatStandStillOrAreMissing) {
  const RotationMap x = map_with({1, 0.5, 0.25, 0.125});
  const MapDifference tail = compare(x, map_with({1, 0.5, 0, 0})),
                      first = compare(map_with({1, 0.5}), map_with({0, 0.5})),
                      last = compare(map_with({0, 1, 0.5}), map_with({0, 1, 0.25}));
  EXPECT_EQ(tail.max_angle, 0.25);
  EXPECT_EQ(tail.pair, 2);
  EXPECT_EQ(first.max_angle, 1);
  EXPECT_EQ(first.pair, 0);
  EXPECT_EQ(last.pair, 2);
}

TEST(MapCompare, TheFactorRatioIsThatOfTheSecondOverTheFirst) {
  EXPECT_EQ(compare(with_factor(2), with_factor(3)).factor_ratio, 1.5);
}

TEST(MapCompare, DifferencesBelow1e12AreNone) {
  const auto scaled_by = [](double factor) { return with_frequencies([=](double f) { return f * factor; }); };
  EXPECT_TRUE(compare(scaled_by(1), scaled_by(1 + 5e-13)).same);
  EXPECT_FALSE(compare(scaled_by(1), scaled_by(1 + 5e-12)).same);
}

TEST(MapCompare, StillPairsAndChannelsInNoPairAreTheSame) {
  const RotationMap still = changed([](RopeSpec& s) { s.rotary_dim = 128, s.scaling = ProportionalScaling{0.25, 1}; });
  RotationMap passed = still;
  passed.pairs.resize(16);
  passed.frequency.resize(16);
  for (std::size_t i = 16; i < 64; ++i)
    for (std::size_t channel : {i, i + 64}) passed.pass_to[channel] = static_cast<int>(channel);
  EXPECT_TRUE(compare(still, passed).same);
  EXPECT_EQ(fingerprint(still), fingerprint(passed));
}

TEST(MapCompare, WhatIsDeclaredReplacesTheGuessFromTheFrequencies) {
  RopeSpec other = usual();
  other.base = 10000;
  other.scaling = yarn_of(4, 8192);
  const std::string declared = declared_difference(usual(), other);
  EXPECT_EQ(declared, "base 500000 / 10000, scaling default / yarn");
  const RotationMap x = make_rotation_map(usual()), y = make_rotation_map(other);
  EXPECT_EQ(compare(x, y, 1, declared).cause, declared);
  EXPECT_EQ(compare(x, x, 1, declared).cause, "");
  EXPECT_EQ(compare(x, changed([](RopeSpec& s) { s.head_dim = 96; }), 1, declared).cause, "head width");
}

TEST(MapCompare, ADeclaredDifferenceNamesEveryField) {
  RopeSpec other = usual();
  EXPECT_EQ(declared_difference(usual(), other), "");
  other.frequency_dim = 128;
  other.angle_multiplier = 2;
  other.scaling = LinearScaling{2};
  EXPECT_EQ(declared_difference(usual(), other), "exponent denominator, angle multiplier, scaling default / linear");
  RopeSpec linear = other;
  linear.scaling = LinearScaling{4};
  EXPECT_EQ(declared_difference(other, linear), "linear parameters");
}

const double kNan = std::numeric_limits<double>::quiet_NaN();

const BadCall kBadCalls[] = {
    {"FirstInvalid", [] { compare(RotationMap{}, map_of(4, 10000)); }, "invalid_argument", "channels"},
    {"SecondInvalid", [] { compare(map_of(4, 10000), RotationMap{}); }, "invalid_argument", "channels"},
    {"Position", [] { compare(map_of(4, 10000), map_of(4, 10000), kNan); }, "invalid_argument", "compare: position"},
};

class MapCompareBadInput : public ::testing::TestWithParam<BadCall> {};
TEST_P(MapCompareBadInput, IsRefusedByName) { expect_refused(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Calls, MapCompareBadInput, ::testing::ValuesIn(kBadCalls), bad_call_name);

}  // namespace
}  // namespace rotary::testing
