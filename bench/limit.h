// How fast this machine moves the same memory with the same threads.
#pragma once

#include <string>
#include <vector>

#include "bench/limit_loops.h"
#include "bench/team.h"
#include "bench/timing.h"

namespace rotary::bench {

struct Limit {
  std::string name;
  Contender contender;
};

/// Bytes read and written by one pass.
double bytes_moved(const LineRows& lines);

/// The two fastest loops on these lines, after a short try of all; which of them wins is decided in the same rounds as
/// the rotation itself. The team and the memory must outlive them.
std::vector<Limit> fastest_limits(const LineRows& lines, Team& team, const Effort& effort);

}  // namespace rotary::bench
