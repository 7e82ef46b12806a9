// Contenders timed in turn, round after round, so that all meet the same weather.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

namespace rotary::bench {

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Time that the calling thread spent on a core: what neighbours take from it does not count.
class ThreadClock {
 public:
  double seconds() const { return now() - start_; }

 private:
  static double now();
  double start_ = now();
};

/// Runs `repeats` times and returns the seconds of all of them together.
using Contender = std::function<double(int repeats)>;

/// A contender whose time is that of `run`: by the thread's clock if all is done on the calling thread, else by the
/// clock on the wall.
Contender timed(std::function<void()> run, int threads = 1);

/// How long to measure: rounds until the time is up, at least and at most so many. A contender that is quicker than a
/// sample is repeated to fill it.
struct Effort {
  double seconds = 1;
  int min_rounds = 5, max_rounds = 401;
  double sample_seconds = 50e-6;
};

/// Of one contender, in seconds a run.
struct Times {
  double median = 0, best = 0;
  double ratio_to_first = 1;  ///< median over the rounds of its time over the first contender's
};

/// Every round times each contender once, in an order that turns from round to round.
std::vector<Times> time_in_rounds(const std::vector<Contender>& contenders, const Effort& effort);

}  // namespace rotary::bench
