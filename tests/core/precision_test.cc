// What rounding costs: facts that can be computed by hand, and reports of users (UP-n, the prefix).
#include "rotary/precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "core/bfloat16.h"
#include "core/float16.h"
#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr NumberFormat kFloat16 = NumberFormat::kFloat16, kBfloat16 = NumberFormat::kBfloat16,
                       kTfloat32 = NumberFormat::kTfloat32, kFloat32 = NumberFormat::kFloat32;
constexpr NumberFormat kFormats[] = {kFloat16, kBfloat16, kTfloat32, kFloat32};
constexpr RoundedPart kPositions = RoundedPart::kPositions, kFrequencies = RoundedPart::kFrequencies,
                      kTables = RoundedPart::kTables;

RotationMap plain(int width = 128, double base = 1e4) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = width;
  spec.base = base;
  return make_rotation_map(spec);
}

PrecisionRange only(std::int64_t position, std::int64_t search_below = 0) { return {{position}, search_below}; }

// --- Formats

TEST(NumberFormat, RoundsToNearestEven) {
  EXPECT_EQ(rounded_to(kBfloat16, 257), 256);
  EXPECT_EQ(rounded_to(kBfloat16, 259), 260);  // 259 is half-way between 258 and 260, whose half is even
  EXPECT_EQ(rounded_to(kFloat16, 2049), 2048);
  EXPECT_EQ(rounded_to(kTfloat32, -2051), -2052);
  EXPECT_EQ(rounded_to(kFloat32, 16777217), 16777216);
  EXPECT_EQ(rounded_to(kFloat16, 65519), 65504);
  EXPECT_EQ(rounded_to(kFloat16, 65520), INFINITY);
  EXPECT_EQ(rounded_to(kFloat16, -1e6), -INFINITY);
  EXPECT_EQ(rounded_to(kFloat16, 0x1p-24), 0x1p-24);
  EXPECT_EQ(rounded_to(kFloat16, 0x1p-25), 0);  // a tie
  EXPECT_EQ(rounded_to(kTfloat32, 1e300), INFINITY);
  EXPECT_TRUE(std::isnan(rounded_to(kBfloat16, NAN)));
}

TEST(NumberFormat, KeepsEveryNumberThatAFormatOfSixteenBitsHas) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float half = detail::from_float16(static_cast<std::uint16_t>(bits));
    const float brain = detail::from_bfloat16(static_cast<std::uint16_t>(bits));
    ASSERT_TRUE(std::isnan(half) || rounded_to(kFloat16, half) == half) << bits;
    ASSERT_TRUE(std::isnan(brain) || rounded_to(kBfloat16, brain) == brain) << bits;
  }
}

TEST(NumberFormatProperty, RoundsAsTheConversionsOfTheCore) {
  std::mt19937 random(5);
  for (int i = 0; i < 100000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(x)) continue;
    ASSERT_EQ(rounded_to(kBfloat16, x), detail::rounded_to_bfloat16(x)) << x;
    ASSERT_EQ(rounded_to(kFloat32, x), x);
    const double y = static_cast<double>(x) * 1.0000001;
    if (std::fabs(x) > 1e38F) continue;
    ASSERT_EQ(rounded_to(kFloat32, y), static_cast<double>(static_cast<float>(y)));
  }
}

TEST(NumberFormat, FirstEqualPositionsAreThoseFoundByCounting) {
  EXPECT_EQ(first_equal_positions(kBfloat16), 256);
  EXPECT_EQ(first_equal_positions(kFloat16), 2048);
  EXPECT_EQ(first_equal_positions(kTfloat32), 2048);
  EXPECT_EQ(first_equal_positions(kFloat32), 16777216);
  for (NumberFormat format : kFormats) {
    std::int64_t m = format == kFloat32 ? 16000000 : 0;  // below, twice its distance to the next is less than 1
    while (rounded_to(format, static_cast<double>(m)) != rounded_to(format, static_cast<double>(m + 1))) ++m;
    EXPECT_EQ(m, first_equal_positions(format)) << to_string(format);
  }
}

// --- Equal neighbours

TEST(Precision, RoundedPositionsMakeAllPairsEqualAtOnce) {
  for (NumberFormat format : {kFloat16, kBfloat16, kTfloat32}) {
    const PrecisionLoss loss = rounding_loss(plain(), kPositions, format);
    EXPECT_EQ(loss.first_equal_pair, (EqualRows{first_equal_positions(format), 0}));
    EXPECT_EQ(loss.first_equal_row, first_equal_positions(format));
    EXPECT_EQ(loss.equal_pairs.size(), 64u);
  }
  EXPECT_EQ(rounding_loss(plain(), kPositions, kFloat32).first_equal_row, std::nullopt);
}

TEST(Precision, RoundedTablesLoseTheSlowPairsOnly) {
  const PrecisionLoss loss = rounding_loss(plain(), kTables, kBfloat16);
  EXPECT_EQ(loss.first_equal_row, std::nullopt);  // pair 0 turns by a radian
  ASSERT_TRUE(loss.first_equal_pair.has_value());
  EXPECT_LT(loss.first_equal_pair->position, 256);  // sin m f has eight digits, so m + 1 must differ in the ninth
  EXPECT_GT(loss.first_equal_pair->pair, 32);
  EXPECT_THAT(loss.equal_pairs, Contains(63));
  EXPECT_THAT(loss.equal_pairs, ::testing::Not(Contains(0)));
  EXPECT_THAT(rounding_loss(plain(), kTables, kFloat32).equal_pairs, IsEmpty());
}

TEST(Precision, FrequenciesKeepNeighboursApartButForThoseThatVanish) {
  EXPECT_THAT(rounding_loss(plain(), kFrequencies, kBfloat16, only(1, 2048)).equal_pairs, IsEmpty());
  // base 1e11 at width 4: the second frequency is 3e-6, a denormal; at 1e16 it is 1e-8, which float16 lacks.
  EXPECT_THAT(rounding_loss(plain(4, 1e11), kFrequencies, kFloat16, only(1, 64)).equal_pairs, IsEmpty());
  const PrecisionLoss gone = rounding_loss(plain(4, 1e16), kFrequencies, kFloat16, only(1, 64));
  EXPECT_EQ(gone.first_equal_pair, (EqualRows{0, 1}));
  EXPECT_THAT(gone.equal_pairs, ElementsAre(1));
}

// --- Angles

TEST(Precision, PositionZeroLosesNothing) {
  for (RoundedPart part : {kPositions, kFrequencies, kTables})
    for (NumberFormat format : kFormats) {
      const AngleLoss at = rounding_loss(plain(), part, format, only(0)).at.at(0);
      EXPECT_EQ(at.error, 0) << to_string(part) << " " << to_string(format);
      EXPECT_EQ(at.pair, -1);
    }
}

TEST(Precision, ARoundedPositionTurnsByTheDifference) {
  const AngleLoss at = rounding_loss(plain(), kPositions, kBfloat16, only(257)).at.at(0);
  EXPECT_NEAR(at.error, 1, 1e-12);  // 257 became 256, pair 0 has frequency 1
  EXPECT_EQ(at.pair, 0);
  EXPECT_EQ(at.lost_pairs.size(), 16u);  // 10^(-2 i 4 / 128) > 0.1 up to i = 15; pair 16 is off by 0.1 - 2e-17
}

TEST(Precision, ErrorsAreTurns) {
  // 8191 becomes 8192 in float16: pair 0 is off by one radian.
  EXPECT_NEAR(rounding_loss(plain(), kPositions, kFloat16, only(8191)).at[0].error, 1, 1e-9);
  for (const AngleLoss& at : rounding_loss(plain(), kFrequencies, kBfloat16).at) EXPECT_LE(at.error, std::numbers::pi);
}

TEST(Precision, ATableOfBfloat16IsOffByAtMostHalfAnUlpOnEachSide) {
  // cos and sin in [-1, 1] have an absolute error of at most 2^-9, the point sqrt(2) of that.
  for (const AngleLoss& at : rounding_loss(plain(), kTables, kBfloat16).at) {
    EXPECT_LE(at.error, 0x1p-9 * 1.42);
    EXPECT_TRUE(at.position < 1000 || at.error > 0x1p-10) << at.position;
    EXPECT_THAT(at.lost_pairs, IsEmpty());
  }
}

TEST(Precision, PositionsBeyondFloat16AreLostAltogether) {
  const AngleLoss at = rounding_loss(plain(), kPositions, kFloat16, only(65537)).at.at(0);
  EXPECT_EQ(at.error, INFINITY);
  EXPECT_EQ(at.lost_pairs.size(), 64u);
}

TEST(Precision, UP11_PositionsInTheModelsType) {
  EXPECT_EQ(rounded_to(kBfloat16, 8190), 8192);
  EXPECT_EQ(rounded_to(kBfloat16, 8191), 8192);
  EXPECT_EQ(rounded_to(kBfloat16, 15962), 15936);
  // 26 radians are 4 turns and 0.8673 more.
  const AngleLoss at = rounding_loss(plain(), kPositions, kBfloat16, only(15962)).at.at(0);
  EXPECT_EQ(at.lost_pairs.front(), 0);
  RopeSpec two;
  two.head_dim = two.rotary_dim = 2;
  EXPECT_NEAR(rounding_loss(make_rotation_map(two), kPositions, kBfloat16, only(15962)).at[0].error,
              26 - 8 * std::numbers::pi, 1e-9);
}

TEST(Precision, UP13_FrequenciesInTheModelsType) {
  const RotationMap map = plain();
  EXPECT_EQ(rounded_to(kBfloat16, map.at(0, 1, 0).hi), 0.8671875);
  const AngleLoss at = rounding_loss(map, kFrequencies, kBfloat16, only(4095)).at.at(0);
  EXPECT_GT(at.error, 1.7);  // cos is off by 1.679 at the worst of the 64 pairs
  EXPECT_THAT(at.lost_pairs, Contains(5));
  EXPECT_LE(rounding_loss(map, kTables, kFloat32, only(4095)).at[0].error, 1e-7);
}

TEST(Precision, UP14_TablesOfFloat16) {
  EXPECT_EQ(rounded_to(kFloat16, 32766), 32768);
  EXPECT_EQ(rounded_to(kFloat16, 32767), 32768);
  EXPECT_EQ(rounded_to(kFloat16, 65537), INFINITY);
}

// --- Arithmetics

TEST(Precision, UP16_ProductsInFloat32GrowWithThePosition) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = 128;
  const PrecisionLoss exact = arithmetic_loss(spec, Arithmetic::kExact, 0, {{131071, 1000003, 10485759}, 0});
  for (const AngleLoss& at : exact.at) EXPECT_LE(at.error, 1e-7) << at.position;
  const PrecisionLoss product =
      arithmetic_loss(spec, Arithmetic::kTransformersFloat32, 0, {{32767, 131071, 1000003}, 0});
  EXPECT_GE(product.at[0].error, 4.8e-4);  // what cos is off by there, UP-16
  EXPECT_GE(product.at[1].error, 1.5e-3);
  EXPECT_GE(product.at[2].error, 2.1e-2);
  EXPECT_LE(product.at[2].error, 6e-2);
}

TEST(Precision, TheTablesOfAnArithmeticAreComparedWithTheirNeighboursToo) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = 128;
  const PrecisionLoss bfloat16 = arithmetic_loss(spec, Arithmetic::kTransformersBfloat16, 0, only(1, 512));
  EXPECT_EQ(bfloat16.first_equal_pair, rounding_loss(plain(), kTables, kBfloat16, only(1, 512)).first_equal_pair);
}

TEST(Precision, TakesEveryMap) {
  for (const SpecCase& c : scaling_cases()) {
    const PrecisionLoss loss = rounding_loss(c.map(), kTables, kFloat16, only(2049, 64));
    EXPECT_LE(loss.at.at(0).error, 0x1p-12 * 1.42) << c.name;
  }
}

TEST(Precision, RefusesWhatIsOutOfRange) {
  const auto message = [](const PrecisionRange& range) -> std::string {
    try {
      rounding_loss(plain(), kTables, kFloat16, range);
      return "";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message({{-1}, 0}), "rounding_loss: positions must be 0 .. 2^53, got -1");
  EXPECT_THAT(message({{}, -1}), HasSubstr("search_below must be 0 .. 2^24, got -1"));
  EXPECT_THAT(message({{}, std::int64_t{1} << 25}), HasSubstr("search_below"));
  EXPECT_THROW(arithmetic_loss({}, Arithmetic::kExact), std::invalid_argument);
}

}  // namespace
}  // namespace rotary::testing
