// What the pictures hold: structure, text, paths.
#include "report/figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/markup.h"

namespace rotary::report {
namespace {

using testing::count;
using testing::paths_of;
using ::testing::Test;
using testing::texts_in;
using testing::xml_fault;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool has_text(const std::string& svg, const std::string& text) {
  const std::vector<std::string> all = texts_in(svg);
  return std::find(all.begin(), all.end(), text) != all.end();
}

LineChart line_chart(std::vector<double> x, std::vector<double> y) {
  return {"Loss", {"step"}, {"nats"}, {{"RoPE", std::move(x), std::move(y)}}};
}

HeatMap heat_map(int rows, int columns) {
  HeatMap map;
  map.rows = rows;
  map.columns = columns;
  for (int i = 0; i < rows * columns; ++i) map.values.push_back(i);
  return map;
}

std::vector<Figure> one_of_each() {
  const HeatMap map = heat_map(3, 4);
  const BarChart bars{"Bars", "x", {"y"}, {"a", "b"}, {{"s", {1, -2}, {0.1, 0.2}}, {"t", {kNan, 3}}}, {{"line", 1}}};
  return {line_chart({1, 2, 3}, {1, 4, 9}), bars, map, Grid{"Grid", 2, {{map, "one"}, {bars, "two"}, {map}}}};
}

TEST(Figure, EveryKindIsWellFormedXmlInEverySize) {
  for (const Figure& figure : one_of_each()) {
    EXPECT_EQ(xml_fault(to_svg(figure)), "");
    for (const Size size : {Size{80, 60}, {300, 200}, {2000, 100}, {100, 2000}})
      EXPECT_EQ(xml_fault(to_svg(figure, size)), "") << size.width << " x " << size.height;
  }
}

TEST(Figure, NoCoordinateIsLostToOverflow) {
  for (const double scale : {1e-300, 1e-12, 1.0, 1e12, 1e299})
    for (const Figure& figure :
         {Figure(line_chart({0, scale}, {-scale, scale})), Figure(BarChart{"", "", {}, {"a"}, {{"", {scale}}}}),
          Figure(HeatMap{"", 1, 2, {-scale, scale}})}) {
      const std::string svg = to_svg(figure);
      EXPECT_EQ(svg.find("\"nan"), svg.npos) << scale;
      EXPECT_EQ(svg.find("inf"), svg.npos) << scale;
      EXPECT_EQ(svg.find("nan "), svg.npos) << scale;
    }
}

TEST(Figure, TheSameFigureGivesTheSameBytes) {
  for (const Figure& figure : one_of_each()) EXPECT_EQ(to_svg(figure), to_svg(figure));
}

TEST(Figure, TextIsEscapedWhereverItComesFrom) {
  const std::string evil = "<b a=\"1\">&\x01</b>";
  Series series{evil, {1, 2}, {1, 2}};
  HeatMap map{evil, 1, 1, {1}, {evil}, {evil}, evil, evil, {Palette::kSequential, 0, 1, evil}, true, true, {evil}};
  const LineChart lines{evil, {evil}, {evil}, {series}, {{evil, 1}, {evil, 1, ReferenceLine::Direction::kVertical}}};
  const BarChart bars{evil, evil, {evil}, {evil}, {{evil, {1}}}, {{evil, 1}}};
  const std::string svg = to_svg(Grid{evil, 1, {{lines, evil}, {bars, evil}, {map, evil}}});
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(svg.find("<b "), svg.npos);
  EXPECT_GT(count(svg, "&lt;b a=&quot;1&quot;&gt;&amp;&lt;/b&gt;"), 10);
}

TEST(Figure, InAPageThePictureHasNoStylesOfItsOwn) {
  const Figure figure = line_chart({1, 2}, {1, 2});
  EXPECT_EQ(count(to_svg(figure), "<style>"), 1);
  EXPECT_EQ(count(to_inline_svg(figure, {300, 200}), "<style>"), 0);
  EXPECT_EQ(count(to_inline_svg(figure, {300, 200}), " id=\""), 0);  // would clash with another picture's
}

TEST(LineChart, LinesBreakWhereThereIsNoValue) {
  const std::string whole = to_svg(line_chart({0, 1, 2, 3, 4}, {1, 2, 3, 2, 1}));
  const std::string broken = to_svg(line_chart({0, 1, 2, 3, 4}, {1, 2, kNan, 2, 1}));
  const std::string infinite = to_svg(line_chart({0, 1, 2, 3, 4}, {1, 2, kInfinity, 2, 1}));
  ASSERT_EQ(paths_of(whole, "c0 line").size(), 1U);
  EXPECT_EQ(count(paths_of(whole, "c0 line")[0], "M"), 1);
  EXPECT_EQ(count(paths_of(whole, "c0 line")[0], "L"), 4);
  EXPECT_EQ(count(paths_of(broken, "c0 line")[0], "M"), 2);
  EXPECT_EQ(count(paths_of(broken, "c0 line")[0], "L"), 2);
  EXPECT_EQ(count(paths_of(infinite, "c0 line")[0], "M"), 2);
}

TEST(LineChart, ALogarithmicAxisHasNoPlaceForZero) {
  LineChart chart = line_chart({0, 1, 2, 4, 8}, {1, 2, 0, 2, 4});
  EXPECT_EQ(count(paths_of(to_svg(chart), "c0 line")[0], "M"), 1);
  chart.y.scale = Scale::kLog;
  EXPECT_EQ(count(paths_of(to_svg(chart), "c0 line")[0], "M"), 2);
  chart.x.scale = Scale::kLog2;
  EXPECT_EQ(count(paths_of(to_svg(chart), "c0 line")[0], "L"), 1);  // of (1, 2), (4, 2), (8, 4)
}

TEST(LineChart, APointAloneIsADotInALongSeriesToo) {
  EXPECT_EQ(count(to_svg(line_chart({1}, {5})), "<circle"), 1);
  std::vector<double> x, y;
  for (int i = 0; i < 100; ++i) x.push_back(i), y.push_back(i == 49 || i == 51 ? kNan : i);
  EXPECT_EQ(count(to_svg(line_chart(x, y)), "<circle"), 1);
}

TEST(LineChart, ALongSeriesIsThinnedButKeepsItsExtremes) {
  std::vector<double> x, y;
  for (int i = 0; i < 200000; ++i) x.push_back(i), y.push_back(std::sin(i * 0.37));
  LineChart chart = line_chart(x, y);
  chart.y.min = -2, chart.y.max = 2;
  const std::string flat = to_svg(chart);
  EXPECT_LT(flat.size(), 60000U);
  chart.series[0].y[123456] = 1.5;  // one point among 300 of its column
  EXPECT_NE(paths_of(to_svg(chart), "c0 line"), paths_of(flat, "c0 line"));
}

TEST(LineChart, WithoutDataItSaysSo) {
  EXPECT_TRUE(has_text(to_svg(LineChart{}), "no data"));
  EXPECT_TRUE(has_text(to_svg(line_chart({}, {})), "RoPE (no data)"));
  EXPECT_TRUE(has_text(to_svg(line_chart({1, 2}, {kNan, kNan})), "no data"));
  EXPECT_FALSE(has_text(to_svg(line_chart({1}, {1})), "no data"));
}

TEST(LineChart, NamesOfSeriesAndLinesStandBesideThePlot) {
  LineChart chart;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) chart.series.push_back({name, {0, 1}, {0, 1}});
  chart.lines = {{"guess", 0.5}, {"outside", 2}, {"here", 0.5, ReferenceLine::Direction::kVertical}};
  chart.y.max = 1;
  const std::string svg = to_svg(chart);
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "guess", "here"})
    EXPECT_TRUE(has_text(svg, name)) << name;
  EXPECT_FALSE(has_text(svg, "outside"));
  EXPECT_EQ(paths_of(svg, "c0 dashed line").size(), 1U);  // the ninth
}

TEST(LineChart, ABandIsAClosedAreaAroundTheLine) {
  LineChart chart = line_chart({0, 1, 2}, {2, 2, 2});
  chart.series[0].low = {1, 1, 1};
  chart.series[0].high = {3, 3, 3};
  const std::vector<std::string> bands = paths_of(to_svg(chart), "c0 band");
  ASSERT_EQ(bands.size(), 1U);
  EXPECT_EQ(count(bands[0], "L"), 5);
  EXPECT_EQ(bands[0].back(), 'z');
}

TEST(BarChart, BarsBeginAtZeroAndMissingValuesHaveNone) {
  const BarChart chart{"", "", {"y"}, {"a", "b", "c"}, {{"s", {2, kNan, -1}}}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count(svg, "<title>s, "), 2);
  EXPECT_TRUE(has_text(svg, "2"));
  EXPECT_TRUE(has_text(svg, "−1"));
  EXPECT_FALSE(has_text(svg, "–"));
}

TEST(BarChart, LongNamesAreTurned) {
  const auto turned = [](const char* name) {
    return count(to_svg(BarChart{"", "", {}, {name, name, name, name, name, name}, {{"", {1, 2, 3, 4, 5, 6}}}}),
                 "rotate(-45");
  };
  EXPECT_EQ(turned("to 64"), 0);
  EXPECT_EQ(turned("library functions of others"), 6);
}

TEST(HeatMap, EachValueHasItsShareOfTheColour) {
  HeatMap map{"", 1, 5, {0, 0.25, 0.5, 1, kNan}};
  map.show_scale = false;
  const std::string svg = to_svg(map);
  EXPECT_EQ(count(svg, "more cell"), 3);  // zero is the background
  EXPECT_EQ(count(svg, "class=\"more cell\" fill-opacity=\"0.25\""), 1);
  EXPECT_EQ(count(svg, "missing cell"), 1);
}

TEST(HeatMap, NegativeAndPositiveHaveColoursOfTheirOwn) {
  HeatMap map{"", 1, 3, {-1, 0, 2}};
  map.scale.palette = Palette::kDiverging;
  map.show_scale = false;
  const std::string svg = to_svg(map);
  EXPECT_EQ(count(svg, "class=\"less cell\" fill-opacity=\"0.5\""), 1);  // the scale is symmetric
  EXPECT_EQ(count(svg, "more cell"), 1);
}

TEST(HeatMap, ValuesBeyondTheScaleAreItsEnds) {
  HeatMap map{"", 1, 3, {-5, 0.5, 7}};
  map.scale = {Palette::kSequential, 0, 1};
  map.show_scale = false;
  EXPECT_EQ(count(to_svg(map), "more cell"), 2);
  EXPECT_EQ(count(to_svg(map), "class=\"more cell\"/>"), 1);  // full strength
}

TEST(HeatMap, LabelsAreShortenedInTheMiddleAndTurned) {
  HeatMap map = heat_map(3, 3);
  map.row_labels = map.column_labels = {"a", "archive_read_data_into_fd", "c"};
  const std::string svg = to_svg(map);
  EXPECT_TRUE(has_text(svg, "archive_r…_into_fd"));
  EXPECT_EQ(count(svg, "rotate(-90"), 3);
}

TEST(HeatMap, EveryLabelIsThereUpTo64AndThenEverySo) {
  for (const int n : {1, 40, 64, 65, 300}) {
    HeatMap map = heat_map(n, n);
    for (int i = 0; i < n; ++i) map.row_labels.push_back("row" + std::to_string(i));
    map.column_labels = map.row_labels;
    const int labels = count(to_svg(map), ">row");
    if (n <= 65)
      EXPECT_EQ(labels, 2 * n);
    else
      EXPECT_TRUE(labels >= 80 && labels < n) << labels;
  }
}

TEST(HeatMap, EqualNeighboursAreDrawnTogether) {
  HeatMap map = heat_map(100, 100);
  std::fill(map.values.begin(), map.values.end(), 1.0);
  EXPECT_LT(to_svg(map).size(), 20000U);
}

TEST(HeatMap, TooltipsBelongToTheirCells) {
  HeatMap map = heat_map(1, 2);
  map.tooltips = {"left", "right"};
  const std::string svg = to_svg(map);
  EXPECT_LT(svg.find("<title>left</title>"), svg.find("<title>right</title>"));
}

TEST(Grid, HasEveryPanelWithItsCaption) {
  const std::string svg =
      to_svg(Grid{"All", 2, {{heat_map(2, 2), "one"}, {heat_map(2, 2), "two"}, {heat_map(2, 2), "three"}}});
  for (const char* caption : {"All", "one", "two", "three"}) EXPECT_TRUE(has_text(svg, caption)) << caption;
  EXPECT_EQ(xml_fault(to_svg(Grid())), "");
  EXPECT_EQ(xml_fault(to_svg(Grid{"", 3, {{Grid{"inner", 1, {{heat_map(1, 1)}}}}}})), "");
}

}  // namespace
}  // namespace rotary::report
