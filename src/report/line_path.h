// A series as paths, broken where it has no value and thinned to what pixels can show.
#pragma once

#include <cstddef>
#include <vector>

#include "report/axis.h"
#include "report/figure.h"
#include "report/svg.h"

namespace rotary::report {

/// Every stretch of two or more neighbouring points; of the points in one column of pixels the first, the lowest, the
/// highest and the last.
PathData line_path(const Series& series, const AxisView& x, const AxisView& y);

/// The area between low and high, one polygon a stretch; empty without a band.
PathData band_path(const Series& series, const AxisView& x, const AxisView& y);

/// The points that have a place on both axes, and those of them without such a neighbour.
std::vector<std::size_t> visible_points(const Series& series, const AxisView& x, const AxisView& y);
std::vector<std::size_t> lonely_points(const Series& series, const AxisView& x, const AxisView& y);

}  // namespace rotary::report
