// Measured rotations against others.
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <numeric>

#include "rotary/measure.h"

namespace rotary {
namespace {

// One axis: the sum over all, as equal positions on all axes turn a pair.
RotationMap on_one_axis(const RotationMap& map) {
  if (map.num_axes == 1) return map;
  RotationMap out = map;
  out.num_axes = 1;
  out.frequency.clear();
  for (int set = 0; set < map.num_sets; ++set)
    for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
      Frequency sum;
      for (int axis = 0; axis < map.num_axes; ++axis) {
        sum.hi += map.at(set, i, axis).hi;
        sum.lo += map.at(set, i, axis).lo;
      }
      out.frequency.push_back(sum);
    }
  return out;
}

// The paired channels alone, renumbered in their order: what a table knows of.
RotationMap paired_channels(const RotationMap& map) {
  std::map<int, int> in, out_of;
  for (const ChannelPair& p : map.pairs) in[p.a] = in[p.b] = out_of[p.c] = out_of[p.d] = 0;
  int next = 0;
  for (auto& [channel, index] : in) index = next++;
  next = 0;
  for (auto& [channel, index] : out_of) index = next++;
  RotationMap out = map;
  out.channels = next;
  out.pass_to.assign(static_cast<std::size_t>(next), -1);
  for (ChannelPair& p : out.pairs) p = {in[p.a], in[p.b], out_of[p.c], out_of[p.d]};
  return out;
}

// A table, or vectors that are the rotary slice of a head and nothing else.
bool is_slice_alone(const MeasuredRotation& m) { return m.map.channels == 2 * static_cast<int>(m.map.pairs.size()); }

void add(std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + name; }

// `measured` with what it cannot tell apart from `other` set to the other's.
RotationMap snapped(const MeasuredRotation& measured, const RotationMap& other) {
  RotationMap out = measured.map;
  if (out.pairs.size() != other.pairs.size()) return out;
  if (!measured.knows_pairs) {
    out.channels = other.channels;
    out.pairs = other.pairs;
    out.pass_to = other.pass_to;
  }
  const double turn = 2 * std::numbers::pi / static_cast<double>(measured.position_step);
  for (std::size_t i = 0; i < out.pairs.size(); ++i) {
    Frequency& f = out.frequency[i];
    double apart = f.hi - other.frequency[i].hi;
    if (measured.position_step > 1) f.hi -= turn * std::round(apart / turn);
    apart = f.hi - other.frequency[i].hi;
    // Rounding goes with the whole frequency, turns included.
    const double error = measured.frequency_error[i] + (measured.position_step > 1 ? 0x1p-20 * std::abs(f.hi) : 0);
    if (std::abs(apart) <= error) f = other.frequency[i];
  }
  if (std::abs(out.attention_factor - other.attention_factor) <= measured.factor_error)
    out.attention_factor = other.attention_factor;
  return out;
}

// Every pair by which a map and a measurement of a slice of its head may differ in width alone is kept: compare() sees
// it. Frequencies of zero are still pairs in a table.
RotationMap comparable(const RotationMap& expected, const MeasuredRotation& measured) {
  RotationMap out = on_one_axis(expected);
  if (out.num_sets > 1) {
    out.num_sets = 1;
    out.frequency.resize(out.pairs.size());
  }
  return is_slice_alone(measured) && measured.map.channels != out.channels ? paired_channels(out) : out;
}

}  // namespace

std::string position_faults(const MeasuredRotation& measured) {
  std::string out;
  char text[96];
  if (measured.first_position != 0) {
    std::snprintf(text, sizeof text, "positions off by %.10g", measured.first_position);
    add(out, text);
  }
  if (measured.stops_at >= 0) {
    std::snprintf(text, sizeof text, "positions stop at %lld", static_cast<long long>(measured.stops_at));
    add(out, text);
  }
  if (!measured.irregular.empty()) add(out, measured.irregular);
  return out;
}

MapDifference compare(const RotationMap& expected, const MeasuredRotation& measured, double position) {
  const RotationMap map = comparable(expected, measured);
  MapDifference out = compare(map, snapped(measured, map), position);
  if (const std::string faults = position_faults(measured); !faults.empty()) {
    add(out.cause, faults);
    out.same = false;
  }
  return out;
}

MapDifference compare(const MeasuredRotation& first, const MeasuredRotation& second, double position) {
  MeasuredRotation both = second;
  if (first.frequency_error.size() == both.frequency_error.size())
    for (std::size_t i = 0; i < both.frequency_error.size(); ++i) both.frequency_error[i] += first.frequency_error[i];
  both.factor_error += first.factor_error;
  both.position_step = std::lcm(first.position_step, second.position_step);
  RotationMap map = first.map;
  if (!first.knows_pairs && map.pairs.size() == second.map.pairs.size()) {
    map.channels = second.map.channels;
    map.pairs = second.map.pairs;
    map.pass_to = second.map.pass_to;
  }
  MapDifference out = compare(map, snapped(both, map), position);
  const std::string one = position_faults(first), two = position_faults(second);
  if (one == two) return out;
  out.same = false;
  if (!one.empty()) add(out.cause, one + " in the first");
  if (!two.empty()) add(out.cause, two + " in the second");
  return out;
}

}  // namespace rotary
