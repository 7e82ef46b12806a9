// Panels in rows and columns; widths and heights are shared out as the figures would like them.
#include <algorithm>
#include <numeric>

#include "report/draw.h"
#include "report/plot_frame.h"
#include "report/text.h"

namespace rotary::report {
namespace {

constexpr double kGap = 26, kCaptionRow = 20, kScaleRow = 28, kTitleRow = 32, kGridTitleFont = 16;

// A chart beside others can be smaller than one alone.
Size panel_size(const Panel& panel, bool alone) {
  Size size = std::visit([](const auto& f) { return natural_size_of(f); }, panel.figure);
  const bool chart = std::holds_alternative<LineChart>(panel.figure) || std::holds_alternative<BarChart>(panel.figure);
  if (chart && !alone) size.width *= 0.75, size.height *= 0.85;
  return {std::max(size.width, std::min(400.0, estimate_width(panel.caption, kLabelFont))), size.height};
}

struct Shares {
  std::vector<double> widths, heights;  // of columns and rows, without gaps and captions
  std::vector<double> captions;         // height of each row's captions
};

Shares shares_of(const Grid& grid) {
  const std::size_t columns =
      std::min(static_cast<std::size_t>(grid.columns), std::max<std::size_t>(grid.panels.size(), 1));
  const std::size_t rows = (grid.panels.size() + columns - 1) / columns;
  Shares out{std::vector<double>(columns, 1), std::vector<double>(rows, 1), std::vector<double>(rows, 0)};
  for (std::size_t i = 0; i < grid.panels.size(); ++i) {
    const Size size = panel_size(grid.panels[i], columns == 1);
    double& width = out.widths[i % columns];
    double& height = out.heights[i / columns];
    width = std::max(width, size.width);
    height = std::max(height, size.height);
    if (!grid.panels[i].caption.empty()) out.captions[i / columns] = kCaptionRow;
  }
  return out;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double gaps(const std::vector<double>& parts) {
  return parts.empty() ? 0 : kGap * static_cast<double>(parts.size() - 1);
}

double heading(const Grid& grid) { return (grid.title.empty() ? 0 : kTitleRow) + (grid.scale ? kScaleRow : 0); }

void draw_panel(Svg& svg, const Panel& panel, const Box& box, double caption) {
  draw_figure(svg, panel.figure, box);
  svg.text({box.x, box.bottom() + caption - 4}, fit_width(panel.caption, kLabelFont, box.width), {"soft", kLabelFont});
}

}  // namespace

Size natural_size_of(const Grid& grid) {
  const Shares shares = shares_of(grid);
  const double least = std::max(estimate_width(grid.title, kGridTitleFont * 1.05), grid.scale ? 320.0 : 60.0);
  return {std::max(least, sum(shares.widths) + gaps(shares.widths)),
          heading(grid) + sum(shares.heights) + sum(shares.captions) + gaps(shares.heights)};
}

void draw(Svg& svg, const Grid& grid, Box box) {
  if (!grid.title.empty()) {
    svg.text({box.x, box.y + kGridTitleFont}, fit_width(grid.title, kGridTitleFont * 1.05, box.width),
             {"title", kGridTitleFont});
    box.y += kTitleRow;
    box.height -= kTitleRow;
  }
  if (grid.scale) {
    draw_colour_scale(svg, *grid.scale, box);
    box.y += kScaleRow;
    box.height -= kScaleRow;
  }
  const Shares shares = shares_of(grid);
  const std::size_t columns = shares.widths.size();
  const double wide = std::max(1.0, box.width - gaps(shares.widths)) / sum(shares.widths);
  const double high =
      std::max(1.0, box.height - gaps(shares.heights) - sum(shares.captions)) / std::max(1.0, sum(shares.heights));
  double top = box.y;
  for (std::size_t row = 0; row < shares.heights.size(); ++row) {
    double left = box.x;
    const double height = shares.heights[row] * high;
    for (std::size_t c = 0; c < columns && row * columns + c < grid.panels.size(); ++c) {
      draw_panel(svg, grid.panels[row * columns + c], {left, top, shares.widths[c] * wide, height},
                 shares.captions[row]);
      left += shares.widths[c] * wide + kGap;
    }
    top += height + shares.captions[row] + kGap;
  }
}

}  // namespace rotary::report
