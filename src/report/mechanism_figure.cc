// Two vectors turned by their positions, and what their score depends on.
#include <algorithm>
#include <cmath>

#include "report/number_text.h"
#include "report/rotation_numbers.h"

namespace rotary::report {
namespace {

struct Vector {
  double x, y;
};

constexpr Vector kQuery{0.94, 0.34}, kKey{-0.13, 0.73};
constexpr double kTurnAPicture = 0.6;  // about what the first position turns the query by, radians
constexpr int kPoints = 241;

// The pair that is shown, and the whole-numbered step between the positions that are.
struct Shown {
  std::size_t pair;
  double frequency, factor, step;
};

Shown choose(const RotationMap& map) {
  const std::vector<double> frequencies = frequencies_of(map);
  const auto first = std::find_if(frequencies.begin(), frequencies.end(), [](double f) { return f != 0; });
  return {static_cast<std::size_t>(first - frequencies.begin()), *first, map.attention_factor,
          std::max(1.0, std::round(kTurnAPicture / std::abs(*first)))};
}

// As the map turns a pair of channels.
Vector rotated(Vector v, double position, const Shown& shown) {
  const double c = shown.factor * std::cos(position * shown.frequency),
               s = shown.factor * std::sin(position * shown.frequency);
  return {v.x * c - v.y * s, v.x * s + v.y * c};
}

double score(double query_position, double key_position, const Shown& shown) {
  const Vector q = rotated(kQuery, query_position, shown), k = rotated(kKey, key_position, shown);
  return q.x * k.x + q.y * k.y;
}

double direction(Vector v) { return std::atan2(v.y, v.x); }
double size(Vector v) { return std::hypot(v.x, v.y); }

// What a vector was, what it becomes at `position`, and the way of its tip.
void add_turned(Plane& plane, const std::string& name, Vector v, double position, const Shown& shown, int colour) {
  const Vector to = rotated(v, position, shown);
  const double angle = position * shown.frequency, from = direction(v);
  plane.arrows.push_back({name, v.x, v.y, colour, true});
  plane.arrows.push_back({name + " at " + short_number(position, 9), to.x, to.y, colour});
  plane.arcs.push_back({short_number(angle, 3) + " rad", size(v), from, from + std::fmod(angle, kTwoPi), colour});
}

Panel plane_panel(double query_position, double key_position, const Shown& shown, const ChannelPair& channels) {
  Plane plane;
  plane.title = "Query at " + short_number(query_position, 9) + ", key at " + short_number(key_position, 9);
  plane.x_label = "channel " + std::to_string(channels.a);
  plane.y_label = "channel " + std::to_string(channels.b);
  add_turned(plane, "q", kQuery, query_position, shown, 0);
  add_turned(plane, "k", kKey, key_position, shown, 1);
  const double from = direction(rotated(kQuery, query_position, shown)),
               between = std::remainder(direction(rotated(kKey, key_position, shown)) - from, kTwoPi);
  plane.arcs.push_back({short_number(std::abs(between), 3), 0.3, from, from + between, 2});
  return {std::move(plane), "score " + short_number(score(query_position, key_position, shown), 3)};
}

LineChart score_chart(const std::string& title, const std::string& x_label, const Shown& shown) {
  LineChart chart;
  chart.title = title;
  chart.x = {x_label};
  const double most = shown.factor * shown.factor * size(kQuery) * size(kKey) * 1.08;
  chart.y = {"score", Scale::kLinear, -most, most};
  return chart;
}

LineChart by_offset(const Shown& shown) {
  LineChart chart = score_chart("It depends on the offset", "position of the key − position of the query", shown);
  Series series;  // two turns
  for (int i = 0; i < kPoints; ++i) {
    const double offset = 2 * kTwoPi / std::abs(shown.frequency) * i / (kPoints - 1);
    series.x.push_back(offset);
    series.y.push_back(score(0, offset, shown));
  }
  chart.series.push_back(std::move(series));
  chart.lines = {{"as above: " + short_number(shown.step, 9), shown.step, ReferenceLine::Direction::kVertical}};
  return chart;
}

LineChart by_position(const Shown& shown) {
  LineChart chart = score_chart("and not on the position", "position of the query", shown);
  for (const double offset : {0.0, shown.step, 2 * shown.step}) {
    Series series{"offset " + short_number(offset, 9)};
    for (int i = 0; i <= 10; ++i) {
      const double position = shown.step * i;
      series.x.push_back(position);
      series.y.push_back(score(position, position + offset, shown));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

Grid mechanism_figure(const NamedRotation& rotation) {
  validate_rotations({&rotation, 1}, "mechanism_figure");
  const Shown shown = choose(rotation.map);
  const ChannelPair& channels = rotation.map.pairs[shown.pair];
  Grid grid;
  grid.title = "A query and a key in pair " + std::to_string(shown.pair) + " of " + rotation.name + ", " +
               short_number(std::abs(shown.frequency)) + " rad per position";
  grid.columns = 2;
  grid.panels.push_back(plane_panel(shown.step, 2 * shown.step, shown, channels));
  grid.panels.push_back(plane_panel(3 * shown.step, 4 * shown.step, shown, channels));
  grid.panels.push_back({by_offset(shown)});
  grid.panels.push_back({by_position(shown)});
  return grid;
}

}  // namespace rotary::report
