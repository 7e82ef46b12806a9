// The loops that the machine's limit is measured with: memory read and written, and nothing computed to speak of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rotary::bench {

/// Equal rows of memory, equal distances (in bytes) apart; whole cache lines.
struct LineRows {
  std::byte* out = nullptr;       ///< read too where `in` is null
  const std::byte* in = nullptr;  ///< null: in place
  std::size_t rows = 0, row_bytes = 0, out_step = 0, in_step = 0;
};

struct LimitLoop {
  std::string name;
  void (*run)(const LineRows& lines);
};

/// For the two best SIMD targets that this CPU has: x = -x (in place) or out = in, in several unrollings, with
/// prefetching and without, with ordinary stores and with streaming ones; and memcpy.
std::vector<LimitLoop> in_place_loops();
std::vector<LimitLoop> copy_loops();

/// Sines and cosines of rows 0 .. num_rows-1 times every frequency, by Highway's
/// double functions (good to 39,000 radians), as float. Not exact: what giving exactness up would buy.
struct TableRows {
  const double* frequencies;
  std::size_t num_rows, num_pairs;
  float *cos, *sin;  ///< [num_rows][num_pairs]
};
using TableLoop = void (*)(const TableRows& rows);
TableLoop table_loop();

}  // namespace rotary::bench
