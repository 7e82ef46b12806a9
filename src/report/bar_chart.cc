// One group of bars a category, all from zero.
#include <algorithm>
#include <cmath>

#include "report/draw.h"
#include "report/number_text.h"
#include "report/plot_frame.h"
#include "report/text.h"

namespace rotary::report {
namespace {

constexpr double kCategoryFont = 11, kValueFont = 10;
constexpr std::size_t kLongestCategory = 24;

double error_of(const BarSeries& s, std::size_t i) {
  return s.error.empty() || !std::isfinite(s.error[i]) ? 0 : s.error[i];
}

Range range_of(const BarChart& chart) {
  Range out;
  out.add(0);
  for (const BarSeries& s : chart.series)
    for (std::size_t i = 0; i < s.values.size(); ++i) {
      if (!can_show(Scale::kLinear, s.values[i])) continue;
      out.add(s.values[i] + error_of(s, i));
      out.add(s.values[i] - error_of(s, i));
    }
  for (const ReferenceLine& line : chart.lines) out.add(line.value);
  return out;
}

std::vector<SideLabel> series_labels(const BarChart& chart, double top) {
  std::vector<SideLabel> out;
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    if (!chart.series[i].name.empty())
      out.push_back(
          {chart.series[i].name, top + 16.0 * static_cast<double>(i), colour_class(i) + " fill", SideLabel::Key::kBox});
  return out;
}

double room_for_names(const BarChart& chart, double width) {
  std::vector<SideLabel> labels = series_labels(chart, 0);
  for (const ReferenceLine& line : chart.lines)
    if (!line.name.empty()) labels.push_back({line.name});
  return std::max(8.0, side_labels_width(labels, 0.4 * width));
}

// The names of the categories lie flat where they fit, else they are turned.
struct CategoryText {
  std::vector<std::string> names;
  double widest = 0;
  bool turned = false;
  double height() const { return turned ? std::min(widest, 170.0) * 0.71 + 16 : 20; }
};

CategoryText category_text(const BarChart& chart, double width) {
  CategoryText out;
  for (const std::string& name : chart.categories) {
    out.names.push_back(shorten_middle(name, kLongestCategory));
    out.widest = std::max(out.widest, estimate_width(out.names.back(), kCategoryFont));
  }
  out.turned = !out.names.empty() && out.widest + 6 > width / static_cast<double>(out.names.size());
  return out;
}

struct Slots {
  double left, slot, bar;  // first slot's left side, width of a slot, width of a bar
  double bar_left(std::size_t category, std::size_t series, std::size_t num_series) const {
    const double group = bar * static_cast<double>(num_series);
    return left + slot * (static_cast<double>(category) + 0.5) - group / 2 + bar * static_cast<double>(series);
  }
};

Slots slots_of(const BarChart& chart, const Box& plot) {
  const double slot = plot.width / static_cast<double>(std::max<std::size_t>(chart.categories.size(), 1));
  const double bars = static_cast<double>(std::max<std::size_t>(chart.series.size(), 1));
  return {plot.x, slot, std::min(slot * 0.76 / bars, 64.0)};
}

void draw_categories(Svg& svg, const CategoryText& text, const Slots& slots, double base) {
  const double pitch = text.turned ? 13 : 0;
  const std::size_t every = static_cast<std::size_t>(std::max(1.0, std::ceil(pitch / slots.slot)));
  for (std::size_t i = 0; i < text.names.size(); i += every) {
    const double centre = slots.left + slots.slot * (static_cast<double>(i) + 0.5);
    if (text.turned)
      svg.text({centre + 4, base + 13}, text.names[i], {"text", kCategoryFont, Anchor::kEnd, -45});
    else
      svg.text({centre, base + 16}, text.names[i], {"text", kCategoryFont, Anchor::kMiddle});
  }
}

// [series][category]; empty where one does not fit over its bar.
std::vector<std::string> value_texts(const BarChart& chart, double bar) {
  std::vector<double> values;
  for (const BarSeries& s : chart.series) values.insert(values.end(), s.values.begin(), s.values.end());
  std::vector<std::string> out = value_labels(values, 3);
  for (const std::string& text : out)
    if (estimate_width(text, kValueFont) > bar + 3) return {};
  return out;
}

bool has_negative(const BarChart& chart) {
  for (const BarSeries& s : chart.series)
    for (const double v : s.values)
      if (v < 0) return true;
  return false;
}

void draw_whisker(Svg& svg, double centre, double low, double high) {
  PathData path;
  path.move_to({centre, low}).line_to({centre, high});
  path.move_to({centre - 4, low}).line_to({centre + 4, low});
  path.move_to({centre - 4, high}).line_to({centre + 4, high});
  svg.path(path, "whisker");
}

void draw_bars(Svg& svg, const BarChart& chart, const AxisView& y, const Slots& slots) {
  const std::vector<std::string> texts = value_texts(chart, slots.bar);
  const auto place = [&](double v) { return y.at(std::clamp(v, y.low, y.high)); };
  const double zero = place(0), gap = slots.bar > 4 ? 1 : 0;
  for (std::size_t s = 0; s < chart.series.size(); ++s)
    for (std::size_t i = 0; i < chart.categories.size(); ++i) {
      const BarSeries& series = chart.series[s];
      const double v = series.values[i], error = error_of(series, i);
      if (!can_show(Scale::kLinear, v)) continue;
      const double left = slots.bar_left(i, s, chart.series.size()), centre = left + slots.bar / 2, end = place(v);
      svg.rect({left + gap / 2, std::min(zero, end), slots.bar - gap, std::abs(end - zero)}, colour_class(s) + " fill",
               1, (series.name.empty() ? "" : series.name + ", ") + chart.categories[i] + ": " + short_number(v));
      if (error > 0) draw_whisker(svg, centre, place(v - error), place(v + error));
      const double beyond = v < 0 ? place(v - error) + kValueFont + 2 : place(v + error) - 4;
      if (!texts.empty())
        svg.text({centre, beyond}, texts[s * chart.categories.size() + i], {"text", kValueFont, Anchor::kMiddle});
    }
}

}  // namespace

Size natural_size_of(const BarChart& chart) {
  const double bars = static_cast<double>(chart.categories.size() * std::max<std::size_t>(chart.series.size(), 1));
  const double names = static_cast<double>(chart.series.size() + chart.lines.size());
  return {std::clamp(bars * 14 + 200, 720.0, 1600.0), std::max(360.0, 110 + 16 * names)};
}

void draw(Svg& svg, const BarChart& chart, Box box) {
  draw_title(svg, chart.title, box);
  const double side = room_for_names(chart, box.width);
  const CategoryText categories = category_text(chart, box.width - side - 50);
  const double values_below = has_negative(chart) ? 12 : 0;
  const double below = values_below + categories.height() + (chart.x_label.empty() ? 2 : 20);
  AxisView y = view_axis(chart.y, range_of(chart), Margin::kSmall);
  const PlotRoom room = draw_y_axis(svg, chart.y, y, box, side, 10, below);
  const Slots slots = slots_of(chart, room.plot);
  std::vector<SideLabel> labels = series_labels(chart, room.plot.y + 8);
  draw_horizontal_lines(svg, chart.lines, y, room.plot, labels);
  draw_bars(svg, chart, y, slots);
  const double zero = std::round(y.at(std::clamp(0.0, y.low, y.high))) + 0.5;
  svg.line({room.plot.x, zero}, {room.plot.right(), zero}, "axis");
  draw_categories(svg, categories, slots, room.plot.bottom() + values_below);
  draw_x_label(svg, chart.x_label, room.plot, box.bottom());
  if (chart.categories.empty() || chart.series.empty())
    svg.text({room.plot.x + room.plot.width / 2, room.plot.y + room.plot.height / 2}, "no data",
             {"soft", kLabelFont, Anchor::kMiddle});
  draw_side_labels(svg, labels, room.side);
}

}  // namespace rotary::report
