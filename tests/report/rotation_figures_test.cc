// Figures of rotations: what is computed for them.
#include "report/rotation_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/markup.h"

namespace rotary::report {
namespace {

using ::testing::Contains;
using ::testing::Not;

NamedRotation rotation(const std::string& name, double base, Scaling scaling = {}, double max_position = 8192) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = 128;
  spec.base = base;
  spec.scaling = std::move(scaling);
  spec.max_position = max_position;
  return {name, spec, make_rotation_map(spec)};
}

NamedRotation llama3() { return rotation("Llama 3", 500000); }
NamedRotation llama31() { return rotation("Llama 3.1", 500000, Llama3Scaling{}, 131072); }
NamedRotation yarn(bool truncate = true) {
  YarnScaling method;
  method.factor = 32;
  method.original_max_position = 4096;
  method.truncate = truncate;
  return rotation("YaRN", 150000, method, 131072);
}

template <class T>
const T& panel(const Grid& grid, std::size_t i) {
  return std::get<T>(grid.panels.at(i).figure);
}

template <class T>
const T& panel(Grid&& grid, std::size_t i) = delete;  // would not outlive the expression

double value_at(const Series& s, double x) {
  for (std::size_t i = 0; i < s.x.size(); ++i)
    if (s.x[i] == x) return s.y[i];
  ADD_FAILURE() << s.name << " has no point at " << x;
  return 0;
}

std::vector<std::string> names(const std::vector<HeatMap>& maps) {
  std::vector<std::string> out;
  for (const HeatMap& map : maps) out.push_back(map.title);
  return out;
}

std::vector<HeatMap> maps_of(const Grid& precision) {
  std::vector<HeatMap> out;
  for (const Panel& p : panel<Grid>(precision, 0).panels) out.push_back(std::get<HeatMap>(p.figure));
  return out;
}

// Of the row with this label, pair 0.
double first_pair(const HeatMap& map, const std::string& label) {
  for (std::size_t r = 0; r < map.row_labels.size(); ++r)
    if (map.row_labels[r] == label) return map.values[r * static_cast<std::size_t>(map.columns)];
  ADD_FAILURE() << map.title << " has no row " << label;
  return 0;
}

TEST(WavelengthFigure, HasALineForEachRotationAndForEachLength) {
  const NamedRotation both[] = {llama3(), llama31()};
  const LineChart chart = wavelength_figure(both);
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[1].name, "Llama 3.1");
  EXPECT_NEAR(chart.series[0].y[0], 6.283185307, 1e-8);
  EXPECT_NEAR(chart.series[0].y[63], 2559195, 1);      // 2 pi / 2.455140791e-6
  EXPECT_NEAR(chart.series[1].y[63], 8 * 2559195, 8);  // divided by the factor
  ASSERT_EQ(chart.lines.size(), 2U);
  EXPECT_EQ(chart.lines[0].name, "8,192 trained");
  EXPECT_EQ(chart.lines[1].name, "131,072 limit");
  EXPECT_EQ(chart.y.scale, Scale::kLog);
}

TEST(WavelengthFigure, OneThatIsScaledHasItsOriginBesideIt) {
  const NamedRotation scaled = llama31(), plain = llama3();
  const LineChart chart = wavelength_figure({&scaled, 1});
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[1].name, "without scaling");
  EXPECT_NEAR(chart.series[1].y[63], 2559195, 1);
  EXPECT_EQ(wavelength_figure({&plain, 1}).series.size(), 1U);
}

TEST(WavelengthFigure, APairThatStandsStillHasNoPoint) {
  const NamedRotation quarter = rotation("p-RoPE", 10000, ProportionalScaling{0.25, 1});
  const LineChart chart = wavelength_figure({&quarter, 1});
  EXPECT_TRUE(std::isfinite(chart.series[0].y[15]));
  EXPECT_TRUE(std::isnan(chart.series[0].y[16]));
}

// Reference values to six digits from the formulas in double precision, d = 128, base 10000.
TEST(DecayFigure, HasTheScoreAndTheBoundOfThePaper) {
  const NamedRotation r = rotation("RoFormer", 10000);
  const Grid grid = decay_figure({&r, 1});
  const Series &score = panel<LineChart>(grid, 0).series[0], &bound = panel<LineChart>(grid, 1).series[0];
  EXPECT_NEAR(value_at(score, 1), 0.970214, 5e-7);
  EXPECT_NEAR(value_at(score, 10), 0.669063, 5e-7);
  EXPECT_NEAR(value_at(score, 50), 0.546172, 5e-7);
  EXPECT_NEAR(value_at(bound, 1), 31.5382, 5e-5);
  EXPECT_NEAR(value_at(bound, 10), 17.9541, 5e-5);
  EXPECT_NEAR(value_at(bound, 256), 6.5431, 5e-5);
  EXPECT_EQ(score.x.back(), 8192);
}

TEST(DecayFigure, TheBoundHolds) {
  const NamedRotation both[] = {llama31(), yarn()};
  const Grid grid = decay_figure(both);
  for (std::size_t s = 0; s < 2; ++s) {
    const Series &score = panel<LineChart>(grid, 0).series[s], &bound = panel<LineChart>(grid, 1).series[s];
    for (std::size_t i = 0; i < score.y.size(); ++i) EXPECT_LE(std::abs(score.y[i]), bound.y[i]);
  }
}

TEST(AngleFigure, CountsModuloATurnUpToTheLimit) {
  const HeatMap map = angle_figure(llama3());
  EXPECT_EQ(map.columns, 64);
  EXPECT_EQ(map.row_labels.front(), "0");
  EXPECT_EQ(map.row_labels.back(), "8,192");
  EXPECT_DOUBLE_EQ(first_pair(map, "6"), 6);
  EXPECT_NEAR(first_pair(map, "7"), 7 - 6.283185307179586, 1e-12);
  for (const double v : map.values) EXPECT_TRUE(v >= 0 && v < 6.283185307179587);
}

TEST(AngleFigure, AnAngleTheOtherWayIsWhatIsLeftOfTheTurn) {
  RopeSpec spec = llama3().spec;
  spec.negate_angle = true;
  const HeatMap map = angle_figure({"back", spec, make_rotation_map(spec)});
  EXPECT_NEAR(first_pair(map, "1"), 6.283185307179586 - 1, 1e-12);
}

TEST(MechanismFigure, TheScoreIsTheSameAtBothPlacesAndFlat) {
  const Grid grid = mechanism_figure(llama3());
  ASSERT_EQ(grid.panels.size(), 4U);
  EXPECT_EQ(grid.panels[0].caption, grid.panels[1].caption);
  EXPECT_EQ(panel<Plane>(grid, 0).title, "Query at 1, key at 2");
  EXPECT_EQ(panel<Plane>(grid, 0).y_label, "channel 64");
  const LineChart& by_position = panel<LineChart>(grid, 3);
  for (const Series& s : by_position.series)
    for (const double score : s.y) EXPECT_NEAR(score, s.y[0], 1e-14);
  EXPECT_NEAR(by_position.series[0].y[0], -0.13 * 0.94 + 0.73 * 0.34, 1e-15);
}

TEST(MechanismFigure, TakesTheFirstPairThatTurnsAndTheAttentionFactor) {
  NamedRotation r = llama3();
  r.map.frequency[0] = {};
  r.map.attention_factor = 2;
  const Grid grid = mechanism_figure(r);
  EXPECT_EQ(panel<Plane>(grid, 0).x_label, "channel 1");
  EXPECT_NEAR(panel<LineChart>(grid, 3).series[0].y[0], 4 * 0.126, 1e-14);
}

TEST(ScalingFigure, HasTheDivisorOfEachPair) {
  const NamedRotation both[] = {llama31(), yarn()};
  const Grid grid = scaling_figure(both);
  const std::vector<double>& llama = panel<LineChart>(grid, 0).series[0].y;
  EXPECT_NEAR(llama[28], 1, 1e-12);  // wavelength 1956 is below 8192 / 4
  EXPECT_TRUE(llama[29] > 1 && llama[34] < 8);
  EXPECT_NEAR(llama[35], 8, 1e-12);  // 8219 is above 8192
  EXPECT_NEAR(panel<LineChart>(grid, 0).series[1].y[63], 32, 1e-12);
}

TEST(ScalingFigure, HasTheAttentionFactorOfEachScalingFactor) {
  const NamedRotation both[] = {llama31(), yarn()};
  const Grid grid = scaling_figure(both);
  const LineChart& chart = panel<LineChart>(grid, 1);
  for (const double factor : chart.series[0].y) EXPECT_EQ(factor, 1);
  const Series& yarns = chart.series[1];
  for (std::size_t i = 0; i < yarns.x.size(); ++i) EXPECT_NEAR(yarns.y[i], 0.1 * std::log(yarns.x[i]) + 1, 1e-12);
  EXPECT_EQ(chart.lines[1].value, 32);
}

// 2^8 and 2^11: whole numbers up to there have a place in bfloat16 and in float16, and so have the angles of pair 0.
TEST(PrecisionFigure, WholeAnglesAreExactAsFarAsTheFormatCounts) {
  for (const HeatMap& map : maps_of(precision_figure(llama31()))) {
    const bool bfloat16 = map.title == "bfloat16 angle";
    if (!bfloat16 && map.title != "tf32 angle" && map.title != "float16 angle") continue;
    EXPECT_LT(first_pair(map, bfloat16 ? "255" : "2,047"), -7) << map.title;
    EXPECT_GT(first_pair(map, bfloat16 ? "511" : "4,095"), -1) << map.title;
    EXPECT_EQ(std::isnan(first_pair(map, "131,071")), map.title == "float16 angle");  // 65504 is the largest
  }
}

TEST(PrecisionFigure, CountsThePairsThatCannotTellAPositionFromTheNext) {
  const Grid grid = precision_figure(llama31());
  for (const Series& s : panel<LineChart>(grid, 1).series) {
    EXPECT_EQ(value_at(s, 16), 0) << s.name;
    const double last = value_at(s, 65536);
    if (s.name == "bfloat16 angle") {
      EXPECT_GT(last, 95);
    } else if (s.name == "exact, float32" || s.name == "transformers, float32") {
      EXPECT_EQ(last, 0);
    }
  }
}

TEST(PrecisionFigure, LeavesGgmlOutWhereItTurnsOtherwise) {
  EXPECT_THAT(names(maps_of(precision_figure(yarn()))), Contains("ggml"));
  EXPECT_THAT(names(maps_of(precision_figure(yarn(false)))), Not(Contains("ggml")));  // always rounds the range
  RopeSpec spec = llama3().spec;
  spec.axes = {AxisRule::kSections, 3, {16, 24, 24}, {}};
  EXPECT_THAT(names(maps_of(precision_figure({"M-RoPE", spec, make_rotation_map(spec)}))), Not(Contains("ggml")));
}

TEST(RotationFigures, AreWellFormedAndTheSameEachTime) {
  const auto draw = [] {
    const NamedRotation r = yarn();
    std::string out;
    for (const Figure& figure :
         {Figure(mechanism_figure(r)), Figure(wavelength_figure({&r, 1})), Figure(decay_figure({&r, 1})),
          Figure(angle_figure(r)), Figure(scaling_figure({&r, 1})), Figure(precision_figure(r))}) {
      const std::string svg = to_svg(figure);
      EXPECT_EQ(testing::xml_fault(svg), "");
      EXPECT_EQ(testing::count(svg, "http"), 1);  // the name space
      out += svg;
    }
    return out;
  };
  EXPECT_EQ(draw(), draw());
}

}  // namespace
}  // namespace rotary::report
