#include "rotary/rotation_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "core/double_double.h"
#include "core/ggml_angles.h"
#include "core/pair_slots.h"
#include "core/require.h"
#include "core/scaled_frequencies.h"

namespace rotary {
namespace {

using detail::DoubleDouble;
using detail::require;

bool turns(const RotationMap& map, int set, int pair) {
  for (int axis = 0; axis < map.num_axes; ++axis)
    if (map.at(set, pair, axis).hi != 0) return true;
  return false;
}

bool turns(const RotationMap& map, int pair) {
  for (int set = 0; set < map.num_sets; ++set)
    if (turns(map, set, pair)) return true;
  return false;
}

Frequency to_frequency(DoubleDouble x) { return {x.hi, x.lo}; }

std::vector<Frequency> list_of(const RopeSpec& spec, std::int64_t seq_len, Arithmetic arithmetic) {
  const detail::FrequencyList list{spec.base, detail::list_denominator(spec), detail::list_length(spec), seq_len};
  const double turn = spec.negate_angle ? -spec.angle_multiplier : spec.angle_multiplier;
  std::vector<Frequency> out;
  if (arithmetic == Arithmetic::kExact) {
    for (DoubleDouble f : detail::exact_frequencies(spec.scaling, list))
      out.push_back(to_frequency(f * DoubleDouble{turn, 0}));
  } else {
    const auto values = arithmetic == Arithmetic::kGgml ? detail::ggml_frequencies(spec, seq_len)
                                                        : detail::float32_frequencies(spec.scaling, list);
    for (float f : values) out.push_back({f * static_cast<float>(turn), 0});
  }
  return out;
}

std::vector<Frequency> given_frequencies(const RopeSpec& spec, const GivenFrequencies& given, Arithmetic arithmetic) {
  const double turn = spec.negate_angle ? -spec.angle_multiplier : spec.angle_multiplier;
  std::vector<Frequency> out;
  for (double f : given.frequencies) {
    const double value = f * turn;
    out.push_back({arithmetic == Arithmetic::kExact ? value : static_cast<float>(value), 0});
  }
  return out;
}

// Output channels of the channels in no pair: themselves, unless the pairs write there.
std::vector<int> passed_channels(int channels, const std::vector<ChannelPair>& pairs) {
  std::vector<int> pass(static_cast<std::size_t>(channels));
  std::iota(pass.begin(), pass.end(), 0);
  for (const ChannelPair& p : pairs) pass[static_cast<std::size_t>(p.a)] = pass[static_cast<std::size_t>(p.b)] = -1;
  return pass;
}

void require_map(bool ok, std::string_view must_hold, double got) { require(ok, "validate_map", must_hold, got); }

void check_channels(const RotationMap& map) {
  const auto count = static_cast<std::size_t>(map.channels);
  std::vector<bool> read(count), written(count);
  const auto mark = [&](std::vector<bool>& seen, int channel, std::string_view what) {
    require_map(channel >= 0 && channel < map.channels, std::string(what) + " channels must be in 0 .. channels-1",
                channel);
    require_map(!seen[static_cast<std::size_t>(channel)],
                std::string("a channel must be ") + std::string(what) + " once", channel);
    seen[static_cast<std::size_t>(channel)] = true;
  };
  int previous = -1;
  for (const ChannelPair& p : map.pairs) {
    require_map(p.a < p.b && p.a > previous, "pairs must have a < b and be sorted by a", p.a);
    previous = p.a;
    for (int channel : {p.a, p.b}) mark(read, channel, "read");
    for (int channel : {p.c, p.d}) mark(written, channel, "written");
  }
  for (int channel = 0; channel < map.channels; ++channel) {
    const bool paired = read[static_cast<std::size_t>(channel)];
    const int to = map.pass_to[static_cast<std::size_t>(channel)];
    require_map(paired == (to == -1), "pass_to must be -1 for paired channels and only for them", to);
    if (!paired) mark(written, to, "written");
  }
}

}  // namespace

void validate_map(const RotationMap& map) {
  require_map(map.channels >= 1, "channels must be at least 1", map.channels);
  require_map(map.num_axes >= 1, "num_axes must be at least 1", map.num_axes);
  require_map(map.num_sets >= 1, "num_sets must be at least 1", map.num_sets);
  require(map.pass_to.size() == static_cast<std::size_t>(map.channels), "validate_map",
          "pass_to must have one entry per channel", map.pass_to.size());
  const auto want = static_cast<std::size_t>(map.num_sets) * map.pairs.size() * static_cast<std::size_t>(map.num_axes);
  require(map.frequency.size() == want, "validate_map",
          "frequency must be [num_sets][pairs][num_axes] = " + std::to_string(want), map.frequency.size());
  for (const Frequency& f : map.frequency)
    require_map(std::isfinite(f.hi) && std::isfinite(f.lo), "frequencies must be finite", f.hi);
  require_map(std::isfinite(map.attention_factor) && map.attention_factor > 0,
              "attention_factor must be finite and positive", map.attention_factor);
  check_channels(map);
}

int rotary_dim(const RotationMap& map) {
  int count = 0;
  for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair) count += turns(map, pair) ? 2 : 0;
  return count;
}

int axis_of(const RotationMap& map, int pair) {
  int found = -1;
  for (int set = 0; set < map.num_sets; ++set)
    for (int axis = 0; axis < map.num_axes; ++axis) {
      if (map.at(set, pair, axis).hi == 0 || found == axis) continue;
      if (found >= 0) return -2;
      found = axis;
    }
  return found;
}

RotationMap make_rotation_map(const RopeSpec& spec, std::int64_t seq_len, Arithmetic arithmetic) {
  validate_spec(spec);
  require(seq_len >= 0, "make_rotation_map", "seq_len must not be negative", seq_len);
  const std::vector<detail::PairSlot> slots = detail::pair_slots(spec);
  RotationMap map;
  map.channels = spec.head_dim;
  map.num_axes = spec.axes.num_axes;
  for (const auto& slot : slots) map.pairs.push_back(slot.channels);
  if (const auto* given = std::get_if<GivenFrequencies>(&spec.scaling)) {
    map.num_sets = given->num_sets;
    map.frequency = given_frequencies(spec, *given, arithmetic);
  } else {
    const std::vector<Frequency> list = list_of(spec, seq_len, arithmetic);
    map.frequency.resize(slots.size() * static_cast<std::size_t>(map.num_axes));
    for (std::size_t i = 0; i < slots.size(); ++i)
      map.frequency[i * static_cast<std::size_t>(map.num_axes) + static_cast<std::size_t>(slots[i].axis)] =
          list[static_cast<std::size_t>(slots[i].frequency)];
  }
  map.pass_to = passed_channels(map.channels, map.pairs);
  map.attention_factor = detail::attention_factor(spec.scaling, seq_len);
  return map;
}

RotationMap inverse(const RotationMap& map) {
  validate_map(map);
  RotationMap out = map;
  std::vector<std::size_t> order(map.pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // (c, d) -> (a, b) by -t; where c > d the plane is read as (d, c) -> (b, a), which turns the other way.
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    return std::min(map.pairs[x].c, map.pairs[x].d) < std::min(map.pairs[y].c, map.pairs[y].d);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ChannelPair p = map.pairs[order[i]];
    const bool swapped = p.c > p.d;
    out.pairs[i] = swapped ? ChannelPair{p.d, p.c, p.b, p.a} : ChannelPair{p.c, p.d, p.a, p.b};
    for (int set = 0; set < map.num_sets; ++set)
      for (int axis = 0; axis < map.num_axes; ++axis) {
        const Frequency& f = map.at(set, static_cast<int>(order[i]), axis);
        out.frequency[(static_cast<std::size_t>(set) * order.size() + i) * static_cast<std::size_t>(map.num_axes) +
                      static_cast<std::size_t>(axis)] = swapped ? f : Frequency{-f.hi, -f.lo};
      }
  }
  std::fill(out.pass_to.begin(), out.pass_to.end(), -1);
  for (int channel = 0; channel < map.channels; ++channel)
    if (const int to = map.pass_to[static_cast<std::size_t>(channel)]; to >= 0)
      out.pass_to[static_cast<std::size_t>(to)] = channel;
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
    const ChannelPair& p = map.pairs[static_cast<std::size_t>(i)];
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
    const int to = map.pass_to[static_cast<std::size_t>(channel)];
    require(to == -1 || inside(to), "slice", "a passed channel must stay within the bounds", to);
    out.pass_to.push_back(to == -1 ? -1 : to - begin);
  }
  validate_map(out);
  return out;
}

namespace {

// How a map treats the plane of output channels (c, d): the pair that reads them, turned or not, or nothing.
struct Plane {
  int pair = -1;
  bool swapped = false;
};

Plane plane_of(const RotationMap& map, int c, int d) {
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    const ChannelPair& p = map.pairs[static_cast<std::size_t>(i)];
    if (p.a == c && p.b == d) return {i, false};
    if (p.a == d && p.b == c) return {i, true};
  }
  require(map.pass_to[static_cast<std::size_t>(c)] >= 0 && map.pass_to[static_cast<std::size_t>(d)] >= 0, "compose",
          "every output plane of the first map must be a plane of the second or pass through it", c);
  return {};
}

struct ComposedPair {
  ChannelPair channels;
  int first = -1, second = -1;
  bool swapped = false;  // the second map sees the plane with its ends exchanged
};

}  // namespace

RotationMap compose(const RotationMap& first, const RotationMap& second) {
  validate_map(first);
  validate_map(second);
  require(first.channels == second.channels, "compose", "both maps must have the same number of channels",
          second.channels);
  require(first.num_axes == second.num_axes, "compose", "both maps must have the same number of axes", second.num_axes);
  require(first.num_sets == second.num_sets, "compose", "both maps must have the same number of frequency sets",
          second.num_sets);

  std::vector<ComposedPair> pairs;
  std::vector<bool> used(second.pairs.size());
  for (int i = 0; i < static_cast<int>(first.pairs.size()); ++i) {
    const ChannelPair& p = first.pairs[static_cast<std::size_t>(i)];
    const Plane plane = plane_of(second, p.c, p.d);
    if (plane.pair < 0) {
      pairs.push_back(
          {{p.a, p.b, second.pass_to[static_cast<std::size_t>(p.c)], second.pass_to[static_cast<std::size_t>(p.d)]},
           i,
           -1,
           false});
      continue;
    }
    const ChannelPair& q = second.pairs[static_cast<std::size_t>(plane.pair)];
    used[static_cast<std::size_t>(plane.pair)] = true;
    pairs.push_back({plane.swapped ? ChannelPair{p.a, p.b, q.d, q.c} : ChannelPair{p.a, p.b, q.c, q.d}, i, plane.pair,
                     plane.swapped});
  }
  std::vector<int> source(static_cast<std::size_t>(first.channels), -1);
  for (int channel = 0; channel < first.channels; ++channel)
    if (const int to = first.pass_to[static_cast<std::size_t>(channel)]; to >= 0)
      source[static_cast<std::size_t>(to)] = channel;
  RotationMap out = first;
  out.pairs.clear();
  out.frequency.clear();
  for (std::size_t j = 0; j < second.pairs.size(); ++j) {
    if (used[j]) continue;
    const ChannelPair& q = second.pairs[j];
    const int a = source[static_cast<std::size_t>(q.a)], b = source[static_cast<std::size_t>(q.b)];
    require(a >= 0 && b >= 0, "compose",
            "every plane of the second map must be an output plane of the first or pass through it", q.a);
    const bool swapped = a > b;
    pairs.push_back(
        {swapped ? ChannelPair{b, a, q.d, q.c} : ChannelPair{a, b, q.c, q.d}, -1, static_cast<int>(j), swapped});
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const ComposedPair& x, const ComposedPair& y) { return x.channels.a < y.channels.a; });

  out.attention_factor = first.attention_factor * second.attention_factor;
  for (const ComposedPair& p : pairs) {
    const bool both = p.first >= 0 && p.second >= 0;
    const double other = p.first >= 0 ? second.attention_factor : first.attention_factor;
    require(both || other == 1, "compose",
            "a plane turned by one map only needs the other map's attention factor to be 1", other);
    out.pairs.push_back(p.channels);
  }
  for (int set = 0; set < out.num_sets; ++set)
    for (const ComposedPair& p : pairs)
      for (int axis = 0; axis < out.num_axes; ++axis) {
        const Frequency f = p.first >= 0 ? first.at(set, p.first, axis) : Frequency{};
        const Frequency g = p.second >= 0 ? second.at(set, p.second, axis) : Frequency{};
        const DoubleDouble sum =
            DoubleDouble{f.hi, f.lo} + (p.swapped ? DoubleDouble{-g.hi, -g.lo} : DoubleDouble{g.hi, g.lo});
        out.frequency.push_back(to_frequency(sum));
      }
  for (int channel = 0; channel < first.channels; ++channel) {
    const int via = first.pass_to[static_cast<std::size_t>(channel)];
    out.pass_to[static_cast<std::size_t>(channel)] = via < 0 ? -1 : second.pass_to[static_cast<std::size_t>(via)];
  }
  validate_map(out);
  return out;
}

LengthRule::LengthRule(RopeSpec spec, Arithmetic arithmetic) : spec_(std::move(spec)), arithmetic_(arithmetic) {
  validate_spec(spec_);
}

bool LengthRule::depends_on_length() const { return rotary::depends_on_length(spec_.scaling); }

std::int64_t LengthRule::switch_length() const {
  if (const auto* s = std::get_if<DynamicNtkScaling>(&spec_.scaling))
    return static_cast<std::int64_t>(s->original_max_position);
  if (const auto* s = std::get_if<LongRopeScaling>(&spec_.scaling))
    return static_cast<std::int64_t>(s->original_max_position);
  return 0;
}

RotationMap LengthRule::map(std::int64_t seq_len) const { return make_rotation_map(spec_, seq_len, arithmetic_); }

}  // namespace rotary
