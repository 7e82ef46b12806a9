// What is refused, and that the message names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "report/attention_figure.h"
#include "report/page.h"
#include "report/progress.h"
#include "report/rotation_figures.h"

namespace rotary::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct BadCase {
  const char* name;
  std::function<void()> call;
  const char* message;

  friend void PrintTo(const BadCase& c, std::ostream* out) { *out << c.name; }
};

std::function<void()> draw(Figure figure, Size size = {400, 300}) {
  return [=] { (void)to_svg(figure, size); };
}

template <class Change>
std::function<void()> chart(Change change) {
  LineChart c{"", {}, {}, {{"s", {1, 2}, {1, 2}}}};
  change(c);
  return draw(c);
}

template <class Change>
std::function<void()> map(Change change) {
  HeatMap m{"", 2, 2, {1, 2, 3, 4}};
  change(m);
  return draw(m);
}

template <class Change>
std::function<void()> bars(Change change) {
  BarChart b{"", "", {}, {"a", "b"}, {{"s", {1, 2}}}};
  change(b);
  return draw(b);
}

template <class Change>
std::function<void()> plane(Change change) {
  Plane p{"", "", "", {{"a", 1, 0}}, {{"r", 1, 0, 1}}};
  change(p);
  return draw(p);
}

// A rotation of four channels, to be spoilt.
template <class Change, class Draw>
std::function<void()> rotation(Change change, Draw draw_it) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = 4;
  NamedRotation r("r", spec, make_rotation_map(spec));
  change(r);
  return [=] { (void)draw_it(r); };
}

const auto kWavelengths = [](const NamedRotation& r) { return wavelength_figure({&r, 1}); };
const auto kUnchanged = [](NamedRotation&) {};
const auto kStill = [](NamedRotation& r) { r.map.frequency.assign(2, {}); };

const std::vector<float> kFour(4, 0.5F);

const BadCase kCases[] = {
    {"NarrowPicture", draw(LineChart{}, {79, 300}), "width must be 80 to 20000, got 79"},
    {"HighPicture", draw(LineChart{}, {400, 1e9}), "height must be 60 to 20000"},
    {"NanSize", draw(LineChart{}, {kNan, 300}), "width must be 80 to 20000, got nan"},
    {"ShortY", chart([](LineChart& c) { c.series[0].y = {1}; }), "y of series 's' must have 2 values, got 1"},
    {"ShortLow", chart([](LineChart& c) { c.series[0].low = {1}; }), "low of series 's' must be empty or have 2"},
    {"LowWithoutHigh", chart([](LineChart& c) {
       c.series[0].low = {1, 1};
     }),
     "high of series 's' must have 2"},
    {"HighWithoutLow", chart([](LineChart& c) {
       c.series[0].high = {1, 1};
     }),
     "high of series 's' must have 0"},
    {"LowAboveHigh", chart([](LineChart& c) {
       c.series[0].low = {1, 3}, c.series[0].high = {2, 2};
     }),
     "low of series 's' must not be above high, got 3"},
    {"EmptyAxis", chart([](LineChart& c) { c.x.min = c.x.max = 1; }), "x.max must be above its min of 1, got 1"},
    {"NanLimit", chart([](LineChart& c) { c.y.min = kNan; }), "y.min must be finite, got nan"},
    {"HugeLimit", chart([](LineChart& c) { c.y.max = 1e301; }), "y.max must be finite, got"},
    {"ZeroOnALogarithm", chart([](LineChart& c) {
       c.x = {"", Scale::kLog, 0};
     }),
     "x.min must be finite and positive"},
    {"LineOffTheLogarithm", chart([](LineChart& c) {
       c.y.scale = Scale::kLog;
       c.lines = {{"zero", 0}};
     }),
     "reference line 'zero' must have a place on its axis, got 0"},
    {"ShortBars", bars([](BarChart& b) { b.series[0].values = {1}; }),
     "values of series 's' must have 2 values, got 1"},
    {"ShortError", bars([](BarChart& b) { b.series[0].error = {1}; }), "error of series 's' must be empty or have 2"},
    {"NegativeError", bars([](BarChart& b) {
       b.series[0].error = {1, -1};
     }),
     "must not be negative, got -1"},
    {"LogarithmicBars", bars([](BarChart& b) { b.y.scale = Scale::kLog; }), "y of a bar chart must be linear"},
    {"VerticalLineOverBars", bars([](BarChart& b) {
       b.lines = {{"v", 1, ReferenceLine::Direction::kVertical}};
     }),
     "a line over bars must be horizontal, name, got v"},
    {"ShortValues", map([](HeatMap& m) { m.values.pop_back(); }), "values of a heat map must have 4 values, got 3"},
    {"NegativeRows", map([](HeatMap& m) { m.rows = m.columns = -2; }), "rows must not be negative, got -2"},
    {"ShortRowLabels", map([](HeatMap& m) { m.row_labels = {"a"}; }), "row_labels must be empty or have 2"},
    {"LongColumnLabels", map([](HeatMap& m) {
       m.column_labels = {"a", "b", "c"};
     }),
     "column_labels must be empty or"},
    {"ShortTooltips", map([](HeatMap& m) { m.tooltips = {"a"}; }), "tooltips must be empty or have 4"},
    {"TurnedScale", map([](HeatMap& m) {
       m.scale = {Palette::kSequential, 2, 1};
     }),
     "scale.max must not be below its min of 2, got 1"},
    {"DivergingWithoutZero", map([](HeatMap& m) {
       m.scale = {Palette::kDiverging, 1, 2};
     }),
     "a diverging scale.min must not be above 0, got 1"},
    {"GridWithoutColumns", draw(Grid{"", 0, {}}), "columns of a grid must be at least 1, got 0"},
    {"BadPanel", draw(Grid{"", 1, {{HeatMap{"", 1, 1, {}}}}}), "values of a heat map must have 1 values, got 0"},
    {"NanArrow", plane([](Plane& p) { p.arrows[0].y = kNan; }), "y of arrow 'a' must be finite, got nan"},
    {"ArrowColour", plane([](Plane& p) { p.arrows[0].colour = -1; }), "colour of arrow 'a' must not be negative"},
    {"FlatArc", plane([](Plane& p) { p.arcs[0].radius = 0; }), "radius of arc 'r' must be finite and positive, got 0"},
    {"NanArc", plane([](Plane& p) { p.arcs[0].from = kNan; }), "from of arc 'r' must be finite, got nan"},
    {"LongArc", plane([](Plane& p) { p.arcs[0].to = 7; }), "to of arc 'r' must be within a turn of from, got 7"},
    {"ArcColour", plane([](Plane& p) { p.arcs[0].colour = -1; }), "colour of arc 'r' must not be negative, got -1"},
    {"NoWavelengths", [] { (void)wavelength_figure({}); }, "wavelength_figure: rotations must not be empty, got 0"},
    {"NoDecay", [] { (void)decay_figure({}); }, "decay_figure: rotations must not be empty"},
    {"NoScaling", [] { (void)scaling_figure({}); }, "scaling_figure: rotations must not be empty"},
    {"BadSpec", rotation([](NamedRotation& r) { r.spec.base = 0; }, kWavelengths), "base"},
    {"BadMap", rotation([](NamedRotation& r) { r.map.channels = 1; }, kWavelengths),
     "pass_to must have one entry per channel"},
    {"NegativeLength", rotation([](NamedRotation& r) { r.seq_len = -1; }, kWavelengths),
     "seq_len of 'r' must not be negative, got -1"},
    {"StillWavelengths", rotation(kStill, kWavelengths), "wavelength_figure: map of 'r' must turn a pair, got 0"},
    {"StillMechanism", rotation(kStill, mechanism_figure), "mechanism_figure: map of 'r' must turn a pair, got 0"},
    {"StillAngles", rotation(kStill, angle_figure), "angle_figure: map of 'r' must turn a pair, got 0"},
    {"StillPrecision", rotation(kStill, precision_figure), "precision_figure: map of 'r' must turn a pair, got 0"},
    {"Unscaled",
     rotation(kUnchanged,
              [](const NamedRotation& r) {
                return scaling_figure({&r, 1});
              }),
     "spec of 'r' must have a scaling method, got default"},
    {"AttentionWithoutHeads", [] { attention_figure({"a"}, {}, 0); }, "num_heads must be at least 1, got 0"},
    {"AttentionOfOtherSize", [] { attention_figure({"a"}, kFour, 1); }, "weights must have 1 values, got 4"},
    {"AttentionNames",
     [] {
       attention_figure({"a", "b"}, kFour, 1, {"", {"x", "y"}});
     },
     "head_names must be empty or"},
    {"AttentionColumns",
     [] {
       attention_figure({"a", "b"}, kFour, 1, {"", {}, -1});
     },
     "columns must not be negative"},
    {"TableRow",
     [] {
       to_text({{{"a"}, {"b"}}, {{"1"}}});
     },
     "a row must have 2 cells, got 1"},
    {"PageTable",
     [] {
       Page("t").table({{{"a"}}, {{"1", "2"}}});
     },
     "a row must have 1 cells, got 2"},
    {"PageFigure",
     [] {
       Page("t").figure(HeatMap{"", 1, 1, {}});
     },
     "values of a heat map must have 1 values"},
    {"ProgressWithoutStream", [] { Progress(Terminal{}, {}); }, "terminal.out must be a stream"},
};

class ReportBadInput : public ::testing::TestWithParam<BadCase> {};

TEST_P(ReportBadInput, IsRefusedByName) {
  try {
    GetParam().call();
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, ReportBadInput, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rotary::report
