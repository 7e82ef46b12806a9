// The positions of the tokens of a call.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "rotary/version.h"

namespace rotary {

/// first, first + 1, ... in every sequence.
struct PositionRange {
  std::int64_t first = 0;
};

/// Sequence b starts at offsets[b]: offsets[b], offsets[b] + 1, ...  [batch]
struct PositionOffsets {
  std::span<const std::int64_t> offsets;
};

/// A position of its own for every token (and axis): [num_axes][batch][tokens], or [num_axes][tokens] for all sequences
/// alike. Negative and (double) fractional positions are fine; the shape is decided by `per_sequence`, never by sizes.
/// With one axis of ids and a map of several, the id counts on every axis.
struct PositionIds {
  std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>, std::span<const double>> ids;
  int num_axes = 1;
  bool per_sequence = false;
};

/// Packed sequences in a tensor of batch 1: sequence j is tokens cu_seqlens[j] .. cu_seqlens[j+1]-1, at 0, 1, ... (plus
/// offsets[j]).
struct PackedSequences {
  std::span<const std::int32_t> cu_seqlens;  ///< [num_sequences + 1], 0 ... total tokens, not falling
  std::span<const std::int64_t> offsets;     ///< [num_sequences] or empty
};

using Positions = std::variant<PositionRange, PositionOffsets, PositionIds, PackedSequences>;

}  // namespace rotary
