// Inverse, restriction and composition of rotation maps.
#include <algorithm>
#include <numeric>
#include <string>

#include "core/double_double.h"
#include "core/require.h"
#include "rotary/rotation_map.h"

namespace rotary {
namespace {

using detail::DoubleDouble;
using detail::require;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

Frequency negated(const Frequency& f) { return {-f.hi, -f.lo}; }

Frequency sum(const Frequency& f, const Frequency& g) {
  const DoubleDouble total = DoubleDouble{f.hi, f.lo} + DoubleDouble{g.hi, g.lo};
  return {total.hi, total.lo};
}

// For each output channel, the passed channel that is written there, or -1.
std::vector<int> passed_sources(const RotationMap& map) {
  std::vector<int> sources(map.pass_to.size(), -1);
  for (int channel = 0; channel < map.channels; ++channel)
    if (const int to = map.pass_to[index(channel)]; to >= 0) sources[index(to)] = channel;
  return sources;
}

// A pair of the composition: pair `first` of the first map, then pair `second` of the second; -1 where that map passes
// the plane.
struct ComposedPair {
  ChannelPair channels;
  int first = -1, second = -1;
  bool swapped = false;  // the second map sees the plane with its ends exchanged, so it turns the other way
};

// The pair of the second map that reads the plane (c, d), in either order, or -1 if the plane passes through.
int pair_that_reads(const std::vector<int>& reader, int c, int d) {
  const int pair = reader[index(c)];
  require(pair == reader[index(d)], "compose",
          "every output plane of the first map must be a plane of the second or pass through it", c);
  return pair;
}

std::vector<ComposedPair> composed_pairs(const RotationMap& first, const RotationMap& second) {
  std::vector<int> reader(index(second.channels), -1);
  for (int i = 0; i < static_cast<int>(second.pairs.size()); ++i)
    reader[index(second.pairs[index(i)].a)] = reader[index(second.pairs[index(i)].b)] = i;
  std::vector<ComposedPair> out;
  std::vector<bool> used(second.pairs.size());
  for (int i = 0; i < static_cast<int>(first.pairs.size()); ++i) {
    const ChannelPair& p = first.pairs[index(i)];
    const int j = pair_that_reads(reader, p.c, p.d);
    if (j < 0) {
      out.push_back({{p.a, p.b, second.pass_to[index(p.c)], second.pass_to[index(p.d)]}, i, -1, false});
      continue;
    }
    const ChannelPair& q = second.pairs[index(j)];
    const bool swapped = q.a == p.d;
    used[index(j)] = true;
    out.push_back({{p.a, p.b, swapped ? q.d : q.c, swapped ? q.c : q.d}, i, j, swapped});
  }
  const std::vector<int> source = passed_sources(first);
  for (int j = 0; j < static_cast<int>(second.pairs.size()); ++j) {
    if (used[index(j)]) continue;
    const ChannelPair& q = second.pairs[index(j)];
    const int a = source[index(q.a)], b = source[index(q.b)];
    require(a >= 0 && b >= 0, "compose",
            "every plane of the second map must be an output plane of the first or pass through it", q.a);
    const bool swapped = a > b;
    out.push_back({swapped ? ChannelPair{b, a, q.d, q.c} : ChannelPair{a, b, q.c, q.d}, -1, j, swapped});
  }
  std::sort(out.begin(), out.end(),
            [](const ComposedPair& x, const ComposedPair& y) { return x.channels.a < y.channels.a; });
  return out;
}

void check_composition(const RotationMap& first, const RotationMap& second) {
  validate_map(first);
  validate_map(second);
  require(first.channels == second.channels, "compose", "both maps must have the same number of channels",
          second.channels);
  require(first.num_axes == second.num_axes, "compose", "both maps must have the same number of axes", second.num_axes);
  require(first.num_sets == second.num_sets, "compose", "both maps must have the same number of frequency sets",
          second.num_sets);
}

}  // namespace

RotationMap inverse(const RotationMap& map) {
  validate_map(map);
  RotationMap out = map;
  std::vector<int> order(map.pairs.size());
  std::iota(order.begin(), order.end(), 0);
  const auto first_output = [&](int pair) { return std::min(map.pairs[index(pair)].c, map.pairs[index(pair)].d); };
  std::sort(order.begin(), order.end(), [&](int x, int y) { return first_output(x) < first_output(y); });
  // (c, d) -> (a, b) by -t; where c > d the plane is read as (d, c) -> (b, a), which turns the other way.
  out.pairs.clear();
  for (int pair : order) {
    const ChannelPair& p = map.pairs[index(pair)];
    out.pairs.push_back(p.c > p.d ? ChannelPair{p.d, p.c, p.b, p.a} : ChannelPair{p.c, p.d, p.a, p.b});
  }
  out.frequency.clear();
  for (int set = 0; set < map.num_sets; ++set)
    for (int pair : order)
      for (int axis = 0; axis < map.num_axes; ++axis) {
        const Frequency& f = map.at(set, pair, axis);
        out.frequency.push_back(map.pairs[index(pair)].c > map.pairs[index(pair)].d ? f : negated(f));
      }
  out.pass_to = passed_sources(map);
  out.attention_factor = 1 / map.attention_factor;
  return out;
}

RotationMap slice(const RotationMap& map, int begin, int end) {
  validate_map(map);
  require<std::out_of_range>(begin >= 0 && begin < end && end <= map.channels, "slice",
                             "bounds must satisfy 0 <= begin < end <= channels",
                             std::to_string(begin) + " .. " + std::to_string(end));
  const auto inside = [&](int channel) { return channel >= begin && channel < end; };
  RotationMap out;
  out.channels = end - begin;
  out.num_axes = map.num_axes;
  out.num_sets = map.num_sets;
  out.attention_factor = map.attention_factor;
  std::vector<int> kept;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    const ChannelPair& p = map.pairs[index(i)];
    const int count = inside(p.a) + inside(p.b) + inside(p.c) + inside(p.d);
    require(count == 0 || count == 4, "slice", "a pair and its output must lie on one side of each bound",
            "(" + std::to_string(p.a) + ", " + std::to_string(p.b) + ")");
    if (count == 0) continue;
    kept.push_back(i);
    out.pairs.push_back({p.a - begin, p.b - begin, p.c - begin, p.d - begin});
  }
  for (int set = 0; set < map.num_sets; ++set)
    for (int i : kept)
      for (int axis = 0; axis < map.num_axes; ++axis) out.frequency.push_back(map.at(set, i, axis));
  for (int channel = begin; channel < end; ++channel) {
    const int to = map.pass_to[index(channel)];
    require(to == -1 || inside(to), "slice", "a passed channel must stay within the bounds", to);
    out.pass_to.push_back(to == -1 ? -1 : to - begin);
  }
  validate_map(out);
  return out;
}

RotationMap compose(const RotationMap& first, const RotationMap& second) {
  check_composition(first, second);
  const std::vector<ComposedPair> pairs = composed_pairs(first, second);
  RotationMap out = first;
  out.pairs.clear();
  out.frequency.clear();
  out.attention_factor = first.attention_factor * second.attention_factor;
  for (const ComposedPair& p : pairs) {
    const double other = p.first < 0 ? first.attention_factor : p.second < 0 ? second.attention_factor : 1;
    require(other == 1, "compose", "a plane turned by one map only needs the other map's attention factor to be 1",
            other);
    out.pairs.push_back(p.channels);
  }
  for (int set = 0; set < out.num_sets; ++set)
    for (const ComposedPair& p : pairs)
      for (int axis = 0; axis < out.num_axes; ++axis) {
        const Frequency f = p.first >= 0 ? first.at(set, p.first, axis) : Frequency{};
        const Frequency g = p.second >= 0 ? second.at(set, p.second, axis) : Frequency{};
        out.frequency.push_back(sum(f, p.swapped ? negated(g) : g));
      }
  for (int channel = 0; channel < first.channels; ++channel) {
    const int via = first.pass_to[index(channel)];
    out.pass_to[index(channel)] = via < 0 ? -1 : second.pass_to[index(via)];
  }
  validate_map(out);
  return out;
}

}  // namespace rotary
