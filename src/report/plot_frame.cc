#include "report/plot_frame.h"

#include <algorithm>
#include <cmath>

#include "report/text.h"

namespace rotary::report {
namespace {

double widest(const std::vector<std::string>& labels) {
  double out = 0;
  for (const std::string& label : labels) out = std::max(out, estimate_width(label, kTickFont));
  return out;
}

bool collide(const AxisView& x) {
  double end = -1e9;
  for (std::size_t i = 0; i < x.ticks.values.size(); ++i) {
    const double half = estimate_width(x.ticks.labels[i], kTickFont) / 2, centre = x.at(x.ticks.values[i]);
    if (centre - half < end + 8) return true;
    end = centre + half;
  }
  return false;
}

}  // namespace

void draw_title(Svg& svg, std::string_view title, Box& box) {
  if (title.empty()) return;
  svg.text({box.x, box.y + kTitleFont}, fit_width(title, kTitleFont * 1.05, box.width), {"title", kTitleFont});
  box.y += 24;
  box.height -= 24;
}

PlotRoom draw_y_axis(Svg& svg, const Axis& axis, AxisView& y, const Box& box, double side, double above, double below) {
  const double heading = axis.label.empty() ? 6 : 22;
  svg.text({box.x, box.y + kLabelFont}, fit_width(axis.label, kLabelFont, box.width), {"soft", kLabelFont});
  PlotRoom room;
  room.top = box.y + heading;
  room.plot.y = std::round(room.top + above);
  room.plot.height = std::max(10.0, std::round(box.bottom() - below - room.plot.y));
  y.from = room.plot.bottom();
  y.to = room.plot.y;
  y.ticks = make_ticks(y.scale, y.low, y.high, std::clamp(static_cast<int>(room.plot.height / 45), 2, 10));
  room.plot.x = std::round(box.x + std::min(widest(y.ticks.labels), box.width / 3) + 8);
  room.plot.width = std::max(10.0, std::round(box.right() - side - room.plot.x));
  room.side = {room.plot.right() + 2, room.plot.y, side, room.plot.height};
  for (std::size_t i = 0; i < y.ticks.values.size(); ++i) {
    const double at = std::round(y.at(y.ticks.values[i])) + 0.5;
    svg.line({room.plot.x, at}, {room.plot.right(), at}, "grid");
    svg.text({room.plot.x - 7, at + kTickFont * 0.36}, y.ticks.labels[i], {"soft", kTickFont, Anchor::kEnd});
  }
  for (const double minor : y.ticks.minor) svg.line({room.plot.x - 3, y.at(minor)}, {room.plot.x, y.at(minor)}, "axis");
  return room;
}

void draw_x_axis(Svg& svg, AxisView& x, const Box& plot) {
  x.from = plot.x;
  x.to = plot.right();
  for (int target = std::clamp(static_cast<int>(plot.width / 75), 2, 12); target >= 1; --target) {
    x.ticks = make_ticks(x.scale, x.low, x.high, target);
    if (!collide(x)) break;
  }
  const double base = plot.bottom() + 0.5;
  svg.line({plot.x, base}, {plot.right(), base}, "axis");
  for (const double minor : x.ticks.minor) svg.line({x.at(minor), base}, {x.at(minor), base + 3}, "axis");
  for (std::size_t i = 0; i < x.ticks.values.size(); ++i) {
    const double at = std::round(x.at(x.ticks.values[i])) + 0.5;
    svg.line({at, base}, {at, base + 5}, "axis");
    svg.text({at, base + 17}, x.ticks.labels[i], {"soft", kTickFont, Anchor::kMiddle});
  }
}

void draw_x_label(Svg& svg, std::string_view label, const Box& plot, double bottom) {
  svg.text({plot.x + plot.width / 2, bottom - 3}, fit_width(label, kLabelFont, plot.width + 60),
           {"soft", kLabelFont, Anchor::kMiddle});
}

void draw_horizontal_lines(Svg& svg, const std::vector<ReferenceLine>& lines, const AxisView& y, const Box& plot,
                           std::vector<SideLabel>& labels) {
  for (const ReferenceLine& line : lines) {
    if (line.direction != ReferenceLine::Direction::kHorizontal || line.value < y.low || line.value > y.high) continue;
    const double at = y.at(line.value);
    svg.line({plot.x, at}, {plot.right(), at}, "mark");
    if (!line.name.empty()) labels.push_back({line.name, at, "mark", SideLabel::Key::kLine, "mark", true});
  }
}

}  // namespace rotary::report
