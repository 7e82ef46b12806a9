// One function a kind of figure: checks, natural size, drawing into a box. Private to the layer; figure.cc calls them.
#pragma once

#include <string>

#include "report/figure.h"
#include "report/svg.h"

namespace rotary::report {

void validate(const LineChart& chart);
void validate(const BarChart& chart);
void validate(const HeatMap& map);
void validate(const Plane& plane);
void validate(const Grid& grid);
void validate_figure(const Figure& figure);

Size natural_size_of(const LineChart& chart);
Size natural_size_of(const BarChart& chart);
Size natural_size_of(const HeatMap& map);
Size natural_size_of(const Plane& plane);
Size natural_size_of(const Grid& grid);

void draw(Svg& svg, const LineChart& chart, Box box);
void draw(Svg& svg, const BarChart& chart, Box box);
void draw(Svg& svg, const HeatMap& map, Box box);
void draw(Svg& svg, const Plane& plane, Box box);
void draw(Svg& svg, const Grid& grid, Box box);
void draw_figure(Svg& svg, const Figure& figure, const Box& box);

const std::string& title_of(const Figure& figure);

/// "c3", or "c1 dashed" for the tenth.
std::string colour_class(std::size_t series);

/// Draws the colours between the ends with their values, in one row of 18 pixels.
void draw_colour_scale(Svg& svg, const ColourScale& scale, const Box& row);

}  // namespace rotary::report
