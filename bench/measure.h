// One case measured against the limit.
#pragma once

#include <string>

#include "bench/case.h"
#include "bench/timing.h"

namespace rotary::bench {

struct Row {
  Case measured;
  double bytes = 0;        ///< of the head vectors (or of the table's cosines and sines)
  double moved_bytes = 0;  ///< read and written, by the rotation as by the limit
  Times own, limit;        ///< limit.ratio_to_first: the share of the limit that is reached
  std::string limit_name;

  double gbps() const { return moved_bytes / own.median * 1e-9; }
  double limit_gbps() const { return moved_bytes / limit.median * 1e-9; }
  double ns_per_token() const { return own.median * 1e9 / static_cast<double>(measured.batch * measured.tokens); }
};

/// Checks the answer, then measures. Throws std::runtime_error for a wrong answer.
Row measure(const Case& c, const Effort& effort);

}  // namespace rotary::bench
