// xPos magnitudes and query scales that depend on the position.
#include "rotary/layer_rotation.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/bad_calls.h"
#include "core/case_lines.h"
#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

constexpr double kEpsilon = 0x1p-52;
const double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

TEST(XposProperty, TheScoreFactorDoesNotDependOnTheCentre) {
  const Xpos at_start, moved{512, 0.4, 65536};
  for (int pair : {0, 7, 31})
    for (double m : kPositions)
      for (double n : {m, m / 2, m - 100}) {
        const double want = xpos_scale(at_start, pair, 32, m) / xpos_scale(at_start, pair, 32, n);
        if (want == 0 || !std::isfinite(want)) continue;  // the uncentred scales have left the range of a double
        const double got = xpos_scale(moved, pair, 32, m) / xpos_scale(moved, pair, 32, n);
        EXPECT_NEAR(got, want, 4 * kEpsilon * want) << pair << " " << m;  // two scales each and two quotients
      }
}

TEST(XposProperty, ScalesMultiplyAsPositionsAdd) {
  const Xpos xpos;
  for (double m : {1.0, 2049.0, 8191.0})
    for (double n : {-8191.0, 0.5, 4096.0}) {
      const double want = xpos_scale(xpos, 3, 8, m) * xpos_scale(xpos, 3, 8, n);
      EXPECT_NEAR(xpos_scale(xpos, 3, 8, m + n), want, 3 * kEpsilon * want);  // two scales and a product
    }
}

TEST(XposProperty, AtTheCentreAndWithAHugeGammaNothingIsScaled) {
  for (int pair = 0; pair < 8; ++pair) {
    EXPECT_EQ(xpos_scale({512, 0.4, 8191}, pair, 8, 8191), 1);
    for (double m : kPositions) EXPECT_EQ(xpos_scale({512, 1e300, 0}, pair, 8, m), 1);
  }
}

TEST(XposProperty, WithTheCentreAtTheKeyScalesStayBelowOneAtAnyLength) {
  for (double n : kPositions)  // UP-70, D11: the relative form
    for (double distance : {0.0, 1.0, 9065.0, 65536.0, 1e6}) {
      const double scale = xpos_scale({64, 0.4, n}, 0, 32, n + distance);
      EXPECT_TRUE(scale >= 0 && scale <= 1) << n << " " << distance;
    }
}

TEST(XposProperty, OutOfTheRangeOfADoubleItIsZeroOrInfinite) {
  EXPECT_EQ(xpos_scale({}, 0, 8, 1000003), 0);
  EXPECT_EQ(xpos_scale({}, 0, 8, -1000003), kInfinity);
  EXPECT_EQ(xpos_scale({}, 7, 8, -1e300), kInfinity);
}

/// A line of the golden file: xpos with its parameters, or a query-scale rule.
double layer_scale(const CaseLine& line, double position) {
  const Xpos xpos{line.number("scale_base", 512), line.number("gamma", 0.4), line.number("center", 0)};
  const auto pair = static_cast<int>(line.number("pair", 0)), pairs = static_cast<int>(line.number("pairs", 32));
  if (line.kind == "xpos") return xpos_scale(xpos, pair, pairs, position);
  QueryScaleRule rule;
  rule.kind = line.kind == "log_floor" ? QueryScaleRule::Kind::kLogFloor
              : line.kind == "power"   ? QueryScaleRule::Kind::kPower
                                       : QueryScaleRule::Kind::kLogN;
  rule.beta = line.number("beta", 0);
  rule.floor_scale = line.number("floor_scale", 1);
  rule.shift = line.number("shift", 0);
  return query_scale_at(rule, position);
}

class LayerScalesGolden : public ::testing::TestWithParam<CaseGroup> {};

TEST_P(LayerScalesGolden, AreMet) {
  for (const CaseLine& line : GetParam().lines)
    for (const auto& [position, value] : line.want) {
      const double want = std::stod(value);
      EXPECT_NEAR(layer_scale(line, std::stod(position)), want, half_unit(value) + 4 * kEpsilon * want)
          << position << " of " << line.text;  // a logarithm or a power, a product and a sum
    }
}

INSTANTIATE_TEST_SUITE_P(Reports, LayerScalesGolden, ::testing::ValuesIn(read_cases("core/layer_scales.txt")),
                         group_name);

TEST(LayerScalesGolden, TheAbsoluteFormOfXposOverflowsWhereItWasReportedTo) {
  const auto largest_scale = [](double length) { return xpos_scale({64, 0.4, length / 2}, 0, 32, 0); };
  std::ifstream file = open_golden("core/xpos_overflow.txt");  // UP-70
  double length = 0, largest = 0;
  int formats = 0;
  for (; file >> length >> largest; ++formats) {
    EXPECT_LT(largest_scale(length), largest);
    EXPECT_GT(largest_scale(length + 1), largest);
  }
  EXPECT_EQ(formats, 2);
}

TEST(QueryScale, IsOneWithoutARule) {
  for (double m : kPositions) EXPECT_EQ(query_scale_at({}, m), 1);
}

const BadCall kBadCalls[] = {
    {"ScaleBase",
     [] {
       xpos_scale({0, 0.4, 0}, 0, 8, 1);
     },
     "invalid_argument", "xpos_scale: scale_base"},
    {"Gamma",
     [] {
       xpos_scale({512, -1, 0}, 0, 8, 1);
     },
     "invalid_argument", "gamma must be finite and positive, got -1"},
    {"Center",
     [] {
       xpos_scale({512, 0.4, kNan}, 0, 8, 1);
     },
     "invalid_argument", "center must be finite"},
    {"PairNegative", [] { xpos_scale({}, -1, 8, 1); }, "invalid_argument", "pair must be in 0 .. num_pairs-1, got -1"},
    {"PairTooLarge", [] { xpos_scale({}, 8, 8, 1); }, "invalid_argument", "pair must be"},
    {"NoPairs", [] { xpos_scale({}, 0, 0, 1); }, "invalid_argument", "pair must be"},
    {"Position", [] { xpos_scale({}, 0, 8, kInfinity); }, "invalid_argument", "position must be finite, got inf"},
    {"QueryFloorScale",
     [] {
       query_scale_at({QueryScaleRule::Kind::kLogFloor, 0.1, 0, 0}, 5);
     },
     "invalid_argument", "floor_scale must be finite and positive, got 0"},
    {"QueryLogNOfOne",
     [] {
       query_scale_at({QueryScaleRule::Kind::kLogN, 0, 1, 0}, 5);
     },
     "invalid_argument", "floor_scale must be finite and above 1, got 1"},
    {"QueryLogOfZero",
     [] {
       query_scale_at({QueryScaleRule::Kind::kLogFloor, 0.1, 8192, 0}, -1);
     },
     "invalid_argument", "1 + (position + shift) / floor_scale must be positive, got 0"},
    {"QueryPowerOfZero",
     [] {
       query_scale_at({QueryScaleRule::Kind::kPower, 0.5, 4, 0}, -4);
     },
     "invalid_argument", "must be positive, got 0"},
    {"QueryBeta",
     [] {
       query_scale_at({QueryScaleRule::Kind::kPower, kNan, 4, 0}, 4);
     },
     "invalid_argument", "beta must be finite"},
    {"QueryPosition", [] { query_scale_at({}, kNan); }, "invalid_argument", "query_scale_at: position must be finite"},
};

class LayerRotationBadInput : public ::testing::TestWithParam<BadCall> {};
TEST_P(LayerRotationBadInput, IsRefusedByName) { expect_refused(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Calls, LayerRotationBadInput, ::testing::ValuesIn(kBadCalls), bad_call_name);

}  // namespace
}  // namespace rotary::testing
