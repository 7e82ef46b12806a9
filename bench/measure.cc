#include "bench/measure.h"

#include <vector>

#include "bench/check.h"
#include "bench/limit.h"
#include "bench/operands.h"
#include "bench/table_race.h"
#include "bench/team.h"

namespace rotary::bench {
namespace {

// A third of the time to find the fastest loops.
Effort trial(const Effort& effort) { return {effort.seconds / 3, 1, 15, effort.sample_seconds / 2}; }

}  // namespace

Row measure(const Case& c, const Effort& effort) {
  if (c.kind == "table") return measure_table(c, effort);
  Operands operands(c);
  operands.run();
  check_answer(name_of(c), operands);
  Team team(c.threads);
  const LineRows lines = operands.lines();
  const std::vector<Limit> limits = fastest_limits(lines, team, trial(effort));
  std::vector<Contender> contenders = {timed([&] { operands.run(); }, c.threads)};
  for (const Limit& limit : limits) contenders.push_back(limit.contender);
  const std::vector<Times> times = time_in_rounds(contenders, effort);
  const std::size_t best = times[1].median <= times[2].median ? 1 : 2;
  return {c,
          static_cast<double>(c.batch * c.tokens * c.heads * c.spec.head_dim) * static_cast<double>(size_of(c.dtype)),
          bytes_moved(lines),
          times[0],
          times[best],
          limits[best - 1].name};
}

}  // namespace rotary::bench
