#include "core/pair_slots.h"

#include <algorithm>

namespace rotary::detail {
namespace {

bool has_own_lists(AxisRule rule) {
  return rule == AxisRule::kAxialBlocks || rule == AxisRule::kAxialAlternating || rule == AxisRule::kAxialParts;
}

// Channels of pair i among `pairs` pairs, relative to their slice.
std::pair<int, int> ends(Pairing pairing, int i, int pairs) {
  return pairing == Pairing::kHalf ? std::pair{i, i + pairs} : std::pair{2 * i, 2 * i + 1};
}

int band_of(const std::vector<int>& sections, int i) {
  int band = 0;
  for (int end = 0; band < static_cast<int>(sections.size()); ++band) {
    end += sections[static_cast<std::size_t>(band)];
    if (i < end) break;
  }
  return band;
}

struct Turn {
  int axis, frequency;
};

Turn turn_of(const AxisLayout& axes, int i, int pairs) {
  const int n = axes.num_axes, block = pairs / n;
  const auto ordered = [&](int j) {
    return axes.axis_order.empty() ? j : axes.axis_order[static_cast<std::size_t>(j)];
  };
  switch (axes.rule) {
    case AxisRule::kOne: return {0, i};
    case AxisRule::kSections: return {band_of(axes.sections, i) % n, i};
    case AxisRule::kInterleavedSections: {
      const int axis = i % 3;
      return {axis != 0 && i < 3 * axes.sections[static_cast<std::size_t>(axis)] ? axis : 0, i};
    }
    case AxisRule::kAlternatingHeightWidth: return {i < axes.sections[0] + axes.sections[1] ? 1 + i % 2 : 0, i};
    case AxisRule::kAlternating: return {ordered(i % n), i};
    case AxisRule::kAxialBlocks:
    case AxisRule::kAxialParts: return {ordered(i / block), i % block};
    case AxisRule::kAxialAlternating: return {ordered(i % n), i / n};
    case AxisRule::kAxialSplit: return {ordered(i / block), i % block * n + i / block};
  }
  return {0, i};
}

}  // namespace

int list_length(const RopeSpec& spec) {
  const int pairs = spec.rotary_dim / 2;
  return has_own_lists(spec.axes.rule) ? pairs / spec.axes.num_axes : pairs;
}

int list_denominator(const RopeSpec& spec) {
  return spec.frequency_dim > 0 ? spec.frequency_dim : 2 * list_length(spec);
}

std::vector<PairSlot> pair_slots(const RopeSpec& spec) {
  const int pairs = spec.rotary_dim / 2;
  const int part_pairs = spec.axes.rule == AxisRule::kAxialParts ? pairs / spec.axes.num_axes : pairs;
  std::vector<PairSlot> slots;
  slots.reserve(static_cast<std::size_t>(pairs));
  for (int i = 0; i < pairs; ++i) {
    const int start = spec.rotary_offset + i / part_pairs * part_pairs * 2;
    const auto [a, b] = ends(spec.pairing, i % part_pairs, part_pairs);
    const auto [c, d] = ends(spec.output_pairing, i % part_pairs, part_pairs);
    const Turn turn = turn_of(spec.axes, i, pairs);
    slots.push_back({{start + a, start + b, start + c, start + d}, turn.axis, turn.frequency});
  }
  std::sort(slots.begin(), slots.end(),
            [](const PairSlot& x, const PairSlot& y) { return x.channels.a < y.channels.a; });
  return slots;
}

}  // namespace rotary::detail
