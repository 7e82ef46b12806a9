// How far long work has come.
#pragma once

#include <cstdint>
#include <string>

#include "report/terminal.h"

namespace rotary::report {

struct ProgressOptions {
  std::string label = {};
  std::int64_t total = 0;    // steps; 0: not known
  std::string unit = {};     // of `done` in update, for the rate; empty: no rate
  double line_seconds = 10;  // between lines where there is no terminal
};

/// "m:ss" or "h:mm:ss"; negative and not finite count as unknown: "?".
std::string to_clock(double seconds);

/// On a terminal one line, redrawn at most ten times a second and taken away at the end; elsewhere a line every
/// `line_seconds` at most and one for the last step:
///
///   training  ███████▌        48%  1,234/2,560  18.3k tokens/s  loss 0.512  0:42 left
///
/// The rate is that of the last half minute or so, and the time left follows from the steps' rate. Nothing is written
/// before the first update. Not thread-safe.
class Progress {
 public:
  /// Throws std::invalid_argument: no stream, a negative total.
  Progress(Terminal terminal, ProgressOptions options);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `step` steps are done in all, and `done` units; both may begin anywhere (work that was resumed). `extra` is shown
  /// as it is.
  void update(std::int64_t step, double done = 0, const std::string& extra = {});

  /// Writes a line of its own, above the bar.
  void print(const std::string& line);

  /// Takes the bar away; the next update brings it back.
  void clear();

 private:
  void learn_rates(double now, std::int64_t step, double done);
  std::string bar_line(int width) const;
  std::string middle() const;
  void redraw();

  Terminal terminal_;
  ProgressOptions options_;
  std::int64_t step_ = 0;
  std::string extra_;
  bool started_ = false, shown_ = false;
  double learned_at_ = 0, drawn_at_ = 0;  // seconds
  std::int64_t learned_step_ = 0;
  double learned_done_ = 0;
  double weight_ = 0, steps_ = 0, units_ = 0;  // seconds, steps and units of the recent past, fading
};

}  // namespace rotary::report
