#include "rotary/cos_sin_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <numeric>

#include "core/bad_calls.h"
#include "core/bfloat16.h"
#include "core/table_cases.h"

namespace rotary::testing {
namespace {

constexpr float kEpsilon = std::numeric_limits<float>::epsilon();

// --- Laws

TEST(CosSinTableProperty, PositionZeroIsExactlyTheFactorAndZero) {
  RotationMap map = map_of(64, 10000);
  map.attention_factor = 1.1386294361119891;
  for (Frequency& f : map.frequency) f = {-f.hi, -f.lo};
  for (Arithmetic arithmetic : {Arithmetic::kExact, Arithmetic::kTransformersFloat32}) {
    const auto table = CosSinTable::by_position(map, 1, arithmetic);
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(table.cos(0)[i], 1.1386294361119891F);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(table.sin(0)[i]), 0U);
    }
  }
}

TEST(CosSinTableProperty, BothKindsHaveTheSameBitsAtTheIntegers0To4095) {
  std::vector<double> positions(4096);
  std::iota(positions.begin(), positions.end(), 0.0);
  for (Arithmetic arithmetic :
       {Arithmetic::kExact, Arithmetic::kTransformersFloat32, Arithmetic::kTransformersBfloat16}) {
    const RotationMap map = make_rotation_map(spec_of(128, 500000), 0, arithmetic);
    const auto by_position = CosSinTable::by_position(map, 4096, arithmetic);
    const auto by_token = CosSinTable::by_token(map, positions, arithmetic);
    for (std::int64_t row = 0; row < 4096; ++row) expect_same_row(by_position, row, by_token, row);
  }
}

TEST(CosSinTableProperty, ARowDoesNotDependOnItsNeighbours) {
  const RotationMap map = map_of(64, 10000);
  const auto many = CosSinTable::by_token(map, std::vector<double>{0, 1, 2049, 8191, 65537, 131071, 1000003});
  const auto one = CosSinTable::by_token(map, std::vector<double>{131071});
  expect_same_row(many, 5, one, 0);
}

TEST(CosSinTableProperty, NegativePositionsTurnBack) {
  const RotationMap map = map_of(64, 10000);
  const auto table = CosSinTable::by_token(map, std::vector<double>{5, -5, 131071.25, -131071.25});
  for (std::int64_t row : {0, 2})
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(table.cos(row)[i], table.cos(row + 1)[i]);
      EXPECT_EQ(table.sin(row)[i], -table.sin(row + 1)[i]);
    }
}

TEST(CosSinTableProperty, RotationsAddUp) {
  const std::vector<double> steps{-3.5, 0, 1048576.5};  // UP-53
  for (double a : steps)
    for (double b : steps) {
      const auto t = CosSinTable::by_token(map_of(64, 10000), std::vector<double>{a, b, a + b});
      for (std::size_t i = 0; i < 32; ++i) {
        // Four values of half an ulp each, times at most 1: 4 * epsilon / 4 and one more for the sum.
        EXPECT_NEAR(double{t.cos(0)[i]} * t.cos(1)[i] - double{t.sin(0)[i]} * t.sin(1)[i], t.cos(2)[i], 2 * kEpsilon);
        EXPECT_NEAR(double{t.sin(0)[i]} * t.cos(1)[i] + double{t.cos(0)[i]} * t.sin(1)[i], t.sin(2)[i], 2 * kEpsilon);
      }
    }
}

TEST(CosSinTableProperty, QuarterPositionsAreLinearScalingByFour) {
  const auto quarter = CosSinTable::by_token(map_of(64, 10000), std::vector<double>{0.25, 1024.75});
  const auto scaled = CosSinTable::by_token(map_of(64, 10000, LinearScaling{4}), std::vector<double>{1, 4099});
  for (std::int64_t row : {0, 1}) expect_same_row(quarter, row, scaled, row);
}

TEST(CosSinTableProperty, NeighbouringPositionsStayEquallyFarApartUpTo200000) {
  const auto table =
      CosSinTable::by_position(map_of(2, 10000), 200002);  // UP-11; two roundings of half an ulp in each coordinate
  for (std::int64_t p = 0; p <= 200000; ++p) {
    const double step =
        std::hypot(double{table.cos(p + 1)[0]} - table.cos(p)[0], double{table.sin(p + 1)[0]} - table.sin(p)[0]);
    ASSERT_NEAR(step, 2 * std::sin(0.5), 2 * kEpsilon) << p;
  }
}

TEST(CosSinTableProperty, SeveralAxesAddTheirAngles) {
  const auto both = CosSinTable::by_token(map_with({0.5, 0.25}, 2), std::vector<double>{1000003, -2});
  const auto one = CosSinTable::by_token(map_with({0.25}), std::vector<double>{2000004});
  expect_same_row(both, 0, one, 0);
}

TEST(CosSinTableProperty, AnotherFrequencySetGivesAnotherTable) {
  RotationMap map = map_with({0.5, 0.25});
  map.num_sets = 2;
  map.pairs.pop_back();
  map.channels = 4;
  map.pairs = {{0, 1, 0, 1}};
  map.pass_to = {-1, -1, 2, 3};
  expect_same_row(CosSinTable::by_position(map, 11, Arithmetic::kExact, 1), 10,
                  CosSinTable::by_position(map, 6, Arithmetic::kExact, 0), 5);
}

// --- Reference arithmetics

TEST(CosSinTable, TransformersFloat32IsOneFloatProductAndOneFloatFactor) {
  RotationMap map = map_with({0.8659643233600653});
  map.attention_factor = 1.2;
  const float angle = 0.8659643233600653F * 1000003.0F;
  const auto table = CosSinTable::by_token(map, std::vector<std::int64_t>{1000003}, Arithmetic::kTransformersFloat32);
  EXPECT_EQ(table.cos(0)[0], static_cast<float>(std::cos(double{angle})) * 1.2F);
  EXPECT_EQ(table.sin(0)[0], static_cast<float>(std::sin(double{angle})) * 1.2F);
}

TEST(CosSinTable, TransformersBfloat16RoundsTheFloat32Table) {
  const auto float32 = CosSinTable::by_position(spec_of(64, 10000), 300, Arithmetic::kTransformersFloat32);
  const auto bfloat16 = CosSinTable::by_position(spec_of(64, 10000), 300, Arithmetic::kTransformersBfloat16);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(bfloat16.cos(299)[i], detail::rounded_to_bfloat16(float32.cos(299)[i]));
    EXPECT_EQ(bfloat16.sin(299)[i], detail::rounded_to_bfloat16(float32.sin(299)[i]));
  }
}

TEST(CosSinTable, TransformersFloat32StaysNearExactAt4096) {
  const RopeSpec spec = spec_of(128, 500000);  // UP-17
  const auto exact = CosSinTable::by_position(spec, 4097, Arithmetic::kExact);
  const double gap = worst_cos_gap(exact, CosSinTable::by_position(spec, 4097, Arithmetic::kTransformersFloat32), 4096);
  std::cout << "worst |cos| gap of transformers-float32 to exact at 4096: " << gap << "\n";
  EXPECT_LT(gap, 1e-3);
}

// --- Storage

TEST(CosSinTable, HoldsTwoFloatsPerRowAndPairInWholePages) {
  EXPECT_EQ(CosSinTable::by_position(map_of(128, 10000), 8192).size_bytes(), 2U * 8192 * 64 * 4);
  EXPECT_EQ(CosSinTable::by_position(map_of(128, 10000), 8193).size_bytes(), 2U * (8192 + 256) * 64 * 4);
  EXPECT_EQ(CosSinTable::by_token(map_of(128, 10000), std::vector<double>(300)).size_bytes(), 2U * 300 * 64 * 4);
}

TEST(CosSinTable, TheSinesOfARowLieBehindItsCosines) {
  const std::vector<float> cos(12, 0.5F), sin(12, 0.25F);
  const std::vector<double> tokens{7, 1, 300};
  for (const CosSinTable& table :
       {CosSinTable::by_position(map_of(8, 10000), 3), CosSinTable::by_token(map_of(8, 10000), tokens),
        CosSinTable::from_values(cos, sin, 4)})
    for (std::int64_t row = 0; row < 3; ++row) EXPECT_EQ(table.sin(row).data(), table.cos(row).data() + 4);
}

TEST(CosSinTable, RowsPast65535AreThere) {
  const auto table = CosSinTable::by_position(map_of(8, 10000), 65537);  // UP-49
  expect_same_row(table, 65536, CosSinTable::by_token(map_of(8, 10000), std::vector<double>{65536}), 0);
}

TEST(CosSinTable, GrowingSharesThePagesThatAreThere) {
  const auto small = CosSinTable::by_position(map_of(64, 10000), 300);
  const auto large = small.grown(1000);
  EXPECT_EQ(large.num_rows(), 1000);
  EXPECT_EQ(small.num_rows(), 300);
  EXPECT_EQ(large.cos(299).data(), small.cos(299).data());
  EXPECT_EQ(large.grown(10).num_rows(), 1000);
}

TEST(CosSinTable, EmptyTablesAndMapsWithoutPairsWork) {
  EXPECT_EQ(CosSinTable::by_position(map_of(64, 10000), 0).size_bytes(), 0U);
  EXPECT_EQ(CosSinTable::by_token(map_of(64, 10000), std::vector<double>{}).num_rows(), 0);
  RotationMap identity;
  identity.channels = 1;
  identity.pass_to = {0};
  const auto table = CosSinTable::by_position(identity, 5).grown(std::int64_t{1} << 40);
  EXPECT_EQ(table.size_bytes(), 0U);
  EXPECT_TRUE(table.cos(4).empty());
  EXPECT_TRUE(table.sin(4).empty());
}

TEST(CosSinTable, PairsThatDoNotTurnHoldTheFactorAndZero) {
  const auto table = CosSinTable::by_position(map_with({1, 0}), 10);
  EXPECT_EQ(table.cos(9)[1], 1);
  EXPECT_EQ(table.sin(9)[1], 0);
}

// --- Bad input

const double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
const auto kTable = [] { return CosSinTable::by_position(map_of(4, 10000), 10); };
const auto by_token = [](std::vector<double> positions) { CosSinTable::by_token(map_with({1, 1}, 2), positions); };
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

const BadCall kBadCalls[] = {
    {"NegativeRows", [] { CosSinTable::by_position(map_of(4, 10000), -1); }, "invalid_argument",
     "num_rows must not be negative, got -1"},
    {"TooManyRows", [] { CosSinTable::by_position(map_of(4, 10000), kHuge); }, "length_error", "num_rows * pairs"},
    {"GrownTooFar", [] { kTable().grown(kHuge); }, "length_error", "CosSinTable::grown"},
    {"GrownBeyondTheAngles", [] { CosSinTable::by_position(map_with({1e15}), 100).grown(10000); }, "invalid_argument",
     "CosSinTable::grown: position * frequency"},
    {"GrownByToken", [] { CosSinTable::by_token(map_of(4, 10000), std::vector<double>{1}).grown(5); },
     "invalid_argument", "by position"},
    {"SeveralAxes",
     [] {
       CosSinTable::by_position(map_with({1, 1}, 2), 1);
     },
     "invalid_argument", "one axis"},
    {"GgmlWithoutSpec", [] { CosSinTable::by_position(map_of(4, 10000), 1, Arithmetic::kGgml); }, "invalid_argument",
     "arithmetic"},
    {"SetTooLarge", [] { CosSinTable::by_position(map_of(4, 10000), 1, Arithmetic::kExact, 1); }, "invalid_argument",
     "set must be"},
    {"SetNegative", [] { CosSinTable::by_position(map_of(4, 10000), 1, Arithmetic::kExact, -1); }, "invalid_argument",
     "set must be"},
    {"NanPosition",
     [] {
       by_token({1, 2, 3, kNan});
     },
     "invalid_argument", "positions[3]"},
    {"InfinitePosition",
     [] {
       by_token({1, -kInf});
     },
     "invalid_argument", "positions[1]"},
    {"HugePosition", [] { CosSinTable::by_token(map_of(4, 10000), std::vector<std::int64_t>{kHuge}); },
     "invalid_argument", "positions[0]"},
    {"OddPositions",
     [] {
       by_token({1, 2, 3});
     },
     "invalid_argument", "positions must be [num_tokens][2] numbers, got 3"},
    {"HugeFrequency", [] { CosSinTable::by_position(map_with({1e300}), 10); }, "invalid_argument",
     "position * frequency"},
    {"InvalidMap", [] { CosSinTable::by_position(RotationMap{}, 10); }, "invalid_argument", "channels"},
    {"InvalidSpec", [] { CosSinTable::by_position(RopeSpec{}, 10, Arithmetic::kExact); }, "invalid_argument",
     "head_dim"},
    {"RowPastTheEnd", [] { kTable().cos(10); }, "out_of_range",
     "CosSinTable::cos: row must be in 0 .. num_rows-1, num_rows = 10, got 10"},
    {"RowNegative", [] { kTable().sin(-1); }, "out_of_range", "CosSinTable::sin"},
};

class CosSinTableBadInput : public ::testing::TestWithParam<BadCall> {};
TEST_P(CosSinTableBadInput, IsRefusedByName) { expect_refused(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Calls, CosSinTableBadInput, ::testing::ValuesIn(kBadCalls), bad_call_name);

}  // namespace
}  // namespace rotary::testing
