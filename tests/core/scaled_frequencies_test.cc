// Scaled frequencies against the twin, and the laws that the methods obey.
#include "core/scaled_frequencies.h"

#include <gtest/gtest.h>

#include <future>

#include "core/pair_slots.h"
#include "core/rotation_cases.h"
#include "reference/frequencies.h"

namespace rotary::testing {
namespace {

using detail::DoubleDouble;

constexpr double kEpsilon = 0x1p-52;
constexpr double kExact = 0x1p-95;  // what exact arithmetic promises

std::vector<double> hi_of(const RotationMap& map) {
  std::vector<double> out;
  for (const Frequency& f : map.frequency) out.push_back(f.hi);
  return out;
}

/// |a - b| / |b| of two frequencies, beyond double precision.
double relative_gap(const Frequency& a, const Frequency& b) {
  const DoubleDouble gap = DoubleDouble{a.hi, a.lo} - DoubleDouble{b.hi, b.lo};
  return b.hi == 0 ? std::abs(a.hi) : std::abs(gap.hi / b.hi);
}

Frequency over(const Frequency& f, double divisor) {
  const DoubleDouble out = DoubleDouble{f.hi, f.lo} / DoubleDouble{divisor};
  return {out.hi, out.lo};
}

class ScaledFrequenciesProperty : public ::testing::TestWithParam<SpecCase> {};

TEST_P(ScaledFrequenciesProperty, AreThoseOfTheTwin) {
  const SpecCase& c = GetParam();
  const reference::List list{c.spec.base, double(c.spec.rotary_dim), double(c.seq_len)};
  const RotationMap map = c.map();
  for (int i = 0; i < c.spec.rotary_dim / 2; ++i) {
    const double want = reference::frequency(c.spec.scaling, list, i);
    // The twin's exponent is off by eps / 2, times ln base < 14 that is 7 eps; its ramp is off by eps * 45 pairs / 24
    // in a blend of f and f / 32, at most 60 eps; ten other roundings.
    EXPECT_NEAR(map.at(0, i, 0).hi, want, 80 * kEpsilon * want) << i;
  }
}

TEST_P(ScaledFrequenciesProperty, AreAPureFunctionOfTheLengthWhateverTheThread) {
  const LengthRule rule(GetParam().spec);  // UP-31
  const RotationMap alone = rule.map(10), alone_long = rule.map(8192);
  const auto work = [&](int thread) { return rule.map(thread % 2 ? 8192 : 10); };
  std::vector<std::future<RotationMap>> threads;
  for (int thread = 0; thread < 8; ++thread) threads.push_back(std::async(std::launch::async, work, thread));
  for (std::size_t thread = 0; thread < 8; ++thread) EXPECT_EQ(threads[thread].get(), thread % 2 ? alone_long : alone);
  EXPECT_EQ(rule.map(10), alone);
  EXPECT_EQ(alone == alone_long, !rule.depends_on_length());
}

TEST_P(ScaledFrequenciesProperty, NeverExceedTheUnscaledOnes) {
  if (std::holds_alternative<GivenFrequencies>(GetParam().spec.scaling)) return;
  const std::vector<double> scaled = hi_of(GetParam().map()), plain = hi_of(map_of(32, 10000));
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_LE(scaled[i], plain[i]) << i;
}

TEST_P(ScaledFrequenciesProperty, BothEnginesOfFormulasAgreeToFloat32) {
  const SpecCase& c = GetParam();
  const RotationMap exact = c.map(), engine = make_rotation_map(c.spec, c.seq_len, Arithmetic::kTransformersFloat32);
  for (std::size_t i = 0; i < exact.frequency.size(); ++i) {
    const double want = exact.frequency[i].hi;
    // Exponent, power, product and quotient of the released code: eps (ln base + 4); the ramp's quotient times 1 / 32.
    EXPECT_NEAR(engine.frequency[i].hi, want, 64 * 0x1p-23 * want) << i;
    EXPECT_EQ(engine.frequency[i].hi, double{static_cast<float>(engine.frequency[i].hi)});
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ScaledFrequenciesProperty, ::testing::ValuesIn(scaling_cases()), case_name);

// --- A factor of one

std::vector<SpecCase> factor_one_cases() {
  const Vector ones(16, 1.0);
  const auto of = [](const char* name, Scaling scaling) { return SpecCase{name, spec_of(32, 10000, scaling), 8192}; };
  return {of("Linear", LinearScaling{1}),
          of("Ntk", NtkScaling{1}),
          of("NtkScaledBase", NtkScaledBaseScaling{1}),
          of("NtkMixed", NtkMixedScaling{1, 0.625}),
          of("DynamicPaper", DynamicNtkScaling{1, 8192, true}),
          of("NtkByParts", NtkByPartsScaling{1, 4096}),
          of("NtkByPartsPaper", NtkByPartsPaperScaling{1, 4096, 1, 32, true}),
          of("Yarn", yarn_of(1, 4096)),
          of("LongRope", longrope_of(1, 4096, ones, ones)),
          of("Llama3", Llama3Scaling{1, 1, 4, 4096}),
          of("Proportional", ProportionalScaling{1, 1})};
}

class FactorOneProperty : public ::testing::TestWithParam<SpecCase> {};

TEST_P(FactorOneProperty, ChangesNothing) {
  const RotationMap map = GetParam().map(), plain = map_of(32, 10000);
  EXPECT_EQ(map.attention_factor, 1);
  for (std::size_t i = 0; i < plain.frequency.size(); ++i)
    EXPECT_LE(relative_gap(map.frequency[i], plain.frequency[i]), kExact) << i;
}

INSTANTIATE_TEST_SUITE_P(Methods, FactorOneProperty, ::testing::ValuesIn(factor_one_cases()), case_name);

// --- Laws of single methods

TEST(ScaledFrequenciesProperty, NtkKeepsTheFirstPairAndDividesTheLastByAlpha) {
  const RotationMap plain = map_of(128, 500000), ntk = map_of(128, 500000, NtkScaling{8});
  EXPECT_EQ(ntk.frequency[0], plain.frequency[0]);
  EXPECT_LE(relative_gap(ntk.frequency[63], over(plain.frequency[63], 8)), kExact);
  for (std::size_t i = 0; i < 63; ++i)
    EXPECT_LT(ntk.frequency[i + 1].hi / plain.frequency[i + 1].hi, ntk.frequency[i].hi / plain.frequency[i].hi);
}

TEST(ScaledFrequenciesProperty, TheScaledBaseCurveEndsAtOneFactorToo) {
  const RotationMap plain = map_of(128, 10000), ntk = map_of(128, 10000, NtkScaledBaseScaling{8});
  EXPECT_LE(relative_gap(ntk.frequency[63], over(plain.frequency[63], 8)), kExact);
  EXPECT_LT(ntk.frequency[0].hi, plain.frequency[0].hi);
}

TEST(ScaledFrequenciesProperty, DynamicIsPlainBitForBitUpToTheOriginalLengthAndContinuousThere) {
  for (bool paper : {false, true}) {
    const LengthRule rule(spec_of(64, 10000, DynamicNtkScaling{4, 4096, paper}));
    for (std::int64_t length : {0, 1, 4095, 4096}) EXPECT_EQ(rule.map(length), map_of(64, 10000)) << length;  // D30
    const RotationMap next = rule.map(4097);
    for (std::size_t i = 1; i < 32; ++i) {
      EXPECT_LT(next.frequency[i].hi, rule.map(4096).frequency[i].hi);
      // One token more: r - 1 is at most 4 / 4096, and f moves by less than (r - 1) of itself.
      EXPECT_NEAR(next.frequency[i].hi, rule.map(4096).frequency[i].hi, 4.0 / 4096 * next.frequency[i].hi * 1.1);
    }
  }
}

TEST(ScaledFrequenciesProperty, LongRopeWithEqualEntriesIsPlainLinearOrNtk) {
  const RotationMap plain = map_of(32, 10000), ntk = map_of(32, 10000, NtkScaling{8});
  Vector ones(16, 1.0), eights(16, 8.0), curve;
  for (std::size_t i = 0; i < 16; ++i) curve.push_back(plain.frequency[i].hi / ntk.frequency[i].hi);
  const auto longrope = [](const Vector& list) { return map_of(32, 10000, longrope_of(1, 4096, list, list)); };
  EXPECT_EQ(longrope(ones).frequency, plain.frequency);
  EXPECT_EQ(longrope(eights).frequency, map_of(32, 10000, LinearScaling{8}).frequency);
  for (std::size_t i = 0; i < 16; ++i)  // the list holds a quotient of two roundings
    EXPECT_NEAR(longrope(curve).frequency[i].hi, ntk.frequency[i].hi, 3 * kEpsilon * ntk.frequency[i].hi);
}

TEST(ScaledFrequenciesProperty, LongRopeSwitchesStrictlyAboveTheOriginalLength) {
  const Vector ones(16, 1.0), twos(16, 2.0);  // D25, D30
  const LengthRule rule(spec_of(32, 10000, longrope_of(1.5, 4096, ones, twos)));
  EXPECT_EQ(rule.switch_length(), 4096);
  for (std::int64_t length : {0, 1, 4096}) EXPECT_EQ(rule.map(length).frequency, map_of(32, 10000).frequency);
  EXPECT_EQ(rule.map(4097).frequency, map_of(32, 10000, LinearScaling{2}).frequency);
}

TEST(ScaledFrequenciesProperty, TheDynamicBlendGrowsFromPlainToTheLongList) {
  LongRopeScaling scaling = longrope_of(4, 4096, Vector(16, 1.0), Vector(16, 2.0));
  scaling.dynamic_blend = true;
  const LengthRule rule(spec_of(32, 10000, scaling));
  EXPECT_EQ(rule.map(4096).frequency, map_of(32, 10000).frequency);
  EXPECT_EQ(rule.map(4 * 4096).frequency, map_of(32, 10000, LinearScaling{2}).frequency);
  const RotationMap half_way = rule.map(5 * 2048), linear = map_of(32, 10000, LinearScaling{1.5});
  for (std::size_t i = 0; i < 16; ++i) EXPECT_LE(relative_gap(half_way.frequency[i], linear.frequency[i]), kExact);
}

TEST(ScaledFrequenciesProperty, Llama3IsTheRampOfThePaperBetweenOneAndFourTurns) {
  for (double factor : {8.0, 32.0}) {
    const RotationMap llama3 = map_of(128, 500000, Llama3Scaling{factor, 1, 4, 8192});
    const RotationMap paper = map_of(128, 500000, NtkByPartsPaperScaling{factor, 8192, 1, 4});
    EXPECT_EQ(hi_of(llama3), hi_of(paper));
    for (std::size_t i = 0; i < 64; ++i) EXPECT_LE(relative_gap(llama3.frequency[i], paper.frequency[i]), kExact) << i;
  }
}

TEST(ScaledFrequenciesProperty, Llama3WithoutABlendedBandIsDefined) {
  const Llama3Scaling scaling{8, 4, 4, 8192};  // D26: transformers divides by zero
  for (Arithmetic arithmetic : {Arithmetic::kExact, Arithmetic::kTransformersFloat32}) {
    const RotationMap map = make_rotation_map(spec_of(128, 500000, scaling), 0, arithmetic);
    const RotationMap plain = make_rotation_map(spec_of(128, 500000), 0, arithmetic);
    for (std::size_t i = 0; i < 64; ++i) {
      const bool turns_four_times = 8192 * plain.frequency[i].hi / reference::kTwoPi > 4;
      EXPECT_EQ(map.frequency[i].hi, plain.frequency[i].hi / (turns_four_times ? 1 : 8)) << i;
    }
  }
}

TEST(ScaledFrequenciesProperty, Llama3IsDefinedWhereAPairLiesOnTheEdgeOfAnEmptyBand) {
  const double wavelength = 6.283185307179586F;  // of pair 0 in float32: 0 / 0 in the formula
  const RopeSpec spec = spec_of(128, 500000, Llama3Scaling{8, 1, 1, wavelength});
  EXPECT_EQ(make_rotation_map(spec, 0, Arithmetic::kTransformersFloat32).frequency[0].hi, 0.125);
}

TEST(ScaledFrequenciesProperty, ARampWithoutWidthIsAStep) {
  const RotationMap step = map_of(64, 10000, NtkByPartsPaperScaling{4, 4096, 8, 8}), plain = map_of(64, 10000);
  for (std::size_t i = 0; i < 32; ++i) {
    const bool kept = 4096 * plain.frequency[i].hi / reference::kTwoPi > 8;
    EXPECT_EQ(step.frequency[i].hi, plain.frequency[i].hi / (kept ? 1 : 4)) << i;
  }
}

TEST(ScaledFrequenciesProperty, PartialRotaryAndProportionalRotaryShareTheFirstPairOnly) {
  RopeSpec partial = spec_of(128, 10000);
  partial.rotary_dim = 32;
  const RotationMap spaced = make_rotation_map(partial);
  const RotationMap kept = map_of(128, 10000, ProportionalScaling{0.25, 1});
  EXPECT_EQ(rotary_dim(spaced), rotary_dim(kept));
  for (std::size_t i = 1; i < 16; ++i) EXPECT_LT(spaced.frequency[i].hi, kept.frequency[i].hi) << i;
  for (std::size_t i = 1; 4 * i < 16; ++i)
    EXPECT_LE(relative_gap(spaced.frequency[i], kept.frequency[4 * i]), kExact) << i;  // b^(-8i/d)
}

TEST(ScaledFrequenciesProperty, SignAndMultiplierApplyToEveryMethod) {
  for (SpecCase c : scaling_cases()) {
    const RotationMap map = c.map();
    c.spec.negate_angle = true;
    c.spec.angle_multiplier = 4;
    const RotationMap turned = c.map();
    for (std::size_t i = 0; i < map.frequency.size(); ++i)
      EXPECT_EQ(turned.frequency[i], (Frequency{-4 * map.frequency[i].hi, -4 * map.frequency[i].lo})) << c.name;
  }
}

}  // namespace
}  // namespace rotary::testing
