#include "bench/table_race.h"

#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <vector>

#include "bench/limit_loops.h"
#include "rotary/cos_sin_table.h"

namespace rotary::bench {
namespace {

// Half an ulp of float32 each, with room for the twin's own angle: 131072 * 2^-53.
constexpr double kTolerance = 0x1p-24;

void check_table(const std::string& name, const RotationMap& map, const CosSinTable& table) {
  for (const std::int64_t row : {std::int64_t{0}, std::int64_t{1}, table.num_rows() / 2, table.num_rows() - 1})
    for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair) {
      const double angle = static_cast<double>(row) * map.at(0, pair, 0).hi;
      const auto i = static_cast<std::size_t>(pair);
      if (std::abs(table.cos(row)[i] - std::cos(angle)) > kTolerance ||
          std::abs(table.sin(row)[i] - std::sin(angle)) > kTolerance)
        throw std::runtime_error(name + ": row " + std::to_string(row) + ", pair " + std::to_string(pair) +
                                 " must be the cosine and sine of " + std::to_string(angle));
    }
}

}  // namespace

Row measure_table(const Case& c, const Effort& effort) {
  const RotationMap map = make_rotation_map(c.spec);
  check_table(name_of(c), map, CosSinTable::by_position(map, c.tokens));
  std::vector<double> frequencies;
  for (const Frequency& f : map.frequency) frequencies.push_back(f.hi);
  const std::size_t rows = static_cast<std::size_t>(c.tokens), pairs = frequencies.size();
  std::vector<float> cos(rows * pairs), sin(rows * pairs);
  const TableRows job{frequencies.data(), rows, pairs, cos.data(), sin.data()};
  const std::vector<Times> times = time_in_rounds(
      {timed([&] { CosSinTable::by_position(map, c.tokens); }), timed([&, loop = table_loop()] { loop(job); })},
      {effort.seconds, 3, effort.max_rounds, effort.sample_seconds});
  const double bytes = 2.0 * sizeof(float) * static_cast<double>(rows * pairs);
  return {c, bytes, bytes, times[0], times[1], "double sines and cosines, not exact"};
}

}  // namespace rotary::bench
