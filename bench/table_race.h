// Building an exact table of cosines and sines, against vectorised sines and cosines in double.
#pragma once

#include "bench/measure.h"

namespace rotary::bench {

Row measure_table(const Case& c, const Effort& effort);

}  // namespace rotary::bench
