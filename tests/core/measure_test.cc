// Rotations found out from tables and from vectors, and the faults that are named.
#include "rotary/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "rotary/apply.h"
#include "rotary/cos_sin_table.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kRows = 2100;

struct Table {
  std::vector<float> cos, sin;
};

Table table_of(const RopeSpec& spec, Arithmetic arithmetic = Arithmetic::kTransformersFloat32, std::int64_t first = 0,
               std::int64_t stop = kRows) {
  std::vector<std::int64_t> positions(kRows);
  for (std::int64_t i = 0; i < kRows; ++i) positions[static_cast<std::size_t>(i)] = std::min(first + i, stop);
  const CosSinTable table = CosSinTable::by_token(make_rotation_map(spec), positions, arithmetic);
  Table out;
  for (std::int64_t row = 0; row < kRows; ++row) {
    out.cos.insert(out.cos.end(), table.cos(row).begin(), table.cos(row).end());
    out.sin.insert(out.sin.end(), table.sin(row).begin(), table.sin(row).end());
  }
  return out;
}

MeasuredRotation measured(const Table& t) { return measure_table(t.cos, t.sin, kRows); }

// Values twice, as transformers (halves) or side by side.
Table doubled(const Table& t, std::size_t pairs, Pairing pairing) {
  Table out;
  for (auto [from, to] : {std::pair{&t.cos, &out.cos}, {&t.sin, &out.sin}})
    for (std::size_t row = 0; row < static_cast<std::size_t>(kRows); ++row)
      for (std::size_t c = 0; c < 2 * pairs; ++c)
        to->push_back((*from)[row * pairs + (pairing == Pairing::kHalf ? c % pairs : c / 2)]);
  return out;
}

struct Dump {
  std::vector<float> before, after;
  std::vector<std::int64_t> positions;
};

// Two heads at each position, rotated by the kernels in float32 at that position + `first`.
Dump dump_at(const RopeSpec& spec, const std::vector<std::int64_t>& positions, std::int64_t first = 0) {
  const auto tokens = static_cast<std::int64_t>(positions.size());
  const std::int64_t heads = 2, channels = spec.head_dim;
  Dump out;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  out.before.resize(static_cast<std::size_t>(tokens * heads * channels));
  for (float& x : out.before) x = normal(random);
  std::vector<std::int64_t> moved;
  for (const std::int64_t position : positions) {
    for (std::int64_t h = 0; h < heads; ++h) out.positions.push_back(position);
    moved.push_back(position + first);
  }
  out.after = out.before;
  apply_rotary_inplace(Rotary(spec), thd<void>(out.after.data(), DType::kFloat32, tokens, heads, channels),
                       PositionIds{std::span<const std::int64_t>(moved)});
  return out;
}

// At the positions 0 .. 299.
Dump dump_of(const RopeSpec& spec, std::int64_t first = 0) {
  std::vector<std::int64_t> positions(300);
  std::iota(positions.begin(), positions.end(), 0);
  return dump_at(spec, positions, first);
}

MeasuredRotation measured(const Dump& d) { return measure_rotation(d.before, d.after, d.positions); }

// Families as they are released.
RopeSpec plain(double base = 500000) {
  RopeSpec s;
  s.head_dim = s.rotary_dim = 64;
  s.base = base;
  s.max_position = 8192;
  return s;
}
YarnScaling yarn(double factor, double original) {
  YarnScaling s;
  s.factor = factor;
  s.original_max_position = original;
  return s;
}
RopeSpec with(RopeSpec spec, const Scaling& scaling) {
  spec.scaling = scaling;
  return spec;
}
RopeSpec llama3() { return with(plain(), Llama3Scaling{.factor = 8, .original_max_position = 8192}); }
RopeSpec qwen() {
  RopeSpec s = with(plain(1e6), yarn(4, 1024));
  s.max_position = 4096;
  return s;
}
RopeSpec gpt_oss() {
  YarnScaling s = yarn(32, 4096);
  s.truncate = false;
  return with(plain(150000), s);
}
RopeSpec linear() { return with(plain(10000), LinearScaling{4}); }
RopeSpec pythia() {
  RopeSpec s = plain(10000);
  s.rotary_dim = 16;
  return s;
}
RopeSpec gpt_j() {
  RopeSpec s = pythia();
  s.pairing = s.output_pairing = Pairing::kInterleaved;
  return s;
}
RopeSpec deepseek() {
  RopeSpec s = plain(10000);
  s.rotary_dim = 16;
  s.rotary_offset = 48;
  s.pairing = Pairing::kInterleaved;
  return s;
}
RopeSpec phi3() {
  std::vector<double> shorter(32), longer(32);
  for (std::size_t i = 0; i < 32; ++i) shorter[i] = 1 + 0.01 * double(i), longer[i] = 1 + double(i);
  LongRopeScaling s;
  s.short_factor = shorter;
  s.long_factor = longer;
  s.original_max_position = 4096;
  s.factor = 32;
  return with(plain(10000), s);
}

std::vector<RopeSpec> families() {
  return {plain(), plain(10000), llama3(), qwen(), gpt_oss(), linear(), pythia(), gpt_j(), deepseek(), phi3()};
}

template <class Change>
RopeSpec changed(RopeSpec spec, Change change) {
  change(spec);
  return spec;
}

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

std::vector<std::int64_t> every(std::int64_t step, std::int64_t first) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < 160; ++i) out.push_back(first + step * i);
  return out;
}

std::vector<std::int64_t> scattered(std::int64_t below, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> out;
  for (int i = 0; i < 160; ++i) out.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below)));
  return out;
}

struct SparsePositions {
  const char* name;
  std::vector<std::int64_t> positions;
};

const SparsePositions kSparse[] = {
    {"NoneNextToTheFirst", {0, 7, 8, 31, 90, 333}},
    {"NoTwoNeighbours", {3, 5, 8, 15, 22, 40, 77}},
    {"AStepOf2", every(2, 0)},
    {"AStepOf800", every(800, 0)},
    {"AStepOf800FromOne", every(800, 1)},
    {"AStepOf37FromAfar", every(37, 5000)},
    {"Scattered131072", scattered(131072, 1)},
    {"Scattered16384", scattered(16384, 2)},
    {"ScatteredEvenOnly",
     [] {
       std::vector<std::int64_t> out = scattered(4096, 3);
       for (std::int64_t& x : out) x *= 2;
       return out;
     }()},
};

class MeasuredSparsely : public ::testing::TestWithParam<SparsePositions> {};

TEST_P(MeasuredSparsely, RightIsTheSameAndAnotherBaseIsNot) {
  for (const RopeSpec& spec : families()) {
    const MeasuredRotation found = measured(dump_at(spec, GetParam().positions));
    const MapDifference same = compare(make_rotation_map(spec), found);
    EXPECT_TRUE(same.same) << same.cause << " in " << scaling_name(spec.scaling) << " base " << spec.base;
    RopeSpec other = spec;
    other.base *= 1.5;
    EXPECT_FALSE(compare(make_rotation_map(other), found).same) << scaling_name(spec.scaling);
  }
}

INSTANTIATE_TEST_SUITE_P(, MeasuredSparsely, ::testing::ValuesIn(kSparse),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Measured, RefusesPositionsThatLeaveTheTurnsOpen) {
  EXPECT_THROW(measured(dump_at(plain(), {0, 100000, 200003})), std::invalid_argument);
  Dump far = dump_of(plain());
  far.positions.back() = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(measured(far), std::invalid_argument);
}

TEST(Measured, ComparesMeasurementsOfDifferentPositions) {
  const MeasuredRotation dense = measured(dump_of(llama3())), sparse = measured(dump_at(llama3(), every(6, 0))),
                         sparser = measured(dump_at(llama3(), every(4, 0)));
  EXPECT_EQ(dense.position_step, 1);
  EXPECT_EQ(sparse.position_step, 6);
  for (const auto& [x, y] : {std::pair{&dense, &sparse}, {&sparse, &dense}, {&sparse, &sparser}})
    EXPECT_TRUE(compare(*x, *y).same) << compare(*x, *y).cause;
  EXPECT_FALSE(compare(sparse, measured(dump_of(plain()))).same);
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

TEST(Measured, SeesPositionsThatAreOffByOneOrStop) {
  const MeasuredRotation off = measured(table_of(plain(), Arithmetic::kExact, 1));
  EXPECT_EQ(off.first_position, 1);
  EXPECT_THAT(compare(make_rotation_map(plain()), off).cause, HasSubstr("positions off by 1"));
  const MeasuredRotation stopped = measured(table_of(plain(), Arithmetic::kExact, 0, 1023));
  EXPECT_EQ(stopped.stops_at, 1023);
  EXPECT_THAT(compare(make_rotation_map(plain()), stopped).cause, HasSubstr("positions stop at 1023"));
}

TEST(Measured, SeesPositionsThatWereRounded) {
  std::vector<std::int64_t> positions(600);
  for (std::int64_t i = 0; i < 600; ++i) positions[static_cast<std::size_t>(i)] = i < 256 ? i : i / 2 * 2;
  const CosSinTable table = CosSinTable::by_token(make_rotation_map(llama3()), positions);
  Table t;
  for (std::int64_t row = 0; row < 600; ++row) {
    t.cos.insert(t.cos.end(), table.cos(row).begin(), table.cos(row).end());
    t.sin.insert(t.sin.end(), table.sin(row).begin(), table.sin(row).end());
  }
  const MapDifference d = compare(make_rotation_map(llama3()), measure_table(t.cos, t.sin, 600));
  EXPECT_FALSE(d.same);
  EXPECT_EQ(d.cause, "positions 256 and 257 are one, as in bfloat16");
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
