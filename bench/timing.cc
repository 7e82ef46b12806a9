#include "bench/timing.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace rotary::bench {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class AnyClock>
double seconds_of(const std::function<void()>& run, int repeats) {
  const AnyClock clock;
  for (int i = 0; i < repeats; ++i) run();
  return clock.seconds();
}

// Doubles until the clock can tell; the first run warms up.
int repeats_for(const Contender& contender, double sample_seconds) {
  contender(1);
  int repeats = 1;
  double seconds = contender(1);
  while (seconds < sample_seconds / 2 && repeats < (1 << 20)) seconds = contender(repeats *= 2);
  return std::clamp(static_cast<int>(std::ceil(repeats * sample_seconds / seconds)), 1, 1 << 20);
}

Times summary(const std::vector<double>& own, const std::vector<double>& first) {
  std::vector<double> ratios(own.size());
  std::transform(own.begin(), own.end(), first.begin(), ratios.begin(), [](double a, double b) { return a / b; });
  return {median(own), *std::min_element(own.begin(), own.end()), median(std::move(ratios))};
}

}  // namespace

double ThreadClock::now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Contender timed(std::function<void()> run, int threads) {
  if (threads == 1) return [run = std::move(run)](int repeats) { return seconds_of<ThreadClock>(run, repeats); };
  return [run = std::move(run)](int repeats) { return seconds_of<Clock>(run, repeats); };
}

std::vector<Times> time_in_rounds(const std::vector<Contender>& contenders, const Effort& effort) {
  const std::size_t n = contenders.size();
  std::vector<int> repeats;
  for (const Contender& c : contenders) repeats.push_back(repeats_for(c, effort.sample_seconds));
  std::vector<std::vector<double>> seconds(n);
  const Clock clock;
  for (int round = 0; round < effort.max_rounds; ++round) {
    if (round >= effort.min_rounds && clock.seconds() > effort.seconds) break;
    for (std::size_t i = 0; i < n; ++i) {
      // Forwards and backwards in turn, each time from another one on.
      const std::size_t start = static_cast<std::size_t>(round / 2) % n;
      const std::size_t k = (start + (round % 2 == 0 ? i : n - 1 - i)) % n;
      seconds[k].push_back(contenders[k](repeats[k]) / repeats[k]);
    }
  }
  std::vector<Times> out;
  for (const auto& own : seconds) out.push_back(summary(own, seconds.front()));
  return out;
}

}  // namespace rotary::bench
