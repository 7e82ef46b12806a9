#include "core/trigonometry.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace rotary::detail {
namespace {

TEST(Trigonometry, AZeroAngleGivesExactlyTheFactorAndPositiveZero) {
  for (DoubleDouble angle : {DoubleDouble{0.0}, DoubleDouble{-0.0}, DoubleDouble{-0.0, -0.0}}) {
    const CosSin value = cos_sin_float(angle, 1.1386294361119891);
    EXPECT_EQ(value.cos, 1.1386294361119891F);
    EXPECT_EQ(value.sin, 0);
    EXPECT_FALSE(std::signbit(value.sin));
  }
}

TEST(Trigonometry, ATieIsLeftToTheSlowPathAndGoesToEven) {
  EXPECT_EQ(cos_sin_float(DoubleDouble{0.0}, 1 + 0x1p-24).cos, 1.0F);
  EXPECT_EQ(cos_sin_float(DoubleDouble{0.0}, 1 + 3 * 0x1p-24).cos, 1 + 0x1p-22F);
  // cos 2^-30 is just below 1, so its product with a tie is just below the tie.
  EXPECT_EQ(cos_sin_float(DoubleDouble{0x1p-30}, 1 + 3 * 0x1p-24).cos, 1 + 0x1p-23F);
}

TEST(Trigonometry, AnglesThatCannotBeReducedGiveNan) {
  for (double angle :
       {0x1p62, -0x1p200, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(cos_sin_float(DoubleDouble{angle}).cos)) << angle;
    EXPECT_TRUE(std::isnan(sincos(DoubleDouble{angle}).sin.hi)) << angle;
  }
}

TEST(Trigonometry, TinyAnglesAreTheirOwnSine) {
  for (float angle : {0x1p-149F, 0x1p-126F, -0x1.8p-60F}) {
    EXPECT_EQ(sin_float(angle), angle);
    EXPECT_EQ(cos_float(angle), 1.0F);
  }
}

TEST(TrigonometryProperty, SquaresAddToOneAtAnySize) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-30, 61), sign(-1, 1);
  for (int n = 0; n < 2000; ++n) {
    const SinCos value = sincos(DoubleDouble{std::copysign(std::exp2(exponent(random)), sign(random))});
    EXPECT_LE(std::fabs(to_double(value.sin * value.sin + value.cos * value.cos - 1.0)), 0x1p-97);
  }
}

TEST(TrigonometryProperty, TheFastPathRoundsAsTheSlowPathDoes) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> any(-1e9, 1e9), low(-0x1p-25, 0x1p-25);
  for (int n = 0; n < 20000; ++n) {
    const DoubleDouble angle = two_sum(any(random), low(random));
    const CosSin fast = cos_sin_float(angle);
    const SinCos slow = sincos(angle);
    ASSERT_EQ(fast.cos, to_float(slow.cos)) << angle.hi;
    ASSERT_EQ(fast.sin, to_float(slow.sin)) << angle.hi;
  }
}

TEST(TrigonometryProperty, AngleSumsAgreeWithTheAdditionTheorem) {
  const DoubleDouble step = DoubleDouble{1} / DoubleDouble{3};
  for (double a : {-3.5, 0.0, 1048576.5})
    for (double b : {-3.5, 0.0, 1048576.5}) {
      const SinCos x = sincos(step * a), y = sincos(step * b), sum = sincos(step * (a + b));
      // The angles are rounded to ulp(2^20) 2^-53 = 2^-86.
      EXPECT_LE(std::fabs(to_double(x.cos * y.cos - x.sin * y.sin - sum.cos)), 0x1p-84);
      EXPECT_LE(std::fabs(to_double(x.sin * y.cos + x.cos * y.sin - sum.sin)), 0x1p-84);
    }
}

}  // namespace
}  // namespace rotary::detail
