#include "core/bfloat16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rotary::detail {
namespace {

// The twin: of the two bfloat16 that enclose x, the nearer one, on a tie the even one. Past the largest, infinity
// counts as 2^128.
std::uint16_t nearest_bfloat16(float x) {
  const auto low = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16);  // towards zero
  const auto high = static_cast<std::uint16_t>(low + 1);
  const auto value = [](std::uint16_t b) {
    const double v = from_bfloat16(b);
    return std::isinf(v) ? std::copysign(0x1p128, v) : v;
  };
  const double below = std::fabs(x - value(low)), above = std::fabs(value(high) - x);
  if (below == above) return low & 1 ? high : low;
  return below < above ? low : high;
}

TEST(Bfloat16, EveryValueComesBackFromFloat32) {
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    const float value = from_bfloat16(static_cast<std::uint16_t>(b));
    if (!std::isnan(value)) {
      EXPECT_EQ(to_bfloat16(value), b);
    }
  }
}

TEST(Bfloat16, RoundsToNearestEvenAroundEveryValueAndEveryMidpoint) {
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (std::uint32_t lower : {0x0000U, 0x0001U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
      const auto x = std::bit_cast<float>(upper << 16 | lower);
      if (std::isfinite(x)) {
        ASSERT_EQ(to_bfloat16(x), nearest_bfloat16(x)) << x;
      }
    }
  }
}

TEST(Bfloat16, KeepsDenormalsAndTheSignOfZero) {
  EXPECT_EQ(rounded_to_bfloat16(0x1p-133F), 0x1p-133F);  // the smallest denormal
  EXPECT_EQ(to_bfloat16(-0.0F), 0x8000);
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::denorm_min()), 0);
}

TEST(Bfloat16, OverflowsToInfinityOnlyPastTheLastMidpoint) {
  EXPECT_EQ(rounded_to_bfloat16(std::numeric_limits<float>::max()), std::numeric_limits<float>::infinity());
  EXPECT_EQ(rounded_to_bfloat16(0x1.fefffep127F), 0x1.fep127F);
}

TEST(Bfloat16, KeepsEveryNanANanOfTheSameSign) {
  for (std::uint32_t payload : {1U, 0xffffU, 0x10000U, 0x3fffffU, 0x400000U, 0x7fffffU}) {
    for (std::uint32_t sign : {0U, 0x80000000U}) {
      const std::uint16_t b = to_bfloat16(std::bit_cast<float>(sign | 0x7f800000U | payload));
      EXPECT_TRUE(std::isnan(from_bfloat16(b))) << payload;
      EXPECT_EQ(b >> 15, static_cast<int>(sign >> 31));
    }
  }
}

TEST(Bfloat16, NeighbouringPositionsCollapseWhichIsWhyTheyAreNeverNarrowed) {
  EXPECT_EQ(rounded_to_bfloat16(8190), 8192);  // UP-11
  EXPECT_EQ(rounded_to_bfloat16(8191), 8192);
  EXPECT_EQ(rounded_to_bfloat16(15962), 15936);
}

}  // namespace
}  // namespace rotary::detail
