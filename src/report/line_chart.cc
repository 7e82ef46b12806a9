// Title, y label, names of vertical lines, plot with the series' names on its right, x axis, x label: from top to
// bottom.
#include <algorithm>
#include <cmath>

#include "report/draw.h"
#include "report/line_path.h"
#include "report/number_text.h"
#include "report/plot_frame.h"
#include "report/text.h"

namespace rotary::report {
namespace {

using Direction = ReferenceLine::Direction;

constexpr double kMarkFont = 11, kMarkRow = 15;
constexpr std::size_t kMostMarkers = 24;

struct Ranges {
  Range x, y;
};

Ranges ranges_of(const LineChart& chart) {
  Ranges out;
  const auto add_y = [&](double v) {
    if (can_show(chart.y.scale, v)) out.y.add(v);
  };
  for (const Series& s : chart.series)
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!can_show(chart.x.scale, s.x[i])) continue;
      out.x.add(s.x[i]);
      add_y(s.y[i]);
      if (!s.low.empty()) add_y(s.low[i]), add_y(s.high[i]);
    }
  for (const ReferenceLine& line : chart.lines)
    line.direction == Direction::kHorizontal ? out.y.add(line.value) : out.x.add(line.value);
  return out;
}

// The last point that can be seen, if there is one.
std::optional<Spot> end_of(const Series& s, const AxisView& x, const AxisView& y) {
  for (std::size_t i = s.x.size(); i-- > 0;)
    if (can_show(x.scale, s.x[i]) && can_show(y.scale, s.y[i])) return Spot{x.at(s.x[i]), y.at(s.y[i])};
  return std::nullopt;
}

std::string name_of(const Series& s, bool has_points) { return has_points ? s.name : s.name + " (no data)"; }

std::vector<SideLabel> series_labels(const LineChart& chart, const AxisView& x, const AxisView& y, const Box& plot) {
  std::vector<SideLabel> out;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& s = chart.series[i];
    if (s.name.empty()) continue;
    const std::optional<Spot> end = end_of(s, x, y);
    const double wanted = end ? std::clamp(end->y, plot.y, plot.bottom()) : plot.bottom();
    const bool touches = end && end->x > plot.right() - 6 && end->y == wanted;
    out.push_back({name_of(s, end.has_value()), wanted, colour_class(i) + " line", SideLabel::Key::kLine,
                   colour_class(i) + " lead", touches});
  }
  return out;
}

// Before the axes are placed: only the names matter.
double room_for_names(const LineChart& chart, double width) {
  std::vector<SideLabel> labels;
  for (const Series& s : chart.series)
    if (!s.name.empty()) labels.push_back({name_of(s, end_of(s, {chart.x.scale}, {chart.y.scale}).has_value())});
  for (const ReferenceLine& line : chart.lines)
    if (line.direction == Direction::kHorizontal && !line.name.empty()) labels.push_back({line.name});
  return std::max(8.0, side_labels_width(labels, 0.4 * width));
}

void draw_series(Svg& svg, const Series& s, const std::string& colour, const AxisView& x, const AxisView& y) {
  if (const PathData band = band_path(s, x, y); !band.empty()) svg.path(band, colour + " band");
  if (const PathData line = line_path(s, x, y); !line.empty()) svg.path(line, colour + " line");
  for (const std::size_t i : s.x.size() <= kMostMarkers ? visible_points(s, x, y) : lonely_points(s, x, y))
    svg.circle({x.at(s.x[i]), y.at(s.y[i])}, 3, colour + " fill",
               (s.name.empty() ? "" : s.name + ": ") + short_number(s.x[i]) + ", " + short_number(s.y[i]));
}

struct PlacedName {
  std::string name;
  double at, left, width;
  std::size_t row;
};

// Each name over its line, in the lowest row where it meets no other.
std::vector<PlacedName> place_names(const LineChart& chart, const AxisView& x) {
  std::vector<const ReferenceLine*> lines;
  for (const ReferenceLine& line : chart.lines)
    if (line.direction == Direction::kVertical && line.value >= x.low && line.value <= x.high) lines.push_back(&line);
  std::stable_sort(lines.begin(), lines.end(), [](const auto* a, const auto* b) { return a->value < b->value; });
  std::vector<PlacedName> out;
  std::vector<double> row_ends;
  for (const ReferenceLine* line : lines) {
    PlacedName placed{fit_width(line->name, kMarkFont, x.to - x.from), x.at(line->value), 0, 0, 0};
    placed.width = estimate_width(placed.name, kMarkFont);
    placed.left = std::max(x.from, std::min(placed.at - placed.width / 2, x.to - placed.width));
    while (placed.row < row_ends.size() && placed.left < row_ends[placed.row] + 8) ++placed.row;
    row_ends.resize(std::max(row_ends.size(), placed.row + 1), -1e9);
    if (!placed.name.empty()) row_ends[placed.row] = placed.left + placed.width;
    out.push_back(std::move(placed));
  }
  return out;
}

double room_above(const LineChart& chart, AxisView x, double width) {
  x.from = 0, x.to = width;
  double rows = 0;
  for (const PlacedName& placed : place_names(chart, x))
    if (!placed.name.empty()) rows = std::max(rows, static_cast<double>(placed.row + 1));
  return rows * kMarkRow;
}

void draw_vertical_lines(Svg& svg, const LineChart& chart, const AxisView& x, const Box& plot) {
  for (const PlacedName& placed : place_names(chart, x)) {
    const double rise = static_cast<double>(placed.row) * kMarkRow;
    svg.line({placed.at, plot.y - (placed.name.empty() ? 0 : 3 + rise)}, {placed.at, plot.bottom()}, "mark");
    svg.text({placed.left + placed.width / 2, plot.y - 6 - rise}, placed.name, {"soft", kMarkFont, Anchor::kMiddle});
  }
}

}  // namespace

Size natural_size_of(const LineChart& chart) {
  return {720, std::max(360.0, 110 + 16.0 * static_cast<double>(chart.series.size() + chart.lines.size()))};
}

void draw(Svg& svg, const LineChart& chart, Box box) {
  draw_title(svg, chart.title, box);
  const Ranges ranges = ranges_of(chart);
  AxisView x = view_axis(chart.x, ranges.x, Margin::kNone), y = view_axis(chart.y, ranges.y, Margin::kSmall);
  const double below = chart.x.label.empty() ? 22 : 40;
  const double last_tick = estimate_width(short_number(x.high), kTickFont) / 2;
  const double side = std::max(room_for_names(chart, box.width), last_tick);
  const double above = room_above(chart, x, std::max(20.0, box.width - side - 70));
  const PlotRoom room = draw_y_axis(svg, chart.y, y, box, side, above, below);
  draw_x_axis(svg, x, room.plot);
  draw_x_label(svg, chart.x.label, room.plot, box.bottom());
  if (ranges.x.empty || ranges.y.empty)
    svg.text({room.plot.x + room.plot.width / 2, room.plot.y + room.plot.height / 2}, "no data",
             {"soft", kLabelFont, Anchor::kMiddle});
  draw_vertical_lines(svg, chart, x, room.plot);
  std::vector<SideLabel> labels = series_labels(chart, x, y, room.plot);
  draw_horizontal_lines(svg, chart.lines, y, room.plot, labels);
  svg.begin_clip({room.plot.x - 4, room.plot.y - 4, room.plot.width + 8, room.plot.height + 8});
  for (std::size_t i = 0; i < chart.series.size(); ++i) draw_series(svg, chart.series[i], colour_class(i), x, y);
  svg.end_clip();
  draw_side_labels(svg, labels, room.side);
}

}  // namespace rotary::report
