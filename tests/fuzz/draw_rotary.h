// Rotations drawn from the fuzzer's bytes: of specs with every pairing, slice and axis rule, and of general maps.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "rotary/apply.h"

namespace rotary::fuzz {

using Draw = FuzzedDataProvider;
using Random = std::mt19937_64;  // for what needs more numbers than an input has bytes

inline int draw_int(Draw& draw, int low, int high) { return draw.ConsumeIntegralInRange(low, high); }
inline Random draw_random(Draw& draw) { return Random(draw.ConsumeIntegral<std::uint16_t>()); }
inline int below(int end, Random& random) { return static_cast<int>(random() % static_cast<unsigned>(end)); }
inline double number(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; }  // [-1, 1)

inline double frequency(Random& random) {
  return below(8, random) == 0 ? 0 : std::ldexp(number(random), -below(12, random));
}

inline AxisLayout draw_axes(Draw& draw, int& pairs) {
  AxisLayout axes;
  if (draw.ConsumeBool()) return axes;
  axes.rule = static_cast<AxisRule>(draw_int(draw, 1, static_cast<int>(AxisRule::kAxialParts)));
  if (axes.rule <= AxisRule::kAlternatingHeightWidth) {
    const int first = draw_int(draw, 0, pairs), second = draw_int(draw, first, pairs);
    axes.sections = {first, second - first, pairs - second};
    axes.num_axes = 3;
    return axes;
  }
  axes.num_axes = draw_int(draw, 2, 4);
  pairs = axes.num_axes * std::max(1, pairs / axes.num_axes);
  for (int axis = axes.num_axes; axis > 0 && draw.ConsumeBool();)
    axes.axis_order.push_back(--axis);  // of all or refused
  return axes;
}

inline Scaling draw_scaling(Draw& draw, int pairs, int num_axes) {
  YarnScaling yarn;
  yarn.factor = 8;
  yarn.original_max_position = 4096;
  switch (draw_int(draw, 0, 3)) {
    case 1: return yarn;
    case 2: return ProportionalScaling{0.4, 2};
    case 3: {
      GivenFrequencies given{draw_int(draw, 1, 3), {}};
      Random random = draw_random(draw);
      for (int i = given.num_sets * pairs * num_axes; i > 0; --i) given.frequencies.push_back(frequency(random));
      return given;
    }
    default: return DefaultScaling{};
  }
}

inline RopeSpec draw_spec(Draw& draw) {
  RopeSpec spec;
  int pairs = 80 - draw_int(draw, 0, 79);
  spec.axes = draw_axes(draw, pairs);
  spec.scaling = draw_scaling(draw, pairs, spec.axes.num_axes);
  spec.rotary_dim = 2 * pairs;
  spec.rotary_offset = draw.ConsumeBool() ? draw_int(draw, 1, 20) : 0;
  spec.head_dim = spec.rotary_offset + spec.rotary_dim + (draw.ConsumeBool() ? draw_int(draw, 1, 20) : 0);
  spec.pairing = draw.ConsumeBool() ? Pairing::kInterleaved : Pairing::kHalf;
  spec.output_pairing = draw.ConsumeBool() ? Pairing::kInterleaved : Pairing::kHalf;
  spec.negate_angle = draw.ConsumeBool();
  spec.base = draw.ConsumeBool() ? 500000 : 10000;
  return spec;
}

/// Channels 0 .. n-1 in an order that has the ends of half or interleaved pairs beside each other, but for some swaps.
inline std::vector<int> draw_order(Draw& draw, int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  const bool half = draw.ConsumeBool();
  for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = half && i < n / 2 * 2 ? i / 2 + i % 2 * (n / 2) : i;
  Random random = draw_random(draw);
  for (int swaps = draw.ConsumeBool() ? draw_int(draw, 0, n) : 0; swaps > 0; --swaps)
    std::swap(order[static_cast<std::size_t>(below(n, random))], order[static_cast<std::size_t>(below(n, random))]);
  return order;
}

inline RotationMap draw_general_map(Draw& draw) {
  RotationMap map;
  map.channels = 200 - draw_int(draw, 0, 199);
  map.num_axes = draw_int(draw, 1, 3);
  map.num_sets = draw_int(draw, 1, 4);
  if (draw.ConsumeBool()) map.attention_factor = 1.25;
  const std::vector<int> from = draw_order(draw, map.channels);
  const std::vector<int> to = draw.ConsumeBool() ? from : draw_order(draw, map.channels);
  const auto paired = 2 * static_cast<std::size_t>(map.channels / 2 - draw_int(draw, 0, map.channels / 2));
  for (std::size_t i = 0; i < paired; i += 2) {
    ChannelPair pair{from[i], from[i + 1], to[i], to[i + 1]};
    if (pair.a > pair.b) pair = {pair.b, pair.a, pair.d, pair.c};
    map.pairs.push_back(pair);
  }
  std::sort(map.pairs.begin(), map.pairs.end(), [](const auto& x, const auto& y) { return x.a < y.a; });
  map.pass_to.assign(from.size(), -1);
  for (std::size_t i = paired; i < from.size(); ++i) map.pass_to[static_cast<std::size_t>(from[i])] = to[i];
  Random random = draw_random(draw);
  const bool several = draw.ConsumeBool();  // axes on one pair
  for (int set = 0; set < map.num_sets; ++set)
    for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i)
      for (int axis = 0, only = below(map.num_axes, random); axis < map.num_axes; ++axis)
        map.frequency.push_back({several || axis == only ? frequency(random) : 0, 0});
  return map;
}

/// Breaks a rule of the map's definition.
inline void break_map(Draw& draw, RotationMap& map) {
  switch (draw_int(draw, 0, 4)) {
    case 0: map.pass_to.push_back(-1); break;
    case 1: map.frequency.push_back({1, 0}); break;
    case 2: map.attention_factor = std::numeric_limits<double>::infinity(); break;
    case 3: map.pairs.empty() ? void(map.pass_to[0] = -1) : void(map.pairs[0].c = map.pairs[0].d); break;
    case 4: map.pairs.empty() ? void(map.channels = 0) : void(map.frequency[0].hi = std::nan("")); break;
  }
}

/// Throws std::invalid_argument for what the library refuses.
inline Rotary draw_rotary(Draw& draw) {
  const std::int64_t table_rows =
      draw_int(draw, 0, 19) == 19 ? draw.PickValueInArray({40, 300}) : 0;  // pages take long
  if (draw.ConsumeBool()) {
    RotationMap map = draw_general_map(draw);
    const bool broken = draw_int(draw, 0, 15) == 15;
    if (broken) break_map(draw, map);
    Rotary rotary(std::move(map), table_rows);
    if (broken) __builtin_trap();
    return rotary;
  }
  const RopeSpec spec = draw_spec(draw);
  const bool exact = draw_int(draw, 0, 3) < 3;
  return Rotary(spec, table_rows, exact ? Arithmetic::kExact : static_cast<Arithmetic>(draw_int(draw, 1, 3)));
}

}  // namespace rotary::fuzz
