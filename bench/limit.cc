#include "bench/limit.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace rotary::bench {
namespace {

constexpr std::size_t kLine = 64;

// The i-th of n parts of n * k lines or rows.
std::pair<std::size_t, std::size_t> part(std::size_t size, std::size_t i, std::size_t n) {
  return {size * i / n, size * (i + 1) / n};
}

LineRows part_of(LineRows lines, std::size_t i, std::size_t n) {
  const bool rows = lines.rows > 1;
  const auto [begin, end] = rows ? part(lines.rows, i, n) : part(lines.row_bytes / kLine, i, n);
  const std::size_t skip_out = begin * (rows ? lines.out_step : kLine),
                    skip_in = begin * (rows ? lines.in_step : kLine);
  lines.out += skip_out;
  if (lines.in != nullptr) lines.in += skip_in;
  (rows ? lines.rows : lines.row_bytes) = (end - begin) * (rows ? 1 : kLine);
  return lines;
}

Contender contender(const LimitLoop& loop, const LineRows& lines, Team& team) {
  std::vector<LineRows> parts;
  for (int i = 0; i < team.size(); ++i)
    parts.push_back(part_of(lines, static_cast<std::size_t>(i), static_cast<std::size_t>(team.size())));
  if (parts.size() == 1) return timed([run = loop.run, lines] { run(lines); });
  return [run = loop.run, parts, &team](int repeats) {
    const std::function<void(int)> work = [&](int i) { run(parts[static_cast<std::size_t>(i)]); };
    double seconds = 0;
    for (int i = 0; i < repeats; ++i) seconds += team.run(work);
    return seconds;
  };
}

}  // namespace

double bytes_moved(const LineRows& lines) { return 2.0 * static_cast<double>(lines.rows * lines.row_bytes); }

std::vector<Limit> fastest_limits(const LineRows& lines, Team& team, const Effort& effort) {
  const std::vector<LimitLoop> loops = lines.in == nullptr ? in_place_loops() : copy_loops();
  std::vector<Limit> all;
  std::vector<Contender> contenders;
  for (const LimitLoop& loop : loops) {
    contenders.push_back(contender(loop, lines, team));
    all.push_back({loop.name, contenders.back()});
  }
  const std::vector<Times> times = time_in_rounds(contenders, effort);
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return times[a].median < times[b].median; });
  return {all[order[0]], all[order[1]]};
}

}  // namespace rotary::bench
