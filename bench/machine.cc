#include "bench/machine.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "rotary/apply.h"

namespace rotary::bench {
namespace {

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

}  // namespace

Machine this_machine() {
  Machine m{std::string(simd_target()), cpu_model()};
  m.cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
#ifdef _SC_LEVEL3_CACHE_SIZE
  m.l2_bytes = std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE));
  m.l3_bytes = std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
  return m;
}

}  // namespace rotary::bench
