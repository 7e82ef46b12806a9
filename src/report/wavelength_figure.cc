// Positions per full turn, pair by pair.
#include <cmath>
#include <limits>

#include "report/rotation_numbers.h"

namespace rotary::report {
namespace {

Series wavelengths(const std::string& name, const std::vector<double>& frequencies) {
  Series out{name, pair_indices(frequencies.size()), {}};
  for (const double f : frequencies)  // no point where the pair does not turn
    out.y.push_back(f == 0 ? std::numeric_limits<double>::quiet_NaN() : kTwoPi / std::abs(f));
  return out;
}

}  // namespace

LineChart wavelength_figure(std::span<const NamedRotation> rotations) {
  validate_rotations(rotations, "wavelength_figure");
  LineChart chart;
  chart.title = "Wavelength of each pair";
  chart.x = {"pair"};
  chart.y = {"positions per full turn", Scale::kLog};
  for (const NamedRotation& r : rotations) chart.series.push_back(wavelengths(r.name, frequencies_of(r.map)));
  if (rotations.size() == 1 && is_scaled(rotations[0].spec))
    chart.series.push_back(wavelengths("without scaling", unscaled_frequencies(rotations[0].spec)));
  chart.lines = length_lines(rotations, ReferenceLine::Direction::kHorizontal);
  return chart;
}

}  // namespace rotary::report
