#include "bench/table_race.h"

#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <vector>

#include "bench/limit_loops.h"
#include "rotary/apply.h"

namespace rotary::bench {
namespace {

// Half an ulp of float32 each, with room for the twin's own angle: 131072 * 2^-53.
constexpr double kTolerance = 0x1p-24;

void check_table(const std::string& name, const TableRows& table) {
  for (const std::size_t row : {std::size_t{0}, std::size_t{1}, table.num_rows / 2, table.num_rows - 1})
    for (std::size_t i = 0; i < table.num_pairs; ++i) {
      const double angle = static_cast<double>(row) * table.frequencies[i];
      const std::size_t at = row * table.num_pairs + i;
      if (std::abs(table.cos[at] - std::cos(angle)) > kTolerance ||
          std::abs(table.sin[at] - std::sin(angle)) > kTolerance)
        throw std::runtime_error(name + ": row " + std::to_string(row) + ", pair " + std::to_string(i) +
                                 " must be the cosine and sine of " + std::to_string(angle));
    }
}

}  // namespace

Row measure_table(const Case& c, const Effort& effort) {
  const Rotary rotary(c.spec);
  std::vector<double> frequencies;
  for (const Frequency& f : rotary.map().frequency) frequencies.push_back(f.hi);
  const std::size_t rows = static_cast<std::size_t>(c.tokens), pairs = frequencies.size();
  std::vector<float> cos(rows * pairs), sin(rows * pairs);
  const TableRows job{frequencies.data(), rows, pairs, cos.data(), sin.data()};
  const auto write = [&] { write_cos_sin(rotary, PositionRange{0}, c.tokens, 0, cos, sin); };
  write();
  check_table(name_of(c), job);
  const std::vector<Times> times = time_in_rounds({timed(write), timed([&, loop = table_loop()] { loop(job); })},
                                                  {effort.seconds, 3, effort.max_rounds, effort.sample_seconds});
  const double bytes = 2.0 * sizeof(float) * static_cast<double>(rows * pairs);
  return {c, bytes, bytes, times[0], times[1], "double sines and cosines, not exact"};
}

}  // namespace rotary::bench
