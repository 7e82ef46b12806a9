#include "report/progress.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/require.h"
#include "report/number_text.h"
#include "report/text.h"

namespace rotary::report {
namespace {

constexpr double kRedrawSeconds = 0.1, kMemorySeconds = 30;
constexpr int kWidestBar = 30, kNarrowestBar = 8;

// 18.3k, 512, 1.25M.
std::string short_rate(double value) {
  constexpr std::pair<double, const char*> kUnits[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const auto& [size, name] : kUnits)
    if (value >= 0.9995 * size) return trimmed(value / size, value >= 99.95 * size ? 0 : 1) + name;
  return trimmed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

// In eighths of a character where the terminal has them.
std::string bar(double part, int width, bool unicode) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(part * width * 8);
  int used = eighths / 8;
  std::string out;
  for (int i = 0; i < used; ++i) out += unicode ? "█" : "#";
  if (unicode && eighths % 8 > 0) out += kEighths[eighths % 8], ++used;
  return out + std::string(static_cast<std::size_t>(width - used), unicode ? ' ' : '.');
}

std::string cut(const std::string& text, int width) {
  std::vector<char32_t> points = code_points(text);
  if (points.size() <= static_cast<std::size_t>(std::max(width, 0))) return text;
  points.resize(static_cast<std::size_t>(std::max(width, 0)));
  return to_utf8(points);
}

}  // namespace

std::string to_clock(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "?";
  const auto whole = std::int64_t{std::llround(seconds)};
  const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  const std::string minutes = whole < 3600 ? std::to_string(whole / 60) : two(whole / 60 % 60);
  return (whole < 3600 ? "" : std::to_string(whole / 3600) + ":") + minutes + ":" + two(whole % 60);
}

Progress::Progress(Terminal terminal, ProgressOptions options)
    : terminal_(std::move(terminal)), options_(std::move(options)) {
  detail::require(terminal_.out != nullptr, "Progress", "terminal.out must be a stream", "none");
  detail::require(options_.total >= 0, "Progress", "total must not be negative", options_.total);
}

Progress::~Progress() {
  try {
    clear();
  } catch (...) {  // a stream that throws must not end the program here
    return;
  }
}

// What happened long ago counts less: a slow start is forgotten, one slow step does not shake the rate.
void Progress::learn_rates(double now, std::int64_t step, double done) {
  if (started_ && step >= learned_step_) {
    const double fade = std::exp(-(now - learned_at_) / kMemorySeconds);
    weight_ = weight_ * fade + (now - learned_at_);
    steps_ = steps_ * fade + static_cast<double>(step - learned_step_);
    units_ = units_ * fade + (done - learned_done_);
  }
  learned_at_ = now;
  learned_step_ = step;
  learned_done_ = done;
}

void Progress::update(std::int64_t step, double done, const std::string& extra) {
  const double now = terminal_.seconds();
  learn_rates(now, step, done);
  const bool last = options_.total > 0 && step >= options_.total && step_ < options_.total;
  const double interval = terminal_.is_terminal ? kRedrawSeconds : options_.line_seconds;
  const bool due = !started_ || last || now - drawn_at_ >= interval;
  started_ = true;
  step_ = step;
  extra_ = extra;
  if (!due) return;
  drawn_at_ = now;
  redraw();
}

// What stands between bar and time left.
std::string Progress::middle() const {
  std::string out = with_commas(step_) + (options_.total > 0 ? "/" + with_commas(options_.total) : "");
  if (!options_.unit.empty() && weight_ > 0) out += "  " + short_rate(units_ / weight_) + " " + options_.unit + "/s";
  return extra_.empty() ? out : out + "  " + extra_;
}

std::string Progress::bar_line(int width) const {
  const std::string label = options_.label.empty() ? "" : options_.label + "  ";
  if (options_.total == 0) return cut(label + middle(), width);
  const double part = std::clamp(static_cast<double>(step_) / static_cast<double>(options_.total), 0.0, 1.0);
  const std::string number = std::to_string(static_cast<int>(part * 100));
  const std::string percent = std::string(3 - number.size(), ' ') + number + "%";
  std::string after = percent + "  " + middle();
  if (steps_ > 0 && step_ < options_.total)
    after += "  " + to_clock(static_cast<double>(options_.total - step_) * weight_ / steps_) + " left";
  const int rest = width - static_cast<int>(code_points(label + after).size()) - 1;
  if (!terminal_.is_terminal || rest < kNarrowestBar) return cut(label + after, width);
  return label + bar(part, std::min(rest, kWidestBar), terminal_.unicode) + " " + after;
}

void Progress::redraw() {
  if (!terminal_.is_terminal) {
    *terminal_.out << bar_line(1 << 20) << '\n' << std::flush;
    return;
  }
  *terminal_.out << '\r' << bar_line(terminal_.columns() - 1) << "\33[K" << std::flush;
  shown_ = true;
}

void Progress::print(const std::string& line) {
  const bool was_shown = shown_;
  clear();
  *terminal_.out << line << '\n' << std::flush;
  if (was_shown) redraw();
}

void Progress::clear() {
  if (!shown_) return;
  *terminal_.out << "\r\33[K" << std::flush;
  shown_ = false;
}

}  // namespace rotary::report
