// The canonical form of a map and its 64-bit fingerprint.
#include <algorithm>
#include <bit>

#include "core/canonical.h"

namespace rotary {
namespace detail {
namespace {

bool never_turns(const RotationMap& map, int pair) { return axis_of(map, pair) == -1; }

}  // namespace

RotationMap canonical(const RotationMap& map) {
  RotationMap out;
  out.channels = map.channels;
  out.num_axes = map.num_axes;
  out.num_sets = map.num_sets;
  out.pass_to = map.pass_to;
  out.attention_factor = map.attention_factor;
  std::vector<int> kept;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    const ChannelPair& p = map.pairs[static_cast<std::size_t>(i)];
    // With a factor a still pair is no plain copy, so it stays.
    if (never_turns(map, i) && map.attention_factor == 1) {
      out.pass_to[static_cast<std::size_t>(p.a)] = p.c;
      out.pass_to[static_cast<std::size_t>(p.b)] = p.d;
    } else {
      kept.push_back(i);
      out.pairs.push_back(p);
    }
  }
  for (int set = 0; set < map.num_sets; ++set)
    for (int i : kept)
      for (int axis = 0; axis < map.num_axes; ++axis) {
        const Frequency& f = map.at(set, i, axis);
        out.frequency.push_back({f.hi + 0.0, f.lo + 0.0});  // -0 becomes 0
      }
  return out;
}

}  // namespace detail

namespace {

class Fnv1a {
 public:
  void add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ ^= (value >> (8 * byte)) & 0xff;
      hash_ *= 0x100000001b3u;
    }
  }
  void add(int value) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace

std::uint64_t fingerprint(const RotationMap& map) {
  validate_map(map);
  const RotationMap form = detail::canonical(map);
  Fnv1a hash;
  for (int count : {form.channels, form.num_axes, form.num_sets, static_cast<int>(form.pairs.size())}) hash.add(count);
  for (const ChannelPair& p : form.pairs)
    for (int channel : {p.a, p.b, p.c, p.d}) hash.add(channel);
  for (const Frequency& f : form.frequency) {
    hash.add(f.hi);
    hash.add(f.lo);
  }
  for (int to : form.pass_to) hash.add(to);
  hash.add(form.attention_factor);
  return hash.value();
}

}  // namespace rotary
