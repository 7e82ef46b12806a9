// What a figure must keep to; everything that to_svg refuses is refused here.
#include <cmath>
#include <string>

#include "core/require.h"
#include "report/axis.h"
#include "report/draw.h"

namespace rotary::report {
namespace {

using detail::require;

constexpr const char* kFunction = "to_svg";
constexpr double kTurn = 6.283185307179587;

void check_length(std::size_t got, std::size_t want, const std::string& what) {
  require(got == want, kFunction, what + " must have " + std::to_string(want) + " values", got);
}

void check_optional_length(std::size_t got, std::size_t want, const std::string& what) {
  require(got == 0 || got == want, kFunction, what + " must be empty or have " + std::to_string(want) + " values", got);
}

void check_axis(const Axis& axis, const std::string& name) {
  const std::string domain =
      axis.scale == Scale::kLinear ? " must be finite" : " must be finite and positive on a logarithmic axis";
  if (axis.min) require(can_show(axis.scale, *axis.min), kFunction, name + ".min" + domain, *axis.min);
  if (axis.max) require(can_show(axis.scale, *axis.max), kFunction, name + ".max" + domain, *axis.max);
  if (axis.min && axis.max)
    require(*axis.min < *axis.max, kFunction, name + ".max must be above its min of " + detail::show(*axis.min),
            *axis.max);
}

void check_lines(const std::vector<ReferenceLine>& lines, const Axis& x, const Axis& y) {
  for (const ReferenceLine& line : lines) {
    const Axis& axis = line.direction == ReferenceLine::Direction::kHorizontal ? y : x;
    require(can_show(axis.scale, line.value), kFunction,
            "reference line '" + line.name + "' must have a place on its axis", line.value);
  }
}

void check_scale(const ColourScale& scale) {
  if (scale.min) require(std::isfinite(*scale.min), kFunction, "scale.min must be finite", *scale.min);
  if (scale.max) require(std::isfinite(*scale.max), kFunction, "scale.max must be finite", *scale.max);
  if (scale.min && scale.max)
    require(*scale.min <= *scale.max, kFunction, "scale.max must not be below its min of " + detail::show(*scale.min),
            *scale.max);
  if (scale.palette == Palette::kDiverging) {
    if (scale.min) require(*scale.min <= 0, kFunction, "a diverging scale.min must not be above 0", *scale.min);
    if (scale.max) require(*scale.max >= 0, kFunction, "a diverging scale.max must not be below 0", *scale.max);
  }
}

}  // namespace

void validate(const LineChart& chart) {
  check_axis(chart.x, "x");
  check_axis(chart.y, "y");
  check_lines(chart.lines, chart.x, chart.y);
  for (const Series& s : chart.series) {
    const std::string of = " of series '" + s.name + "'";
    check_length(s.y.size(), s.x.size(), "y" + of);
    check_optional_length(s.low.size(), s.x.size(), "low" + of);
    check_length(s.high.size(), s.low.size(), "high" + of);
    for (std::size_t i = 0; i < s.low.size(); ++i)
      require(!(s.low[i] > s.high[i]), kFunction, "low" + of + " must not be above high", s.low[i]);
  }
}

void validate(const BarChart& chart) {
  require(chart.y.scale == Scale::kLinear, kFunction, "y of a bar chart must be linear, scale", int(chart.y.scale));
  check_axis(chart.y, "y");
  for (const ReferenceLine& line : chart.lines)
    require(line.direction == ReferenceLine::Direction::kHorizontal, kFunction,
            "a line over bars must be horizontal, name", line.name);
  check_lines(chart.lines, {}, chart.y);
  for (const BarSeries& s : chart.series) {
    const std::string of = " of series '" + s.name + "'";
    check_length(s.values.size(), chart.categories.size(), "values" + of);
    check_optional_length(s.error.size(), chart.categories.size(), "error" + of);
    for (const double e : s.error) require(!(e < 0), kFunction, "error" + of + " must not be negative", e);
  }
}

void validate(const HeatMap& map) {
  require(map.rows >= 0, kFunction, "rows must not be negative", map.rows);
  require(map.columns >= 0, kFunction, "columns must not be negative", map.columns);
  const std::size_t rows = static_cast<std::size_t>(map.rows), columns = static_cast<std::size_t>(map.columns);
  check_length(map.values.size(), rows * columns, "values of a heat map");
  check_optional_length(map.row_labels.size(), rows, "row_labels");
  check_optional_length(map.column_labels.size(), columns, "column_labels");
  check_optional_length(map.tooltips.size(), rows * columns, "tooltips");
  check_scale(map.scale);
}

void validate(const Plane& plane) {
  for (const Arrow& a : plane.arrows) {
    const std::string of = " of arrow '" + a.name + "'";
    require(can_show(Scale::kLinear, a.x), kFunction, "x" + of + " must be finite", a.x);
    require(can_show(Scale::kLinear, a.y), kFunction, "y" + of + " must be finite", a.y);
    require(a.colour >= 0, kFunction, "colour" + of + " must not be negative", a.colour);
  }
  for (const Arc& a : plane.arcs) {
    const std::string of = " of arc '" + a.name + "'";
    require(can_show(Scale::kLog, a.radius), kFunction, "radius" + of + " must be finite and positive", a.radius);
    require(std::isfinite(a.from), kFunction, "from" + of + " must be finite", a.from);
    require(std::abs(a.to - a.from) <= kTurn, kFunction, "to" + of + " must be within a turn of from", a.to);
    require(a.colour >= 0, kFunction, "colour" + of + " must not be negative", a.colour);
  }
}

void validate(const Grid& grid) {
  require(grid.columns >= 1, kFunction, "columns of a grid must be at least 1", grid.columns);
  if (grid.scale) check_scale(*grid.scale);
  for (const Panel& panel : grid.panels) validate_figure(panel.figure);
}

}  // namespace rotary::report
