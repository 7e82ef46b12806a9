// The numbers beside a report's figures, read off the figures themselves.
#pragma once

#include "report/figure.h"
#include "report/table.h"

namespace rotary::cli {

/// Offset by offset, the one score that it has at every position.
report::Table mechanism_numbers(const report::Figure& figure);

/// The fastest and the slowest pair of each line, and how many turn within the lengths of the figure.
report::Table wavelength_numbers(const report::Figure& figure);

/// Score and bound at some distances.
report::Table decay_numbers(const report::Figure& figure);

/// The angles of the first, the middle and the last pair at some positions.
report::Table angle_numbers(const report::Figure& figure);

/// The smallest and the largest divisor, and the attention factor as declared.
report::Table scaling_numbers(const report::Figure& figure);

/// The largest error of each arithmetic, and the first positions that half of the pairs cannot tell from the next.
report::Table precision_numbers(const report::Figure& figure);

}  // namespace rotary::cli
