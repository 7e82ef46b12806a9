// Fingerprints: the same on every machine, equal for equal maps, different for everything else.
#include <gtest/gtest.h>

#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>

#include "core/golden.h"
#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

using Change = std::function<void(RopeSpec&)>;

std::uint64_t fingerprint_of(const Change& change, std::int64_t seq_len = 0) {
  RopeSpec spec = spec_of(32, 10000);
  spec.head_dim = 64;
  change(spec);
  return fingerprint(make_rotation_map(spec, seq_len));
}

class FingerprintGolden : public ::testing::TestWithParam<SpecCase> {};

TEST_P(FingerprintGolden, IsTheRecordedOne) {
  std::map<std::string, std::uint64_t> recorded;
  std::ifstream file = open_golden("core/fingerprints.txt");
  std::string name;
  for (std::uint64_t value = 0; file >> name >> std::hex >> value;) recorded[name] = value;
  std::ostringstream line;
  line << GetParam().name << " " << std::hex << std::setw(16) << std::setfill('0') << fingerprint(GetParam().map());
  ASSERT_EQ(recorded.count(GetParam().name), 1U) << line.str();
  EXPECT_EQ(fingerprint(GetParam().map()), recorded[GetParam().name]) << line.str();
}

INSTANTIATE_TEST_SUITE_P(Maps, FingerprintGolden, ::testing::ValuesIn(all_cases()), case_name);

// --- The same said differently

struct Synonyms {
  const char* name;
  Change one, other;
  friend void PrintTo(const Synonyms& s, std::ostream* out) { *out << s.name; }
};

void plain(RopeSpec&) {}
Change scaling(Scaling value) {
  return [value](RopeSpec& s) { s.scaling = value; };
}
Change axes(AxisLayout value) {
  return [value](RopeSpec& s) { s.axes = value; };
}
void interleaved(RopeSpec& s) { s.pairing = s.output_pairing = Pairing::kInterleaved; }

const Synonyms kSynonyms[] = {
    {"LinearByOne", plain, scaling(LinearScaling{1})},
    {"NtkByOne", plain, scaling(NtkScaling{1})},
    {"AllProportional", plain, scaling(ProportionalScaling{1, 1})},
    {"ShortDynamic", plain, scaling(DynamicNtkScaling{4, 4096})},
    {"ShortLongRope", plain, scaling(longrope_of(1, 4096, Vector(16, 1), Vector(16, 2)))},
    {"ExplicitDenominator", plain, [](RopeSpec& s) { s.frequency_dim = 32; }},
    {"MaximumPosition", plain, [](RopeSpec& s) { s.max_position = 4096; }},
    {"OneAxisInSections", plain, axes({AxisRule::kSections, 1, {16}, {}})},
    {"OneAxisInTurns", plain, axes({AxisRule::kAlternating, 1, {}, {0}})},
    {"OneAxisInBlocks", plain, axes({AxisRule::kAxialBlocks, 1, {}, {}})},
    {"OneAxisInParts", plain, axes({AxisRule::kAxialParts, 1, {}, {}})},
    {"NegatedMultiplier", [](RopeSpec& s) { s.negate_angle = true; }, [](RopeSpec& s) { s.angle_multiplier = -1; }},
    {"QuarterMultiplier", [](RopeSpec& s) { s.angle_multiplier = 0.25; }, scaling(LinearScaling{4})},
    {"OneBandInTwoPieces", axes({AxisRule::kSections, 2, {8, 8}, {}}),
     axes({AxisRule::kSections, 2, {4, 0, 4, 8}, {}})},
    {"OrderSpelledOut", axes({AxisRule::kAlternating, 2, {}, {}}), axes({AxisRule::kAlternating, 2, {}, {0, 1}})},
    {"ProportionalOfInterleavedPairs",
     [](RopeSpec& s) {
       interleaved(s), s.rotary_dim = 64, s.scaling = ProportionalScaling{0.25, 1};
     },
     [](RopeSpec& s) { interleaved(s), s.rotary_dim = 16, s.frequency_dim = 64; }},
};

class FingerprintSynonyms : public ::testing::TestWithParam<Synonyms> {};

TEST_P(FingerprintSynonyms, AreEqual) { EXPECT_EQ(fingerprint_of(GetParam().one), fingerprint_of(GetParam().other)); }

INSTANTIATE_TEST_SUITE_P(Specs, FingerprintSynonyms, ::testing::ValuesIn(kSynonyms),
                         [](const auto& info) { return info.param.name; });

// --- Every field counts

/// Expects different fingerprints of a spec with all of the changes, each alone.
void expect_all_different(const std::vector<Change>& changes, std::int64_t seq_len = 0) {
  std::set<std::uint64_t> seen{fingerprint_of(plain, seq_len)};
  for (std::size_t i = 0; i < changes.size(); ++i)
    EXPECT_TRUE(seen.insert(fingerprint_of(changes[i], seq_len)).second) << "change " << i << " is not seen";
}

TEST(Fingerprint, EveryFieldOfASpecChangesIt) {
  expect_all_different({[](RopeSpec& s) { s.head_dim = 80; }, [](RopeSpec& s) { s.rotary_dim = 34; },
                        [](RopeSpec& s) { s.rotary_offset = 2; },
                        [](RopeSpec& s) { s.pairing = Pairing::kInterleaved; },
                        [](RopeSpec& s) { s.output_pairing = Pairing::kInterleaved; }, interleaved,
                        [](RopeSpec& s) { s.negate_angle = true; }, [](RopeSpec& s) { s.base = 10000.5; },
                        [](RopeSpec& s) { s.angle_multiplier = 2; }, [](RopeSpec& s) { s.frequency_dim = 64; },
                        scaling(LinearScaling{2}), axes({AxisRule::kSections, 2, {8, 8}, {}}),
                        axes({AxisRule::kSections, 3, {8, 8}, {}}), axes({AxisRule::kSections, 2, {7, 9}, {}}),
                        axes({AxisRule::kAlternating, 2, {}, {1, 0}})});
}

TEST(Fingerprint, EveryParameterOfAScalingChangesIt) {
  expect_all_different(
      {scaling(LinearScaling{3}), scaling(NtkScaling{3}), scaling(NtkScaledBaseScaling{3}),
       scaling(NtkMixedScaling{3, 0.625}), scaling(NtkMixedScaling{3, 0.5}), scaling(DynamicNtkScaling{3, 4096}),
       scaling(DynamicNtkScaling{3, 8191}), scaling(DynamicNtkScaling{3, 4096, true}),
       scaling(Llama3Scaling{3, 1, 4, 4096}), scaling(Llama3Scaling{3, 2, 4, 4096}),
       scaling(Llama3Scaling{3, 1, 8, 4096}), scaling(Llama3Scaling{3, 1, 4, 8192}),
       scaling(ProportionalScaling{0.5, 1}), scaling(ProportionalScaling{0.5, 3}),
       scaling(GivenFrequencies{1, Vector(16, 0.5)}), scaling(GivenFrequencies{2, Vector(32, 0.5)})},
      8192);
}

TEST(Fingerprint, EveryParameterOfNtkByPartsChangesIt) {
  const auto released = [](auto... more) { return scaling(NtkByPartsScaling{4, 2048, more...}); };
  const auto paper = [](double alpha, double beta, bool temperature) {
    return scaling(NtkByPartsPaperScaling{3, 4096, alpha, beta, temperature});
  };
  expect_all_different({released(), released(4.0, 0.75), released(1.25, 0.25), released(1.25, 0.75, 64.0, 2.0),
                        released(1.25, 0.75, 16.0, 4.0), released(1.25, 0.75, 16.0, 2.0, 0.5),
                        released(1.25, 0.75, 16.0, 2.0, 1.0, 0.5), scaling(NtkByPartsScaling{4, 512}),
                        paper(1, 32, false), paper(2, 32, false), paper(1, 16, false), paper(1, 32, true),
                        scaling(NtkByPartsPaperScaling{3, 512})});
}

template <class Scaling>
Change altered(Scaling value, const std::function<void(Scaling&)>& change) {
  change(value);
  return scaling(value);
}

TEST(Fingerprint, EveryParameterOfYarnAndLongRopeChangesIt) {
  const YarnScaling yarn = yarn_of(4, 4096);
  const LongRopeScaling longrope = longrope_of(4, 4096, Vector(16, 1), Vector(16, 2));
  using Y = YarnScaling;
  using L = LongRopeScaling;
  expect_all_different(
      {scaling(yarn), altered<Y>(yarn, [](Y& s) { s.factor = 8; }), altered<Y>(yarn, [](Y& s) { s.beta_fast = 8; }),
       altered<Y>(yarn, [](Y& s) { s.original_max_position = 512; }), altered<Y>(yarn, [](Y& s) { s.beta_slow = 4; }),
       altered<Y>(yarn, [](Y& s) { s.truncate = false; }), altered<Y>(yarn, [](Y& s) { s.attention_factor = 1; }),
       altered<Y>(yarn, [](Y& s) { s.mscale = 0.5, s.mscale_all_dim = 1; }),
       altered<Y>(yarn, [](Y& s) { s.mscale = 1, s.mscale_all_dim = 0.5; }),
       altered<Y>(yarn, [](Y& s) { s.mscale_coefficient = 0.07; }), scaling(longrope),
       altered<L>(longrope, [](L& s) { s.original_max_position = 8192; }),
       altered<L>(longrope, [](L& s) { s.long_factor[3] = 3; }), altered<L>(longrope, [](L& s) { s.factor = 8; }),
       altered<L>(longrope, [](L& s) { s.attention_factor = 1; }),
       altered<L>(longrope, [](L& s) { s.long_mscale = 2; }),
       altered<L>(longrope, [](L& s) { s.dynamic_blend = true; })},
      8192);
}

TEST(Fingerprint, TheLengthAndTheArithmeticChangeIt) {
  RopeSpec spec = spec_of(32, 10000, DynamicNtkScaling{2, 4096});
  EXPECT_NE(fingerprint(make_rotation_map(spec, 4097)), fingerprint(make_rotation_map(spec, 4098)));
  EXPECT_NE(fingerprint(make_rotation_map(spec)),
            fingerprint(make_rotation_map(spec, 0, Arithmetic::kTransformersFloat32)));
}

TEST(Fingerprint, TheSignOfAZeroFrequencyDoesNotCount) {
  RotationMap map = map_with({1, 0, 0, 1}, 2);
  const std::uint64_t before = fingerprint(map);
  map.frequency[1] = {-0.0, -0.0};
  EXPECT_EQ(fingerprint(map), before);
}

TEST(Fingerprint, AStillPairUnderAFactorIsNoPassedChannel) {
  RotationMap still = map_of(4, 10000, GivenFrequencies{1, {1, 0}}), passed = still;
  passed.pairs.pop_back();
  passed.frequency.pop_back();
  passed.pass_to = {-1, 1, -1, 3};
  EXPECT_EQ(fingerprint(still), fingerprint(passed));
  still.attention_factor = passed.attention_factor = 2;
  EXPECT_NE(fingerprint(still), fingerprint(passed));
}

}  // namespace
}  // namespace rotary::testing
