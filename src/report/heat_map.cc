// Title, colour scale, column labels, then the rows with their labels on the left.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "report/colour_scale.h"
#include "report/draw.h"
#include "report/number_text.h"
#include "report/plot_frame.h"
#include "report/text.h"

namespace rotary::report {
namespace {

constexpr double kFont = 11, kValueFont = 11, kScaleRow = 22;
constexpr std::size_t kLongestLabel = 18;
constexpr int kMostLabelled = 64;  // beyond, labels are thinned and cells get smaller
constexpr double kReadablePitch = 7;

std::vector<std::string> shortened(const std::vector<std::string>& labels) {
  std::vector<std::string> out;
  for (const std::string& label : labels) out.push_back(shorten_middle(label, kLongestLabel));
  return out;
}

double widest(const std::vector<std::string>& texts, double font) {
  double out = 0;
  for (const std::string& text : texts) out = std::max(out, estimate_width(text, font));
  return out;
}

double widest_value(const HeatMap& map) {
  double out = 0;
  for (const std::string& text : value_labels(map.values, 4)) out = std::max(out, estimate_width(text, kValueFont));
  return out + 8;
}

// Of a cell, when there is all the room one wants.
double natural_pitch(int count) {
  const double n = std::max(count, 1);
  return count <= kMostLabelled ? std::clamp(std::floor(480 / n), 11.0, 36.0) : std::clamp(n, 704.0, 1400.0) / n;
}

// Square cells, unless the map is so long that they would be lost.
bool has_square_cells(const HeatMap& map) { return map.rows <= 3 * map.columns && map.columns <= 3 * map.rows; }

struct Labels {
  std::vector<std::string> rows, columns;
  double left, top;  // room
  bool turned;       // column labels run upwards
};

Labels labels_of(const HeatMap& map, double cell_width) {
  Labels out{shortened(map.row_labels), shortened(map.column_labels), 0, 0, false};
  const double row_title = map.row_title.empty() ? 0 : estimate_width(map.row_title + " ↓", kFont);
  const double width = widest(out.columns, kFont);
  out.turned = width + 4 > cell_width;
  out.left = std::max(widest(out.rows, kFont), row_title);
  if (out.left > 0) out.left += 7;
  out.top = out.columns.empty() ? 0 : (out.turned ? width : kFont) + 7;
  if (row_title > 0) out.top = std::max(out.top, kFont + 7);
  if (!map.column_title.empty()) out.top += kFont + 5;
  return out;
}

struct Cells {
  Box box;
  double width, height;
  Box at(int row, int column) const { return {box.x + column * width, box.y + row * height, width, height}; }
};

double whole(double pitch) { return pitch >= 3 ? std::floor(pitch) : pitch; }

Cells cells_of(const HeatMap& map, const Labels& labels, const Box& room) {
  Cells out;
  out.width = std::max(1.0, room.width - labels.left - 1) / std::max(map.columns, 1);
  out.height = std::max(1.0, room.height - labels.top - 1) / std::max(map.rows, 1);
  if (has_square_cells(map)) out.width = out.height = std::min(out.width, out.height);
  out.width = whole(out.width);
  out.height = whole(out.height);
  out.box = {std::round(room.x + labels.left), std::round(room.y + labels.top), out.width * map.columns,
             out.height * map.rows};
  return out;
}

struct LabelStep {
  int every;
  double font;
};
LabelStep label_step(double pitch) {
  if (pitch >= kReadablePitch) return {1, std::min(kFont, pitch * 0.95)};
  return {static_cast<int>(std::ceil(10 / pitch)), 9};
}

void draw_row_labels(Svg& svg, const std::vector<std::string>& labels, const Cells& cells) {
  const LabelStep step = label_step(cells.height);
  for (std::size_t i = 0; i < labels.size(); i += static_cast<std::size_t>(step.every))
    svg.text({cells.box.x - 5, cells.box.y + (static_cast<double>(i) + 0.5) * cells.height + step.font * 0.36},
             labels[i], {"text", step.font, Anchor::kEnd});
}

void draw_column_labels(Svg& svg, const Labels& labels, const Cells& cells) {
  const LabelStep step = label_step(labels.turned ? cells.width : kFont);
  for (std::size_t i = 0; i < labels.columns.size(); i += static_cast<std::size_t>(step.every)) {
    const double centre = cells.box.x + (static_cast<double>(i) + 0.5) * cells.width;
    if (labels.turned)
      svg.text({centre + step.font * 0.36, cells.box.y - 5}, labels.columns[i],
               {"text", step.font, Anchor::kStart, -90});
    else
      svg.text({centre, cells.box.y - 5}, labels.columns[i], {"text", kFont, Anchor::kMiddle});
  }
}

// Cells of a colour are one path, neighbours in a row one box: a tenth of the bytes of a rectangle each.
void draw_cells(Svg& svg, const HeatMap& map, const ColourLimits& limits, const Cells& cells) {
  std::map<std::pair<std::string_view, int>, PathData> paths;
  for (int r = 0; r < map.rows; ++r)
    for (int c = 0; c < map.columns;) {
      const auto paint = [&](int column) {
        const std::size_t at = static_cast<std::size_t>(r) * static_cast<std::size_t>(map.columns);
        return limits.paint(map.values[at + static_cast<std::size_t>(column)]);
      };
      const Paint first = paint(c);
      int end = c + 1;
      while (end < map.columns && paint(end).css_class == first.css_class && paint(end).hundredths == first.hundredths)
        ++end;
      Box run = cells.at(r, c);
      run.width *= end - c;
      if (first.hundredths > 0) paths[{first.css_class, first.hundredths}].box(run);
      c = end;
    }
  for (const auto& [paint, path] : paths)
    svg.path(path, std::string(paint.first) + " cell", Paint{paint.first, paint.second}.opacity());
}

// Each with its colour: only a rectangle of its own can have a tooltip.
void draw_cells_with_tooltips(Svg& svg, const HeatMap& map, const ColourLimits& limits, const Cells& cells) {
  for (int r = 0; r < map.rows; ++r)
    for (int c = 0; c < map.columns; ++c) {
      const std::size_t i =
          static_cast<std::size_t>(r) * static_cast<std::size_t>(map.columns) + static_cast<std::size_t>(c);
      const Paint paint = limits.paint(map.values[i]);
      svg.rect(cells.at(r, c), std::string(paint.css_class) + " cell", paint.opacity(), map.tooltips[i]);
    }
}

// Dark on light until the middle, light on dark from two thirds on, in either colour scheme the better one.
std::string_view text_class(const Paint& paint) {
  if (paint.css_class == "missing" || paint.hundredths < 52) return "text";
  return paint.hundredths < 66 ? "between" : "over";
}

void draw_values(Svg& svg, const HeatMap& map, const ColourLimits& limits, const Cells& cells) {
  if (widest_value(map) - 6 > cells.width || cells.height < kValueFont) return;
  const std::vector<std::string> texts = value_labels(map.values, 4);
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    const Box cell = cells.at(static_cast<int>(i) / map.columns, static_cast<int>(i) % map.columns);
    const Paint paint = limits.paint(map.values[i]);
    svg.text({cell.x + cell.width / 2, cell.y + cell.height / 2 + kValueFont * 0.36}, texts[i],
             {text_class(paint), kValueFont, Anchor::kMiddle});
  }
}

// The scale as it is drawn: with the limits of the data where none were given.
ColourScale with_limits(const ColourScale& scale, const ColourLimits& limits) {
  return {scale.palette, limits.min, limits.max, scale.label};
}

void draw_titles(Svg& svg, const HeatMap& map, const Cells& cells, double top) {
  if (!map.row_title.empty())
    svg.text({cells.box.x - 5, cells.box.y - 5}, map.row_title + " ↓", {"soft", kFont, Anchor::kEnd});
  if (!map.column_title.empty()) svg.text({cells.box.x, top + kFont}, map.column_title + " →", {"soft", kFont});
}

}  // namespace

Size natural_size_of(const HeatMap& map) {
  double width = natural_pitch(map.columns), height = natural_pitch(map.rows);
  if (has_square_cells(map)) width = height = std::min(width, height);
  if (map.show_values) width = std::max(width, widest_value(map)), height = std::max(height, 22.0);
  if (map.show_values && has_square_cells(map)) width = height = std::max(width, height);
  const Labels labels = labels_of(map, width);
  const double heading = (map.title.empty() ? 0 : 24) + (map.show_scale ? kScaleRow : 0);
  const double least = std::max(estimate_width(map.title, kTitleFont * 1.05), map.show_scale ? 260.0 : 60.0);
  return {std::max(least, labels.left + width * map.columns + 2), heading + labels.top + height * map.rows + 2};
}

void draw(Svg& svg, const HeatMap& map, Box box) {
  draw_title(svg, map.title, box);
  const ColourLimits limits = colour_limits(map.scale, map.values);
  if (map.show_scale) {
    draw_colour_scale(svg, with_limits(map.scale, limits), box);
    box.y += kScaleRow;
    box.height -= kScaleRow;
  }
  // Whether column labels lie flat depends on the cells, and those on the room that the labels leave.
  const double guess = cells_of(map, labels_of(map, 0), box).width;
  const Labels labels = labels_of(map, guess);
  const Cells cells = cells_of(map, labels, box);
  if (map.tooltips.empty())
    draw_cells(svg, map, limits, cells);
  else
    draw_cells_with_tooltips(svg, map, limits, cells);
  if (map.show_values) draw_values(svg, map, limits, cells);
  svg.rect({cells.box.x - 0.5, cells.box.y - 0.5, cells.box.width + 1, cells.box.height + 1}, "frame");
  draw_row_labels(svg, labels.rows, cells);
  draw_column_labels(svg, labels, cells);
  draw_titles(svg, map, cells, box.y);
}

}  // namespace rotary::report
