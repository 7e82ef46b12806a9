// What a measurement says about where it was made.
#pragma once

#include <cstdint>
#include <string>

namespace rotary::bench {

struct Machine {
  std::string simd_target, cpu;  ///< cpu: the model's name, or "unknown"
  int cores = 1;
  std::int64_t l2_bytes = 0, l3_bytes = 0;  ///< 0: not known
};

Machine this_machine();

}  // namespace rotary::bench
