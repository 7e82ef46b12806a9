// The cases of `rotary bench`.
#pragma once

#include <string>
#include <vector>

#include "bench/case.h"

namespace rotary::bench {

enum class Extent {
  kQuick,    ///< for a first look
  kDefault,  ///< every kind of operation once or twice
  kFull,     ///< every combination of shape, dtype, layout, place, memory and threads
};

/// Cases whose name holds `filter`. `threads` 0: one thread, and all that the machine has where that may help.
/// Throws std::invalid_argument if none is left.
std::vector<Case> list_cases(Extent extent, const std::string& filter, int threads);

}  // namespace rotary::bench
