// Laws of ticks over many ranges, and their labels.
#include "report/ticks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "report/axis.h"

namespace rotary::report {
namespace {

// The first digit of a step that is 1, 2 or 5 × 10^k, else 0.
int leading_digit(double step) {
  const double digit = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
  for (const int d : {1, 2, 5})
    if (std::abs(digit - d) < 1e-6) return d;
  return 0;
}

void expect_inside(const Ticks& ticks, double low, double high, int target) {
  const double slack = 1e-8 * (high - low);
  ASSERT_GE(ticks.values.size(), 2U) << low << " " << high;
  EXPECT_LE(ticks.values.size(), static_cast<std::size_t>(2 * target) + 1);
  EXPECT_EQ(ticks.labels.size(), ticks.values.size());
  EXPECT_GE(ticks.values.front(), low - slack);
  EXPECT_LE(ticks.values.back(), high + slack);
  EXPECT_TRUE(std::is_sorted(ticks.values.begin(), ticks.values.end()));
}

TEST(TicksProperty, LinearTicksAreMultiplesOf1Or2Or5InsideTheRange) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    const double size = std::pow(10.0, std::uniform_real_distribution<>(-250, 250)(random));
    const double low = std::uniform_real_distribution<>(-3, 3)(random) * size;
    const double high = low + std::uniform_real_distribution<>(0.01, 3)(random) * size;
    const int target = std::uniform_int_distribution<>(4, 12)(random);
    const Ticks ticks = make_ticks(Scale::kLinear, low, high, target);
    expect_inside(ticks, low, high, target);
    const double step = ticks.values[1] - ticks.values[0];
    EXPECT_NE(leading_digit(step), 0) << low << " " << high << " " << step;
    for (const double v : ticks.values) EXPECT_NEAR(v / step, std::round(v / step), 1e-6);
  }
}

TEST(TicksProperty, LogarithmicTicksAre1Or2Or5TimesAPowerOfTen) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 3000; ++round) {
    const double low = std::pow(10.0, std::uniform_real_distribution<>(-100, 100)(random));
    const double high = low * std::pow(10.0, std::uniform_real_distribution<>(1.1, 60)(random));
    const int target = std::uniform_int_distribution<>(3, 12)(random);
    const Ticks ticks = make_ticks(Scale::kLog, low, high, target);
    expect_inside(ticks, low, high, target);
    for (const double v : ticks.values) EXPECT_NE(leading_digit(v), 0) << v;
  }
}

TEST(TicksProperty, EveryLogarithmicRangeHasPositiveTicksWhateverTheTarget) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 3000; ++round) {
    const double low = std::pow(10.0, std::uniform_real_distribution<>(-280, 100)(random));
    const double high = low * std::pow(10.0, std::uniform_real_distribution<>(0.001, 150)(random));
    for (const int target : {1, 2, 5, 12})
      for (const Scale scale : {Scale::kLog, Scale::kLog2}) {
        const Ticks ticks = make_ticks(scale, low, high, target);
        EXPECT_GE(ticks.values.size(), target > 1 ? 2U : 0U) << low << " " << high << " " << target;
        for (const double v : ticks.values) EXPECT_TRUE(v >= low * (1 - 1e-8) && v <= high * (1 + 1e-8)) << v;
      }
  }
}

TEST(TicksProperty, NoTwoTicksHaveTheSameLabel) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    const double low = std::uniform_real_distribution<>(-1e4, 1e4)(random);
    const double high = low + std::pow(10.0, std::uniform_real_distribution<>(-6, 12)(random));
    const Ticks ticks = make_ticks(Scale::kLinear, low, high, 6);
    EXPECT_EQ(std::set<std::string>(ticks.labels.begin(), ticks.labels.end()).size(), ticks.labels.size()) << low;
  }
}

using Labels = std::vector<std::string>;

TEST(Ticks, LabelsHaveTheDecimalsOfTheStep) {
  EXPECT_EQ(make_ticks(Scale::kLinear, 0, 1, 5).labels, (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(make_ticks(Scale::kLinear, -1000, 1000, 4).labels, (Labels{"−1,000", "−500", "0", "500", "1,000"}));
  EXPECT_EQ(make_ticks(Scale::kLinear, 0, 2e8, 2).labels, (Labels{"0", "1×10⁸", "2×10⁸"}));
  EXPECT_EQ(make_ticks(Scale::kLinear, 0, 3e-7, 3).labels, (Labels{"0", "1×10⁻⁷", "2×10⁻⁷", "3×10⁻⁷"}));
}

TEST(Ticks, NeighbouringNumbersEndTheSearch) {
  const Ticks ticks = make_ticks(Scale::kLinear, 1e15, std::nextafter(1e15, 2e15), 8);
  EXPECT_LE(ticks.values.size(), 400U);
}

TEST(Ticks, DecadesAndOctavesAreLabelledAsSuch) {
  EXPECT_EQ(make_ticks(Scale::kLog, 1, 1e4, 6).labels, (Labels{"1", "10", "100", "1,000", "10,000"}));
  EXPECT_EQ(make_ticks(Scale::kLog, 1e-8, 1, 5).labels, (Labels{"10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"}));
  EXPECT_EQ(make_ticks(Scale::kLog, 1, 50, 6).labels, (Labels{"1", "2", "5", "10", "20", "50"}));
  EXPECT_EQ(make_ticks(Scale::kLog2, 256, 4096, 6).labels, (Labels{"256", "512", "1,024", "2,048", "4,096"}));
  EXPECT_EQ(make_ticks(Scale::kLog, 3.1, 4.2, 3).labels, (Labels{"3.5", "4.0"}));  // no decade inside
}

TEST(AxisView, ValuesLieWhereTheScalePutsThem) {
  Range data;
  for (const double v : {1.0, 100.0}) data.add(v);
  AxisView view = view_axis({"", Scale::kLog}, data, Margin::kNone);
  view.from = 0, view.to = 200;
  EXPECT_NEAR(view.at(10), 100, 1e-9);
  view = view_axis({"", Scale::kLinear, 0, 50}, data, Margin::kSmall);
  view.from = 200, view.to = 0;  // y grows upwards
  EXPECT_NEAR(view.at(25), 100, 1e-9);
}

TEST(AxisView, EveryRangeHasRoom) {
  const double kConstants[] = {0, 1, -1, 1e9, 1e300, -1e300, 1e-300, 5e-324};
  for (const double constant : kConstants)
    for (const Margin margin : {Margin::kNone, Margin::kSmall}) {
      Range data;
      data.add(constant);
      const AxisView view = view_axis({}, data, margin);
      EXPECT_LT(view.low, view.high) << constant;
      EXPECT_LE(view.low, constant);
      EXPECT_GE(view.high, constant);
    }
  const AxisView beyond = view_axis({"", Scale::kLinear, 5}, Range{1, 2, false}, Margin::kSmall);
  EXPECT_EQ(beyond.low, 5);
  EXPECT_GT(beyond.high, 5);
}

}  // namespace
}  // namespace rotary::report
