// Rotations found out from tables and from vectors, and the faults that are named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/measured_cases.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;

struct SeededFault {
  const char* name;
  RopeSpec right, wrong;
  const char* cause;  // part of what likely_fault() must say
  bool in_table = true;
};

void set_factor(RopeSpec& s, double factor) { std::get<YarnScaling>(s.scaling).attention_factor = factor; }

// One for each cause and family that can have it.
const SeededFault kFaults[] = {
    {"PairingOfLlama", plain(),
     changed(plain(), [](RopeSpec& s) { s.pairing = s.output_pairing = Pairing::kInterleaved; }), "pairing", false},
    {"PairingOfGptJ", gpt_j(), pythia(), "pairing", false},
    {"OutputOfDeepSeek", changed(deepseek(), [](RopeSpec& s) { s.output_pairing = Pairing::kInterleaved; }), deepseek(),
     "output layout", false},
    {"SignOfLlama", plain(), changed(plain(), [](RopeSpec& s) { s.negate_angle = true; }), "sign"},
    {"SignOfQwen", qwen(), changed(qwen(), [](RopeSpec& s) { s.negate_angle = true; }), "sign"},
    {"WidthOfPythia", pythia(), changed(pythia(), [](RopeSpec& s) { s.rotary_dim = 64; }), "rotary width"},
    {"WidthOfGptJ", gpt_j(), changed(gpt_j(), [](RopeSpec& s) { s.rotary_dim = 32; }), "rotary width"},
    {"SliceOfDeepSeek", deepseek(), changed(deepseek(), [](RopeSpec& s) { s.rotary_offset = 0; }), "slice offset",
     false},
    {"SliceOfPythia", pythia(), changed(pythia(), [](RopeSpec& s) { s.rotary_offset = 48; }), "slice offset", false},
    {"DenominatorOfPythia", pythia(), changed(pythia(), [](RopeSpec& s) { s.frequency_dim = 64; }), "denominator"},
    {"DenominatorOfDeepSeek", deepseek(), changed(deepseek(), [](RopeSpec& s) { s.frequency_dim = 64; }),
     "denominator"},
    {"BaseOfLlama", plain(), plain(10000), "base 10000 instead of 500000"},
    {"BaseOfQwen", qwen(), changed(qwen(), [](RopeSpec& s) { s.base = 10000; }), "base 10000 instead of 1000000"},
    {"BaseOfLlama3", llama3(), changed(llama3(), [](RopeSpec& s) { s.base = 10000; }), "base 10000 instead of 500000"},
    {"BaseAndScalingOfLlama3", llama3(), plain(10000), "base 10000 instead of 500000, and the scaling is left out"},
    {"ScalingOfLlama3", llama3(), plain(), "scaling is left out"},
    {"ScalingOfQwen", qwen(), plain(1e6), "scaling is left out"},
    {"ScalingOfLinear", linear(), plain(10000), "scaling is left out"},
    {"TruncateOfGptOss", gpt_oss(),
     changed(gpt_oss(), [](RopeSpec& s) { std::get<YarnScaling>(s.scaling).truncate = true; }), "truncate"},
    {"LengthOfQwen", qwen(),
     changed(qwen(), [](RopeSpec& s) { std::get<YarnScaling>(s.scaling).original_max_position = 4096; }),
     "present limit"},
    {"ListOfPhi3", phi3(),
     changed(phi3(),
             [](RopeSpec& s) {
               auto& l = std::get<LongRopeScaling>(s.scaling);
               std::swap(l.short_factor, l.long_factor);
             }),
     "other lengths"},
    {"FactorMissingInQwen", qwen(), changed(qwen(), [](RopeSpec& s) { set_factor(s, 1); }), "attention factor missing"},
    {"FactorMissingInPhi3", phi3(),
     changed(phi3(), [](RopeSpec& s) { std::get<LongRopeScaling>(s.scaling).attention_factor = 1; }),
     "attention factor missing"},
    {"FactorSquaredInQwen", qwen(),
     changed(qwen(), [](RopeSpec& s) { set_factor(s, std::pow(1 + 0.1 * std::log(4.0), 2)); }),
     "attention factor squared"},
    {"FactorNotRead", changed(qwen(), [](RopeSpec& s) { set_factor(s, 1); }), qwen(), "is not read"},
    {"TwiceLinear", linear(), with(plain(10000), LinearScaling{16}), "applied twice"},
    {"LinearForLlama3", llama3(), with(plain(), LinearScaling{8}), "linear scaling instead"},
};

class SeededFaults : public ::testing::TestWithParam<SeededFault> {};

TEST_P(SeededFaults, AreNamedFromVectors) {
  const SeededFault& fault = GetParam();
  const MeasuredRotation found = measured(dump_of(fault.wrong));
  EXPECT_EQ(found.irregular, "");
  EXPECT_FALSE(compare(make_rotation_map(fault.right), found).same);
  EXPECT_THAT(likely_fault(fault.right, found), HasSubstr(fault.cause));
}

// A table of pairs does not know the channels.
std::vector<SeededFault> faults_in_tables() {
  std::vector<SeededFault> out;
  for (const SeededFault& fault : kFaults)
    if (fault.in_table) out.push_back(fault);
  return out;
}

class SeededTableFaults : public ::testing::TestWithParam<SeededFault> {};

TEST_P(SeededTableFaults, AreNamed) {
  const SeededFault& fault = GetParam();
  const MeasuredRotation found = measured(table_of(fault.wrong));
  EXPECT_EQ(found.irregular, "");
  EXPECT_FALSE(compare(make_rotation_map(fault.right), found).same);
  EXPECT_THAT(likely_fault(fault.right, found), HasSubstr(fault.cause));
}

INSTANTIATE_TEST_SUITE_P(, SeededFaults, ::testing::ValuesIn(kFaults),
                         [](const auto& info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(, SeededTableFaults, ::testing::ValuesIn(faults_in_tables()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Measured, IsTheSameWhereItIs) {
  int pairs = 0;
  for (const RopeSpec& spec : families())
    for (std::int64_t first : {0, 17}) {
      const RotationMap map = make_rotation_map(spec);
      for (Arithmetic arithmetic :
           {Arithmetic::kExact, Arithmetic::kTransformersFloat32, Arithmetic::kTransformersBfloat16}) {
        const MeasuredRotation table = measured(table_of(spec, arithmetic));
        const MapDifference d = compare(map, table);
        EXPECT_TRUE(d.same) << d.cause << " in " << scaling_name(spec.scaling) << " " << to_string(arithmetic);
        EXPECT_TRUE(compare(table, measured(table_of(spec))).same);
        pairs += 2;
      }
      MeasuredRotation dump = measured(dump_of(spec, first));
      EXPECT_EQ(dump.first_position, first);
      dump.first_position = 0;
      EXPECT_TRUE(compare(map, dump).same) << compare(map, dump).cause << " in " << scaling_name(spec.scaling);
      EXPECT_EQ(likely_fault(spec, dump), "");  // no fault gives the right numbers
      ++pairs;
    }
  EXPECT_EQ(pairs, 140);
}

TEST(Measured, SaysThatAllIsZero) {
  Dump d = dump_of(plain());
  std::fill(d.after.begin(), d.after.end(), 0.0F);
  EXPECT_THAT(compare(make_rotation_map(plain()), measured(d)).cause, HasSubstr("all results are zero"));
  Table t = table_of(plain());
  std::fill(t.cos.begin(), t.cos.end(), 0.0F);
  t.sin = t.cos;
  EXPECT_THAT(compare(make_rotation_map(plain()), measured(t)).cause, HasSubstr("all results are zero"));
}

TEST(Measured, VectorsOfWiderHeadsCompareWithATableOfThePairs) {
  RopeSpec wide = plain();
  wide.head_dim = 96;
  const MeasuredRotation vectors = measured(dump_of(wide)), table = measured(table_of(wide));
  EXPECT_TRUE(compare(vectors, table).same) << compare(vectors, table).cause;
  EXPECT_TRUE(compare(table, vectors).same) << compare(table, vectors).cause;
}

TEST(Measured, SaysWhichChannelsMeetWhereValuesStandTwice) {
  const Table t = table_of(plain());
  for (Pairing pairing : {Pairing::kHalf, Pairing::kInterleaved}) {
    const Table twice = doubled(t, 32, pairing);
    const MeasuredRotation found = measured(twice);
    EXPECT_TRUE(found.knows_pairs);
    EXPECT_EQ(found.map.pairs.size(), 32U);
    const MapDifference d = compare(make_rotation_map(plain()), found);
    EXPECT_EQ(d.same, pairing == Pairing::kHalf);
    EXPECT_EQ(d.cause, pairing == Pairing::kHalf ? "" : "pairing");
  }
  EXPECT_FALSE(measured(t).knows_pairs);
}

TEST(Measured, GivesTheNumberOfAnyBase) {
  EXPECT_EQ(likely_fault(plain(), measured(table_of(plain(412000)))), "base 412000 instead of 500000");
  EXPECT_EQ(likely_fault(llama3(), measured(table_of(changed(llama3(), [](RopeSpec& s) { s.base = 499000; })))),
            "base 499000 instead of 500000");
}

TEST(Measured, KnowsTheWidthOfTheValues) {
  EXPECT_EQ(measured(table_of(plain())).value_bits, 24);
  EXPECT_EQ(measured(table_of(plain(), Arithmetic::kTransformersBfloat16)).value_bits, 8);
}

TEST(Measured, FindsAnyPairsThatStayInPlace) {
  RotationMap map = make_rotation_map(plain());
  for (ChannelPair& p : map.pairs) p.b = p.d = 95 - p.b;  // outermost with outermost
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> before(64 * 400), after;
  for (float& x : before) x = normal(random);
  after = before;
  apply_rotary_inplace(Rotary(map), thd<void>(after.data(), DType::kFloat32, 400, 1, 64), PositionRange{});
  std::vector<std::int64_t> positions(400);
  std::iota(positions.begin(), positions.end(), 0);
  EXPECT_TRUE(compare(map, measure_rotation(before, after, positions)).same);
}

TEST(Measured, SaysWhatIsNoRotation) {
  Dump d = dump_of(plain());
  for (float& x : d.after) x = std::tanh(x);
  EXPECT_THAT(measured(d).irregular, HasSubstr("keeps its norm with no other"));
  Table t = table_of(plain());
  for (std::size_t i = 0; i < t.cos.size(); i += 32) t.cos[i] *= 1.1F, t.sin[i] *= 1.1F;
  EXPECT_THAT(measured(t).irregular, HasSubstr("not one factor"));
}

TEST(Measured, RefusesWhatCannotBeMeasured) {
  const std::vector<float> two(2, 1.0F), three(3, 1.0F), bad{1.0F, NAN};
  const std::vector<std::int64_t> same{4, 4}, none, ok{0, 1};
  const auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message([&] { measure_table(two, two, 1); }), HasSubstr("num_rows must be at least 2, got 1"));
  EXPECT_THAT(message([&] { measure_table(three, three, 2); }), HasSubstr("cos must have the same number"));
  EXPECT_THAT(message([&] { measure_table(two, three, 2); }), HasSubstr("sin must have as many"));
  EXPECT_THAT(message([&] { measure_table(bad, two, 2); }), HasSubstr("cos must be finite, got nan"));
  EXPECT_THAT(message([&] { measure_rotation(two, two, same); }), HasSubstr("positions must differ"));
  EXPECT_THAT(message([&] { measure_rotation(two, two, none); }), HasSubstr("positions must not be empty"));
  EXPECT_THAT(message([&] { measure_rotation(two, bad, ok); }), HasSubstr("after must be finite"));
}

}  // namespace
}  // namespace rotary::testing
