// The limit's loops for Python.
#include "bench/limit_loops.h"

namespace {

const std::vector<rotary::bench::LimitLoop>& loops(int in_place) {
  static const auto here = rotary::bench::in_place_loops(), apart = rotary::bench::copy_loops();
  return in_place != 0 ? here : apart;
}

}  // namespace

extern "C" {

int limit_count(int in_place) { return static_cast<int>(loops(in_place).size()); }

const char* limit_name(int in_place, int index) {
  return loops(in_place)[static_cast<std::size_t>(index)].name.c_str();
}

/// in == out: in place. Both aligned to 64; bytes a multiple of 64.
void limit_run(int index, void* out, const void* in, std::size_t bytes, int repeats) {
  rotary::bench::LineRows lines{static_cast<std::byte*>(out)};
  if (in != out) lines.in = static_cast<const std::byte*>(in);
  lines.rows = 1;
  lines.row_bytes = bytes;
  const auto& loop = loops(in == out)[static_cast<std::size_t>(index)];
  for (int i = 0; i < repeats; ++i) loop.run(lines);
}
}
