#include "rotary/precision.h"

#include <cmath>
#include <limits>
#include <span>

#include "core/double_double.h"
#include "core/equal_neighbours.h"
#include "core/require.h"
#include "core/trigonometry.h"

namespace rotary {
namespace {

using detail::DoubleDouble;
using detail::Examined;
using detail::require;
using detail::turning_pairs;

constexpr std::int64_t kMostPositions = std::int64_t{1} << 53;
constexpr std::int64_t kLongestSearch = std::int64_t{1} << 24;

// The map at equal positions on every axis.
RotationMap on_one_axis(const RotationMap& map) {
  RotationMap out = map;
  out.num_axes = out.num_sets = 1;
  out.frequency.clear();
  for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair) {
    DoubleDouble sum;
    for (int axis = 0; axis < map.num_axes; ++axis) {
      const Frequency& f = map.at(0, pair, axis);
      sum = sum + DoubleDouble{f.hi, f.lo};
    }
    out.frequency.push_back({sum.hi, sum.lo});
  }
  return out;
}

void validate_range(const PrecisionRange& range, std::string_view function) {
  for (std::int64_t m : range.positions)
    require(m >= 0 && m <= kMostPositions, function, "positions must be 0 .. 2^53", m);
  require(range.search_below >= 0 && range.search_below <= kLongestSearch, function, "search_below must be 0 .. 2^24",
          range.search_below);
}

// --- Angles

// |angle of (cos, sin) - exact angle| as a turn: the cross product of the two directions, and their dot product.
double turned_by(DoubleDouble angle, double cos, double sin) {
  const detail::SinCos exact = detail::sincos(angle);
  return std::fabs(std::atan2(exact.cos.hi * sin - exact.sin.hi * cos, exact.cos.hi * cos + exact.sin.hi * sin));
}

AngleLoss overflow(std::int64_t position, const RotationMap& exact) {
  AngleLoss out{position, std::numeric_limits<double>::infinity(), -1, turning_pairs(exact)};
  if (!out.lost_pairs.empty()) out.pair = out.lost_pairs.front();
  return out;
}

// error(pair, exact angle) of every pair.
template <class Error>
AngleLoss angle_loss(std::int64_t position, const RotationMap& exact, const Error& error) {
  AngleLoss out{position, 0, -1, {}};
  for (int pair : turning_pairs(exact)) {
    const Frequency& f = exact.at(0, pair, 0);
    const double off = error(pair, DoubleDouble{f.hi, f.lo} * static_cast<double>(position));
    if (off > out.error) {
      out.error = off;
      out.pair = pair;
    }
    if (off > kLostAngle) out.lost_pairs.push_back(pair);
  }
  return out;
}

// The turn that is left of an angle.
double as_turn(DoubleDouble angle) {
  const detail::SinCos at = detail::sincos(angle);
  return std::fabs(std::atan2(at.sin.hi, at.cos.hi));
}

AngleLoss loss_of_table(const Examined& examined, std::int64_t position) {
  const CosSinTable table = examined.rows(std::span(&position, 1));
  const auto stored = [&](float x) { return rounded_to(examined.stored, x); };
  return angle_loss(position, examined.exact, [&](int pair, DoubleDouble angle) {
    const auto i = static_cast<std::size_t>(pair);
    return turned_by(angle, stored(table.cos(0)[i]), stored(table.sin(0)[i]));
  });
}

// A part of a map in a format.
struct RoundedMap {
  RotationMap exact, turned;
  RoundedPart part;
  NumberFormat format;

  double moved(std::int64_t position) const {
    const auto m = static_cast<double>(position);
    return part == RoundedPart::kPositions ? rounded_to(format, m) : m;
  }

  CosSinTable rows(std::span<const std::int64_t> positions) const {
    std::vector<double> at;
    for (std::int64_t m : positions) at.push_back(moved(m));
    return CosSinTable::by_token(turned, std::span<const double>(at));
  }

  AngleLoss loss(std::int64_t position) const {
    const double m = moved(position);
    if (std::isinf(m)) return overflow(position, exact);
    return angle_loss(position, exact, [&](int pair, DoubleDouble angle) {
      const Frequency& f = turned.at(0, pair, 0);
      return as_turn(DoubleDouble{f.hi, f.lo} * m - angle);
    });
  }
};

RoundedMap rounded_map(const RotationMap& map, RoundedPart part, NumberFormat format) {
  RoundedMap out{on_one_axis(map), {}, part, format};
  out.turned = out.exact;
  if (part == RoundedPart::kFrequencies)
    for (Frequency& f : out.turned.frequency) f = {rounded_to(format, f.hi), 0};
  return out;
}

}  // namespace

std::string_view to_string(RoundedPart part) {
  constexpr std::string_view kNames[] = {"positions", "frequencies", "tables"};
  return kNames[static_cast<std::size_t>(part)];
}

PrecisionLoss rounding_loss(const RotationMap& map, RoundedPart part, NumberFormat format,
                            const PrecisionRange& range) {
  validate_map(map);
  validate_range(range, "rounding_loss");
  const RoundedMap rounded = rounded_map(map, part, format);
  const bool tables = part == RoundedPart::kTables;
  const Examined examined{rounded.exact,
                          [&rounded](std::span<const std::int64_t> positions) { return rounded.rows(positions); },
                          tables ? format : NumberFormat::kFloat32};
  PrecisionLoss out;
  detail::find_equal_neighbours(examined, range.search_below, out);
  for (std::int64_t m : range.positions) out.at.push_back(tables ? loss_of_table(examined, m) : rounded.loss(m));
  return out;
}

PrecisionLoss arithmetic_loss(const RopeSpec& spec, Arithmetic arithmetic, std::int64_t seq_len,
                              const PrecisionRange& range) {
  validate_range(range, "arithmetic_loss");
  const auto rows = [&](std::span<const std::int64_t> positions) {
    std::vector<std::int64_t> at;
    for (std::int64_t m : positions) at.insert(at.end(), static_cast<std::size_t>(spec.axes.num_axes), m);
    return CosSinTable::by_token(spec, at, arithmetic, seq_len);
  };
  const Examined examined{on_one_axis(make_rotation_map(spec, seq_len)), rows, NumberFormat::kFloat32};
  PrecisionLoss out;
  detail::find_equal_neighbours(examined, range.search_below, out);
  for (std::int64_t m : range.positions) out.at.push_back(loss_of_table(examined, m));
  return out;
}

}  // namespace rotary
