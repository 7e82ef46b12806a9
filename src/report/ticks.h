// Where the ticks of an axis stand, and what is written beside them.
#pragma once

#include <string>
#include <vector>

#include "report/figure.h"

namespace rotary::report {

struct Ticks {
  std::vector<double> values;       // ascending, inside the range
  std::vector<std::string> labels;  // one a value
  std::vector<double> minor = {};   // without labels
};

/// About `target` (>= 1) ticks, never more than twice as many. Linear: multiples of 1, 2 or 5 × 10^k. Logarithmic:
/// decades, with their doubles and fives where there is room, or every 2nd, 5th, 10th …; octaves likewise; a range of
/// less than that has linear ticks. low < high, finite, and positive on logarithmic scales.
Ticks make_ticks(Scale scale, double low, double high, int target);

}  // namespace rotary::report
