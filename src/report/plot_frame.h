// What line and bar charts share: title, axes, grid, and the room that is left for the data.
#pragma once

#include <string_view>
#include <vector>

#include "report/axis.h"
#include "report/side_labels.h"
#include "report/svg.h"

namespace rotary::report {

constexpr double kTickFont = 11, kLabelFont = 12, kTitleFont = 14;

/// Draws the title at the top of `box`, if there is one, and takes its height off the box.
void draw_title(Svg& svg, std::string_view title, Box& box);

struct PlotRoom {
  Box plot;
  Box side;        // for the side labels
  double top = 0;  // upper end of the room that `above` asked for
};

/// Divides `box` (which has no title any more): `side` pixels on the right, `above` over the plot, `below` under it for
/// what stands at the x axis; fills in y.ticks and the pixels of y, and draws the y axis with its grid.
PlotRoom draw_y_axis(Svg& svg, const Axis& axis, AxisView& y, const Box& box, double side, double above, double below);

/// Fills in x.ticks and the pixels of x, and draws the x axis; `bottom` is the lower end of the room below.
void draw_x_axis(Svg& svg, AxisView& x, const Box& plot);

/// Centred at the lower end of the room.
void draw_x_label(Svg& svg, std::string_view label, const Box& plot, double bottom);

/// The horizontal lines that lie on the plot, and a side label for each.
void draw_horizontal_lines(Svg& svg, const std::vector<ReferenceLine>& lines, const AxisView& y, const Box& plot,
                           std::vector<SideLabel>& labels);

}  // namespace rotary::report
