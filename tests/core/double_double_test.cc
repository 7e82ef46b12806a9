#include "core/double_double.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <sstream>

#include "core/golden.h"
#include "core/trigonometry.h"

namespace rotary::detail {
namespace {

using rotary::testing::open_golden;
using rotary::testing::read_golden;

double relative_difference(DoubleDouble got, DoubleDouble want) {
  return std::fabs(to_double(got - want)) / (want.hi == 0 ? 1 : std::fabs(want.hi));
}

TEST(DoubleDouble, HoldsEveryInt64Exactly) {
  for (std::int64_t n :
       {std::int64_t{0}, std::int64_t{-1}, (std::int64_t{1} << 53) + 1, -(std::int64_t{1} << 62) - 12345,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    const DoubleDouble x = DoubleDouble::from_int64(n);
    EXPECT_TRUE(static_cast<__int128>(x.hi) + static_cast<__int128>(x.lo) == n) << n;
  }
}

TEST(DoubleDouble, SumsAndProductsOfDoublesLoseNothing) {
  EXPECT_EQ(two_sum(1, 0x1p-80), (DoubleDouble{1, 0x1p-80}));
  EXPECT_EQ(two_product(1 + 0x1p-40, 1 + 0x1p-40), (DoubleDouble{1 + 0x1p-39, 0x1p-80}));
}

TEST(DoubleDouble, DividesIntegersToTheNearestSumOfTwoDoubles) {
  const DoubleDouble third = DoubleDouble{1} / DoubleDouble{3};
  EXPECT_EQ(third.hi, 1.0 / 3);
  EXPECT_EQ(third.lo, 0x1.5555555555555p-56);
  EXPECT_EQ(DoubleDouble{6} / DoubleDouble{3}, DoubleDouble{2});
}

TEST(DoubleDouble, ComparesByTheLowPartWhenTheHighPartsAreEqual) {
  EXPECT_LT((DoubleDouble{1, -0x1p-60}), DoubleDouble{1});
  EXPECT_GT((DoubleDouble{1, 0x1p-60}), DoubleDouble{1});
  EXPECT_LT((DoubleDouble{-2, 0x1p-60}), (DoubleDouble{1, -0x1p-60}));
}

TEST(DoubleDouble, RoundsToFloat32OnceWhereTheHighPartAloneIsATie) {
  const double tie = 1 + 0x1p-24;  // midway between 1 and the next float; even is 1
  EXPECT_EQ(to_float({tie, 0}), 1.0F);
  EXPECT_EQ(to_float({tie, 0x1p-80}), 1 + 0x1p-23F);
  EXPECT_EQ(to_float({tie, -0x1p-80}), 1.0F);
  EXPECT_EQ(to_float({-tie, -0x1p-80}), -(1 + 0x1p-23F));
  const double odd_tie = 1 + 3 * 0x1p-24;
  EXPECT_EQ(to_float({odd_tie, -0x1p-80}), 1 + 0x1p-23F);
  EXPECT_EQ(to_float({odd_tie, 0}), 1 + 0x1p-22F);
}

TEST(DoubleDouble, RoundsToFloat32OnceAmongDenormals) {
  const double tie = 1.5 * 0x1p-149;
  EXPECT_EQ(to_float({tie, 0}), 0x1p-148F);
  EXPECT_EQ(to_float({tie, -0x1p-210}), 0x1p-149F);
  EXPECT_EQ(to_float({0.5 * 0x1p-149, 0x1p-210}), 0x1p-149F);
}

TEST(DoubleDouble, FusedMultiplyAddRoundsOnce) {
  EXPECT_EQ(fma_float(1 + 0x1p-23F, 1 + 0x1p-23F, -1), 0x1p-22F + 0x1p-46F);
  EXPECT_EQ(fma_float(1, 1 + 0x1p-23F, 0x1p-24F), 1 + 0x1p-22F);  // a tie
  EXPECT_EQ(fma_float(1 - 0x1p-24F, 0x1p-24F, 1), 1.0F);          // just below a tie
}

TEST(DoubleDouble, Float32PowersThatAreTiesGoToEven) {
  EXPECT_EQ(pow_float(4097, 2), 16785408.0F);  // 16785409 lies midway
  EXPECT_EQ(pow_float(4, 0.5), 2.0F);
  EXPECT_EQ(pow_float(INFINITY, 0.5), INFINITY);
  EXPECT_EQ(pow_float(INFINITY, 0), 1.0F);
  EXPECT_EQ(pow_float(10000, -0.0F), 1.0F);
  EXPECT_EQ(log_float(1), 0.0F);
}

TEST(DoubleDoubleProperty, PowersOfTheSameBaseAdd) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-1, 1), log_base(0.01, 27);
  for (int n = 0; n < 1000; ++n) {
    const DoubleDouble base = exp(DoubleDouble{log_base(random)});
    const DoubleDouble a{exponent(random)}, b{exponent(random)};
    // Two powers, one product and the rounded sum a + b: 4 * 2^-100.
    EXPECT_LE(relative_difference(pow(base, a) * pow(base, b), pow(base, a + b)), 0x1p-98);
  }
}

TEST(DoubleDoubleProperty, LogarithmUndoesExponentialAndSquareUndoesRoot) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> any(0.5, 60);
  for (int n = 0; n < 1000; ++n) {
    const DoubleDouble x{any(random)};
    EXPECT_LE(std::fabs(to_double(log(exp(x)) - x)),
              0x1p-97);  // the exponential's relative error and log's half ulp of 60
    EXPECT_LE(relative_difference(sqrt(x) * sqrt(x), x), 0x1p-101);
  }
}

DoubleDouble evaluate(const std::string& name, DoubleDouble x, DoubleDouble y) {
  if (name == "exp") return exp(x);
  if (name == "log") return log(x);
  if (name == "sqrt") return sqrt(x);
  if (name == "pow") return pow(x, y);
  return name == "sin" ? sincos(x).sin : sincos(x).cos;
}

TEST(DoubleDoubleGolden, FunctionsAgreeWithMpmathTo98Bits) {
  std::ifstream file = open_golden("exact/functions.tsv");
  std::string name, x, y, hi, lo;
  int count = 0;
  for (; file >> name >> x >> y >> hi >> lo; ++count) {
    const auto number = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
    const DoubleDouble want{number(hi), number(lo)};
    const DoubleDouble got = evaluate(name, DoubleDouble{number(x)}, DoubleDouble{number(y)});
    const bool absolute = name == "sin" || name == "cos";
    EXPECT_LE(absolute ? std::fabs(to_double(got - want)) : relative_difference(got, want), 0x1p-98)
        << name << " " << x << " " << y;
  }
  EXPECT_EQ(count, 480);
}

TEST(DoubleDoubleGolden, InverseFrequenciesRoundToThe60DigitValues) {
  const auto want64 = read_golden<double>("exact/inv_freq.f64");
  const auto want32 = read_golden<float>("exact/inv_freq.f32");
  std::size_t next = 0;
  for (int dim : {32, 64, 80, 96, 128, 256})
    for (double base : {10000.0, 500000.0, 1000000.0, 10000000.0, 150000.0})
      for (int i = 0; i < dim / 2; ++i, ++next) {
        const DoubleDouble f = pow(DoubleDouble{base}, DoubleDouble{-2.0 * i} / DoubleDouble{double(dim)});
        EXPECT_EQ(f.hi, want64.at(next));
        EXPECT_EQ(to_float(f), want32.at(next));
      }
  EXPECT_EQ(next, want64.size());
}

}  // namespace
}  // namespace rotary::detail
