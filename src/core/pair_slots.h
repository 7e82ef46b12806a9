// Where each pair of a spec sits: its channels, the axis that turns it and its place in the list of frequencies.
#pragma once

#include <vector>

#include "rotary/rotation_map.h"

namespace rotary::detail {

struct PairSlot {
  ChannelPair channels;  // of the head, slice offset included
  int axis = 0;
  int frequency = 0;  // index in the list
};

/// Frequencies in one list: all pairs, or the pairs of one axis where every axis has its own list.
int list_length(const RopeSpec& spec);

/// Denominator of the exponent in that list.
int list_denominator(const RopeSpec& spec);

/// One slot per pair, sorted by the first channel. Requires a valid spec.
std::vector<PairSlot> pair_slots(const RopeSpec& spec);

}  // namespace rotary::detail
