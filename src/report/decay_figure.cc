// Score of a query and a key of ones against their distance, and RoFormer's bound of it.
#include <algorithm>
#include <cmath>
#include <complex>

#include "report/rotation_numbers.h"

namespace rotary::report {
namespace {

constexpr int kPerOctave = 64;  // more than there are pixels

// 1 / P times the sum of cos(distance * t).
double score(const std::vector<double>& frequencies, double distance) {
  double sum = 0;
  for (const double f : frequencies) sum += std::cos(distance * f);
  return sum / static_cast<double>(frequencies.size());
}

// 1 / P times the sum of |S_j|.
double bound(const std::vector<double>& frequencies, double distance) {
  std::complex<double> partial = 0;
  double sum = 0;
  for (const double f : frequencies) {
    partial += std::polar(1.0, distance * f);
    sum += std::abs(partial);
  }
  return sum / static_cast<double>(frequencies.size());
}

LineChart chart_of(const char* title, const char* unit, std::span<const NamedRotation> rotations) {
  LineChart chart;
  chart.title = title;
  chart.x = {"distance, positions", Scale::kLog2, 1.0};
  chart.y = {unit};
  chart.lines = length_lines(rotations, ReferenceLine::Direction::kVertical);
  return chart;
}

}  // namespace

Grid decay_figure(std::span<const NamedRotation> rotations) {
  validate_rotations(rotations, "decay_figure");
  LineChart scores = chart_of("Score of a query and a key of ones", "share of the score at distance 0", rotations);
  LineChart bounds = chart_of("Bound of RoFormer, section 3.4.3", "mean size of the partial sums", rotations);
  scores.lines.push_back({"", 0});
  double last = 2;
  for (const NamedRotation& r : rotations) last = std::max(last, limit_of(r.spec));
  for (const NamedRotation& r : rotations) {
    const std::vector<double> frequencies = frequencies_of(r.map);
    Series scored{r.name}, bounded{r.name};
    for (const std::int64_t position : octave_positions(static_cast<std::int64_t>(last), kPerOctave)) {
      const auto distance = static_cast<double>(position);
      scored.x.push_back(distance);
      scored.y.push_back(score(frequencies, distance));
      bounded.x.push_back(distance);
      bounded.y.push_back(bound(frequencies, distance));
    }
    scores.series.push_back(std::move(scored));
    bounds.series.push_back(std::move(bounded));
  }
  bounds.y.min = 0;
  Grid grid;
  grid.panels = {{std::move(scores)}, {std::move(bounds)}};
  return grid;
}

}  // namespace rotary::report
