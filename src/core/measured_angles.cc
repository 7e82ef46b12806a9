#include "core/measured_angles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "core/require.h"

namespace rotary::detail {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr const char* kDisproportion = "angles that are not in proportion to the position";

bool is_bfloat16(float x) { return (std::bit_cast<std::uint32_t>(x) & 0xffffU) == 0; }

bool is_float16(float x) {
  if (std::abs(x) < 0x1p-14F) return x * 0x1p24F == std::floor(x * 0x1p24F);  // denormals and zero
  return std::abs(x) <= 65504 && (std::bit_cast<std::uint32_t>(x) & 0x1fffU) == 0;
}

class Fit {
 public:
  Fit(const MeasuredAngles& rows, MeasuredRotation& out) : rows_(rows), out_(out) {}

  void run() {
    out_.value_bits = rows_.value_bits;
    find_stop();
    find_distances();
    find_frequencies();
    find_first_position();
    find_factor();
  }

 private:
  double angle(std::size_t row, std::size_t pair) const { return rows_.angle[row * rows_.num_pairs + pair]; }
  double magnitude(std::size_t row, std::size_t pair) const { return rows_.magnitude[row * rows_.num_pairs + pair]; }
  std::size_t num_rows() const { return rows_.positions.size(); }

  bool same_rows(std::size_t x, std::size_t y) const {
    for (std::size_t i = 0; i < rows_.num_pairs; ++i)
      if (std::abs(wrapped(angle(x, i) - angle(y, i))) > rows_.noise) return false;
    return true;
  }

  // Whether a row can be told from the next at all: slow pairs in few digits are alike without any fault.
  bool moves_clearly() const {
    for (std::size_t i = 0; i < rows_.num_pairs; ++i)
      if (std::abs(wrapped(angle(1, i) - angle(0, i))) > 4 * rows_.noise) return true;
    return false;
  }

  // Clamped positions: the last rows are one row. Rounded ones: some are, and the next is another again.
  void find_stop() {
    end_ = num_rows();
    if (!moves_clearly()) return;
    std::size_t first = 0;
    while (first + 1 < num_rows() && !same_rows(first, first + 1)) ++first;
    if (first == 0 || first + 2 >= num_rows()) return;
    std::size_t last = first + 1;
    while (last + 1 < num_rows() && same_rows(first, last + 1)) ++last;
    end_ = first + 1;
    if (last + 1 == num_rows())
      out_.stops_at = rows_.positions[first];
    else
      name_rounded_positions(rows_.positions[first], rows_.positions[first + 1]);
  }

  // The first two positions that are one say in what they were kept: 256 and 257 in 8 binary digits, 2048 in 11.
  void name_rounded_positions(std::int64_t first, std::int64_t next) {
    out_.irregular = "positions " + std::to_string(first) + " and " + std::to_string(next) + " are one";
    if (first >= 255 && first <= 257) out_.irregular += ", as in bfloat16";
    if (first >= 2047 && first <= 2049) out_.irregular += ", as in float16 or TF32";
    if (first >= 16777215) out_.irregular += ", as in float32";
  }

  // Two rows, and how far apart they are in units of position_step.
  struct Distance {
    double units;
    std::size_t from, to;
  };

  // Neighbouring rows, and the first row with every other, the nearest first.
  void find_distances() {
    std::int64_t step = 0;
    for (std::size_t row = 1; row < end_; ++row) step = std::gcd(step, rows_.positions[row] - rows_.positions[0]);
    out_.position_step = step;
    const auto add = [&](std::size_t from, std::size_t to) {
      const std::int64_t apart = (rows_.positions[to] - rows_.positions[from]) / step;
      distances_.push_back({static_cast<double>(apart), from, to});
    };
    for (std::size_t row = 1; row < end_; ++row) {
      add(row - 1, row);
      if (row > 1) add(0, row);
    }
    std::stable_sort(distances_.begin(), distances_.end(),
                     [](const Distance& x, const Distance& y) { return x.units < y.units; });
    constexpr double kMostGuesses = 1024;
    if (distances_.front().units > kMostGuesses) refuse_positions("the nearest are too far");
  }

  static void refuse_positions(const char* got) {
    require(false, "measure_rotation", "positions must be near enough to each other to count the turns between", got);
  }

  // How far an angle may be off where position and frequency, at most about 1, are multiplied in float32.
  double rounding() const {
    const auto [first, last] = std::pair{rows_.positions.front(), rows_.positions[end_ - 1]};
    return rows_.noise + static_cast<double>(std::max(std::abs(first), std::abs(last))) * 0x1p-22;
  }

  double turned(const Distance& d, std::size_t pair) const { return angle(d.to, pair) - angle(d.from, pair); }

  // Radians per unit, and the distance that it is known from.
  struct Slope {
    double angle, reach;
  };

  // From the nearest rows to ever farther ones, each at most 32 times as far, so that the turns are counted right. None
  // if rows on the way contradict the start, where that is a guess.
  std::optional<Slope> refined(std::size_t pair, double start) const {
    Slope slope{start, distances_.front().units};
    const bool guess = slope.reach > 1;
    for (const Distance& d : distances_) {
      if (d.units > 32 * slope.reach) break;
      const bool farther = d.units >= 2 * slope.reach || &d == &distances_.back();
      if (!guess && !farther) continue;
      const double rest = wrapped(turned(d, pair) - slope.angle * d.units);
      if (guess && std::abs(rest) > 2 * rounding() * (1 + d.units / slope.reach)) return std::nullopt;
      if (farther) slope = {slope.angle + rest / d.units, d.units};
    }
    return slope;
  }

  // The nearest rows leave as many possibilities as they are units apart; the others leave one.
  Slope slope_of(std::size_t pair) {
    const double nearest = distances_.front().units;
    const double start = wrapped(turned(distances_.front(), pair)) / nearest;
    std::optional<Slope> found;
    for (int k = 0; k < static_cast<int>(nearest); ++k) {
      const auto slope = refined(pair, wrapped(start + 2 * kPi * k / nearest));
      if (slope && found) refuse_positions("several frequencies that fit");
      if (slope) found = slope;
    }
    if (found) return *found;
    if (out_.irregular.empty()) out_.irregular = kDisproportion;
    return {start, nearest};
  }

  void find_frequencies() {
    const auto step = static_cast<double>(out_.position_step);
    for (std::size_t i = 0; i < rows_.num_pairs; ++i) {
      const Slope slope = slope_of(i);
      const double frequency = slope.angle / step;
      out_.map.frequency.push_back({frequency, 0});
      // Engines multiply position and frequency in float32, some repeatedly.
      out_.frequency_error.push_back(2 * rows_.noise / (slope.reach * step) + std::abs(frequency) * 0x1p-20);
    }
  }

  double tolerance(std::size_t pair, double shift) const {
    return 2 * rows_.noise +
           out_.frequency_error[pair] * (std::abs(shift) + std::abs(static_cast<double>(rows_.positions[0])));
  }

  // The angle that is left at the first row.
  double rest(std::size_t pair, double shift) const {
    const double position = static_cast<double>(rows_.positions[0]) + shift;
    return wrapped(angle(0, pair) - out_.map.frequency[pair].hi * position);
  }

  bool explains(double shift) const {
    for (std::size_t i = 0; i < rows_.num_pairs; ++i)
      if (std::abs(rest(i, shift)) > tolerance(i, shift)) return false;
    return true;
  }

  // Frequencies that are known up to full turns say so only of rows that these lead to.
  void find_first_position() {
    if (rows_.positions[0] % out_.position_step != 0 || explains(0) || !out_.irregular.empty()) return;
    for (std::size_t i = 0; i < rows_.num_pairs; ++i) {
      const double frequency = out_.map.frequency[i].hi;
      if (std::abs(rest(i, 0)) <= 4 * tolerance(i, 0) || frequency == 0) continue;
      const double shift = std::round(rest(i, 0) / frequency);
      if (shift != 0 && std::abs(shift) < 1e9 && explains(shift)) {
        out_.first_position = shift;
        return;
      }
    }
    out_.irregular = kDisproportion;
  }

  void find_factor() {
    double sum = 0;
    for (std::size_t row = 0; row < end_; ++row)
      for (std::size_t i = 0; i < rows_.num_pairs; ++i) sum += magnitude(row, i);
    const double mean = sum / static_cast<double>(end_ * rows_.num_pairs);
    if (mean == 0) {
      out_.irregular = "all results are zero";
      return;
    }
    out_.map.attention_factor = mean;
    // Not less for many rows: the rows of slow pairs are all rounded the same way.
    out_.factor_error = rows_.noise * std::abs(mean);
    for (std::size_t row = 0; row < end_ && out_.irregular.empty(); ++row)
      for (std::size_t i = 0; i < rows_.num_pairs; ++i)
        if (std::abs(magnitude(row, i) - mean) > 4 * rows_.noise * mean + 1e-5 * mean) {
          out_.irregular = "magnitudes that are not one factor";
          break;
        }
  }

  const MeasuredAngles& rows_;
  MeasuredRotation& out_;
  std::size_t end_ = 0;              // rows that count
  std::vector<Distance> distances_;  // rising
};

}  // namespace

double wrapped(double angle) { return angle - 2 * kPi * std::ceil(angle / (2 * kPi) - 0.5); }

int value_bits_of(std::span<const float> values) {
  const bool brain = std::all_of(values.begin(), values.end(), is_bfloat16);
  if (brain) return 8;
  return std::all_of(values.begin(), values.end(), is_float16) ? 11 : 24;
}

void fit_rotation(const MeasuredAngles& rows, MeasuredRotation& out) { Fit(rows, out).run(); }

}  // namespace rotary::detail
