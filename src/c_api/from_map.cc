// rotary_map -> RotationMap -> rotation.
#include <memory>
#include <utility>

#include "c_api/guard.h"
#include "c_api/handle.h"
#include "c_api/structs.h"

namespace rotary::c_api {
namespace {

using detail::require;
constexpr std::string_view kFunction = "rotary_rotation_from_map";
constexpr int kMostChannels = 1 << 20;
constexpr int kMostAxes = 64;

void require_sizes(const rotary_map& m) {
  require(m.channels >= 1 && m.channels <= kMostChannels, kFunction, "map.channels must be in 1 .. 2^20", m.channels);
  require(m.num_axes >= 1 && m.num_axes <= kMostAxes, kFunction, "map.num_axes must be in 1 .. 64", m.num_axes);
  require(m.num_sets >= 1 && m.num_sets <= kMostChannels, kFunction, "map.num_sets must be in 1 .. 2^20", m.num_sets);
  require(m.num_pairs >= 0 && m.num_pairs <= m.channels / 2, kFunction, "map.num_pairs must be in 0 .. channels / 2",
          m.num_pairs);
  if (m.num_pairs == 0) return;
  require(m.pairs != nullptr, kFunction, "map.pairs must not be null", "null");
  require(m.frequency != nullptr, kFunction, "map.frequency must not be null", "null");
}

// Channels in no pair stay where they are.
std::vector<int> unpaired(const rotary_map& m) {
  std::vector<int> pass(static_cast<std::size_t>(m.channels));
  for (int channel = 0; channel < m.channels; ++channel) pass[static_cast<std::size_t>(channel)] = channel;
  for (int i = 0; i < m.num_pairs; ++i)
    for (int channel : {m.pairs[i].a, m.pairs[i].b})
      if (channel >= 0 && channel < m.channels) pass[static_cast<std::size_t>(channel)] = -1;
  return pass;
}

RotationMap to_map(const rotary_map& m) {
  require_sizes(m);
  RotationMap map;
  map.channels = m.channels;
  map.num_axes = m.num_axes;
  map.num_sets = m.num_sets;
  map.attention_factor = m.attention_factor;
  for (int i = 0; i < m.num_pairs; ++i) map.pairs.push_back({m.pairs[i].a, m.pairs[i].b, m.pairs[i].c, m.pairs[i].d});
  const auto count = static_cast<std::size_t>(m.num_sets) * map.pairs.size() * static_cast<std::size_t>(m.num_axes);
  map.frequency.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    map.frequency[i] = {m.frequency[i], m.frequency_low == nullptr ? 0 : m.frequency_low[i]};
  map.pass_to = m.pass_to == nullptr ? unpaired(m) : std::vector<int>(m.pass_to, m.pass_to + m.channels);
  return map;
}

}  // namespace
}  // namespace rotary::c_api

using namespace rotary::c_api;

rotary_status rotary_rotation_from_map(const rotary_map* map, const rotary_rotation_options* options,
                                       rotary_rotation** rotation) {
  return guard([&] {
    clear(rotation, kFunction);
    rotary_map room;
    const rotary_map& given = read_struct(map, room, &rotary_map::attention_factor, kFunction, "map");
    const MakeOptions make = to_make_options(options, kFunction);
    *rotation =
        std::make_unique<rotary_rotation>(rotary::Rotary(to_map(given), make.table_rows, make.arithmetic)).release();
  });
}
