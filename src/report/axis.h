// An axis once it is decided: what it covers, and where a value lies on the picture.
#pragma once

#include "report/figure.h"
#include "report/ticks.h"

namespace rotary::report {

/// The values that an axis has to cover; empty until one is added.
struct Range {
  double low = 0, high = 0;
  bool empty = true;
  void add(double value);
};

/// Whether an axis of this scale has a place for the value: finite, at most 1e300 in size, positive on a logarithm.
bool can_show(Scale scale, double value);

struct AxisView {
  Scale scale = Scale::kLinear;
  double low = 0, high = 1;  // of the axis
  double from = 0, to = 1;   // pixels of low and high
  Ticks ticks = {};

  double at(double value) const;
};

enum class Margin { kNone, kSmall };

/// The limits of the axis, or the data's with a margin. kNone: but from zero where the data begins very close to it.
/// kSmall: 4 % at both ends, or from zero where the data begins close to it. Constant data lies in the middle.
AxisView view_axis(const Axis& axis, const Range& data, Margin margin);

}  // namespace rotary::report
