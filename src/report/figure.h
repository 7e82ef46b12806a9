// Figures as values: what is to be seen, not how it is drawn. to_svg draws them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rotary::report {

/// Width and height of a picture in pixels.
struct Size {
  double width = 0, height = 0;
};

/// kLog counts in decades, kLog2 in octaves (for lengths and positions).
enum class Scale { kLinear, kLog, kLog2 };

/// An axis; without limits it covers the data.
struct Axis {
  // Here and below: as an aggregate inside another one, GCC 12 takes its text for uninitialized.
  Axis(std::string name = {}, Scale counted = Scale::kLinear, std::optional<double> low = std::nullopt,
       std::optional<double> high = std::nullopt)
      : label(std::move(name)), scale(counted), min(low), max(high) {}

  std::string label;
  Scale scale;
  std::optional<double> min, max;
};

/// A line at one value, with its name beside it.
struct ReferenceLine {
  enum class Direction { kHorizontal, kVertical };
  std::string name = {};
  double value = 0;
  Direction direction = Direction::kHorizontal;
};

/// x and y [num_points]; low and high, the band around the line, [num_points] or empty.
struct Series {
  std::string name = {};
  std::vector<double> x = {}, y = {};
  std::vector<double> low = {}, high = {};
};

/// Lines over a continuous axis. Where a value is not finite, beyond ±1e300, or not positive on a logarithmic axis, the
/// line is broken. A long series is thinned to what the pixels can show: its extremes stay. The names stand beside the
/// lines' ends.
struct LineChart {
  std::string title = {};
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  std::vector<ReferenceLine> lines = {};
};

/// values [num_categories]; error, the half length of a whisker, [num_categories] or empty.
struct BarSeries {
  std::string name = {};
  std::vector<double> values = {};
  std::vector<double> error = {};
};

/// Bars from zero, one group a category. A value that is not finite has no bar. The lines are horizontal.
struct BarChart {
  std::string title = {};
  std::string x_label = {};
  Axis y = {};  // linear
  std::vector<std::string> categories = {};
  std::vector<BarSeries> series = {};
  std::vector<ReferenceLine> lines = {};
};

/// kSequential: from the background (least) to the full colour (most). kDiverging: zero is the background, negative and
/// positive have a colour each.
enum class Palette { kSequential, kDiverging };

/// The values that colours stand for; without limits, the data's (kDiverging: symmetric about zero).
struct ColourScale {
  ColourScale(Palette colours = Palette::kSequential, std::optional<double> low = std::nullopt,
              std::optional<double> high = std::nullopt, std::string name = {})
      : palette(colours), min(low), max(high), label(std::move(name)) {}

  Palette palette;
  std::optional<double> min, max;
  std::string label;
};

/// values [rows, columns], row-major; a value that is not finite is drawn grey, one beyond the scale as its end. Labels
/// are empty or [rows], [columns]; tooltips (what a browser shows over a cell) are empty or [rows, columns].
struct HeatMap {
  std::string title = {};
  int rows = 0, columns = 0;
  std::vector<double> values = {};
  std::vector<std::string> row_labels = {}, column_labels = {};
  std::string row_title = {}, column_title = {};
  ColourScale scale = {};
  bool show_scale = true;
  bool show_values = false;  // as numbers in the cells, where they fit
  std::vector<std::string> tooltips = {};
};

/// An arrow from the origin to (x, y). Colours are numbered as those of a chart's series are.
struct Arrow {
  std::string name = {};
  double x = 0, y = 0;
  int colour = 0;
  bool faint = false;  // dashed: what was there before, or what to compare with
};

/// A part of a circle about the origin with a head at its end, counterclockwise from the x axis (radians), clockwise
/// where `to` is below `from`.
struct Arc {
  std::string name = {};
  double radius = 1;
  double from = 0, to = 0;
  int colour = 0;
};

/// Vectors and angles in a plane, the same scale in both directions. The names stand at the tips and outside the arcs,
/// none on another where there is room.
struct Plane {
  std::string title = {};
  std::string x_label = {}, y_label = {};  // at the ends of the axes
  std::vector<Arrow> arrows = {};
  std::vector<Arc> arcs = {};
};

struct Panel;

/// Figures beside and below each other, row by row; with `scale`, one colour scale for all of them in the heading.
struct Grid {
  std::string title = {};
  int columns = 1;
  std::vector<Panel> panels;
  std::optional<ColourScale> scale = std::nullopt;
};

using Figure = std::variant<LineChart, BarChart, HeatMap, Plane, Grid>;

struct Panel {
  Figure figure = {};
  std::string caption = {};
};

/// The size at which everything can be read.
Size natural_size(const Figure& figure);

/// A self-contained SVG 1.1 picture with a background of its own, light, or dark where the viewer asks for it. Text is
/// text, in the system's font. The same figure gives the same bytes.
///
/// Throws std::invalid_argument: sizes that do not match, an axis or a colour scale that is empty or turned round, a
/// limit or a reference line that is not finite (or not positive on a logarithmic axis), a negative whisker, a band
/// whose low is above its high, a vector, radius or angle that is not finite, an arc without radius or of more than a
/// turn, a negative colour, a grid without columns, a picture smaller than 80 × 60 or larger than 20,000 in a
/// direction.
std::string to_svg(const Figure& figure, Size size);
std::string to_svg(const Figure& figure);  // in its natural size

/// The picture as a part of an HTML page that has figure_style() among its styles.
std::string to_inline_svg(const Figure& figure, Size size);
std::string figure_style();

}  // namespace rotary::report
