// A rotation map laid out for the kernels: which stretches of channels are turned, and which are copied.
#pragma once

#include <vector>

#include "rotary/rotation_map.h"

namespace rotary::detail {

/// How the pairs of a run lie in a vector: both ends in stretches of their own, or beside each other.
enum class PairLayout { kHalf, kInterleaved, kInterleavedToHalf, kHalfToInterleaved };
constexpr int kNumPairLayouts = 4;

/// Pairs first .. first + count - 1 of the row: inputs start at channels x0 and x1, outputs at y0 and y1.
struct Run {
  int x0, x1, y0, y1, first, count;
};

struct Copy {
  int from, to, count;
};

/// One pair: input channels, output channels, place in the row.
struct PlannedPair {
  int x0, x1, y0, y1, row;
};

struct RotationPlan {
  int channels = 0;
  int row_pairs = 0;  ///< pairs of a row, the ones that never turn included
  PairLayout layout = PairLayout::kHalf;
  bool regular = true;                   ///< `runs` in `layout` say all; otherwise use `pairs`
  bool stays = true;                     ///< every channel is written where it was read
  bool copies_stay = true;               ///< every channel that passes is
  int turned_begin = 0, turned_end = 0;  ///< input channels that hold all pairs that turn
  std::vector<Run> runs;
  std::vector<Copy> copies;        ///< channels that pass
  std::vector<PlannedPair> pairs;  ///< the pairs that turn
};

enum class PlanUse {
  kForward,    ///< (a, b) -> (c, d)
  kBackward,   ///< (c, d) -> (a, b)
  kOnOutputs,  ///< (c, d) -> (c, d)
};

/// \param drop_still  pairs whose frequency is zero everywhere pass, bit for bit
RotationPlan make_plan(const RotationMap& map, PlanUse use, bool drop_still);

/// A plan for vectors that hold the pairs of a row in halves: x0 of every pair, then x1.
RotationPlan halves_plan(int row_pairs);

}  // namespace rotary::detail
