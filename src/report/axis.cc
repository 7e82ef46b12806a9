#include "report/axis.h"

#include <algorithm>
#include <cmath>

namespace rotary::report {
namespace {

constexpr double kLargest = 1e300, kSmallest = 1e-290;

double forward(Scale scale, double value) { return scale == Scale::kLinear ? value : std::log2(value); }
double back(Scale scale, double value) { return scale == Scale::kLinear ? value : std::exp2(value); }

// A count that begins at 10 is seen best from 0.
Range from_zero(Scale scale, Range range) {
  if (scale == Scale::kLinear && range.low > 0 && range.low < 0.05 * range.high) range.low = 0;
  return range;
}

// Constant data gets room on both sides.
Range widened(Scale scale, Range range) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (scale != Scale::kLinear) {
    if (range.high - range.low < 1e-6) range.low -= 1, range.high += 1;
  } else if (size < kSmallest) {
    range.low = 0, range.high = 1;
  } else if (range.high - range.low <= 1e-12 * size) {
    range.low -= size / 10, range.high += size / 10;
  }
  return range;
}

Range with_margin(Scale scale, const Range& range) {
  const double margin = (range.high - range.low) / 25;
  Range out{range.low - margin, range.high + margin, false};
  if (scale != Scale::kLinear) return out;
  if (range.low >= 0 && range.low < 0.3 * range.high) out.low = 0;
  if (range.high <= 0 && range.high > 0.3 * range.low) out.high = 0;
  return out;
}

}  // namespace

void Range::add(double value) {
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

bool can_show(Scale scale, double value) {
  return std::abs(value) <= kLargest && (scale == Scale::kLinear || value >= 1 / kLargest);
}

double AxisView::at(double value) const {
  const double l = forward(scale, low), h = forward(scale, high), v = forward(scale, value);
  return from + (to - from) * ((v - l) / (h - l));
}

AxisView view_axis(const Axis& axis, const Range& data, Margin margin) {
  const Scale scale = axis.scale;
  Range range = data;
  if (range.empty) range = {scale == Scale::kLinear ? 0.0 : 1.0, scale == Scale::kLinear ? 1.0 : 10.0, false};
  range.low = forward(scale, range.low);
  range.high = forward(scale, range.high);
  range = widened(scale, range);
  range = margin == Margin::kSmall ? with_margin(scale, range) : from_zero(scale, range);
  if (axis.min) range.low = forward(scale, *axis.min);
  if (axis.max) range.high = forward(scale, *axis.max);
  if (!(range.low < range.high)) {  // all data lies beyond the one limit that is given
    const double room = scale == Scale::kLinear ? std::max(1.0, std::abs(range.low)) : 1;
    axis.min ? range.high = range.low + room : range.low = range.high - room;
  }
  AxisView out;
  out.scale = scale;
  out.low = back(scale, range.low);
  out.high = back(scale, range.high);
  return out;
}

}  // namespace rotary::report
