// The angle of each pair, position by position.
#include <cmath>

#include "report/number_text.h"
#include "report/rotation_numbers.h"

namespace rotary::report {
namespace {

constexpr int kPerOctave = 4;

double modulo_turn(double angle) {
  const double out = std::fmod(angle, kTwoPi);
  return out < 0 ? out + kTwoPi : out;
}

}  // namespace

HeatMap angle_figure(const NamedRotation& rotation) {
  validate_rotations({&rotation, 1}, "angle_figure");
  const std::vector<double> frequencies = frequencies_of(rotation.map);
  std::vector<std::int64_t> positions =
      octave_positions(static_cast<std::int64_t>(limit_of(rotation.spec)), kPerOctave);
  positions.insert(positions.begin(), 0);
  HeatMap map;
  map.title = "Angle of each pair: " + rotation.name;
  map.rows = static_cast<int>(positions.size());
  map.columns = static_cast<int>(frequencies.size());
  map.row_title = "position";
  map.column_title = "pair";
  map.scale = {Palette::kSequential, 0, kTwoPi, "radians, modulo 2π"};
  for (std::size_t i = 0; i < frequencies.size(); ++i) map.column_labels.push_back(std::to_string(i));
  for (const std::int64_t position : positions) {
    map.row_labels.push_back(with_commas(position));
    for (const double f : frequencies) map.values.push_back(modulo_turn(static_cast<double>(position) * f));
  }
  return map;
}

}  // namespace rotary::report
