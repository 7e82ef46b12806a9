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

// Channels seen so far, each of which may come once. The messages are literals: this runs for every table.
class Channels {
 public:
  Channels(int count, std::string_view range, std::string_view once)
      : seen_(static_cast<std::size_t>(count)), range_(range), once_(once) {}

  void mark(int channel) {
    require_map(channel >= 0 && channel < static_cast<int>(seen_.size()), range_, channel);
    require_map(!seen_[static_cast<std::size_t>(channel)], once_, channel);
    seen_[static_cast<std::size_t>(channel)] = true;
  }
  bool has(int channel) const { return seen_[static_cast<std::size_t>(channel)]; }

 private:
  std::vector<bool> seen_;
  std::string_view range_, once_;
};

void check_channels(const RotationMap& map) {
  Channels read(map.channels, "read channels must be in 0 .. channels-1", "a channel must be read once");
  Channels written(map.channels, "written channels must be in 0 .. channels-1", "a channel must be written once");
  int previous = -1;
  for (const ChannelPair& p : map.pairs) {
    require_map(p.a < p.b && p.a > previous, "pairs must have a < b and be sorted by a", p.a);
    previous = p.a;
    for (int channel : {p.a, p.b}) read.mark(channel);
    for (int channel : {p.c, p.d}) written.mark(channel);
  }
  for (int channel = 0; channel < map.channels; ++channel) {
    const int to = map.pass_to[static_cast<std::size_t>(channel)];
    require_map(read.has(channel) == (to == -1), "pass_to must be -1 for paired channels and only for them", to);
    if (!read.has(channel)) written.mark(to);
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
  if (map.frequency.size() != want)
    require(false, "validate_map", "frequency must be [num_sets][pairs][num_axes] = " + std::to_string(want),
            map.frequency.size());
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

LengthRule::LengthRule(RopeSpec spec, Arithmetic arithmetic) : spec_(std::move(spec)), arithmetic_(arithmetic) {
  validate_spec(spec_);
}

bool LengthRule::depends_on_length() const { return rotary::depends_on_length(spec_.scaling); }

std::int64_t LengthRule::switch_length() const {
  const auto whole = [](double length) { return static_cast<std::int64_t>(std::min(length, 0x1p62)); };
  if (const auto* s = std::get_if<DynamicNtkScaling>(&spec_.scaling)) return whole(s->original_max_position);
  if (const auto* s = std::get_if<LongRopeScaling>(&spec_.scaling)) return whole(s->original_max_position);
  return 0;
}

RotationMap LengthRule::map(std::int64_t seq_len) const { return make_rotation_map(spec_, seq_len, arithmetic_); }

}  // namespace rotary
