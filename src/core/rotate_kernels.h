// The SIMD kernels behind one table per target, chosen once at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cos_sin_kernels.h"
#include "core/rotation_plan.h"
#include "rotary/tensor.h"

namespace rotary::detail {

constexpr int kNumDTypes = 4;

/// cos and sin of one token as a kernel wants them; null for a token that is not turned at all.
struct Row {
  const void *first, *second;
};

/// Where a tensor comes from, by its size.
enum class Distance { kNear, kSharedCache, kMemory };

/// Head vectors of some tokens, all in unit channel stride. Strides in bytes.
struct Tile {
  const RotationPlan* plan = nullptr;
  const Row* rows = nullptr;  ///< [tokens]
  std::int64_t tokens = 0, heads = 0;
  const std::byte* x = nullptr;
  std::byte* out = nullptr;
  std::int64_t x_token = 0, x_head = 0, out_token = 0, out_head = 0;
  bool fetch_ahead = true;  ///< not for little data: it has just been computed, and is near
  Distance distance = Distance::kNear;
  bool stream = false;  ///< around the caches: heads of out are whole cache lines, of kMaxStagedBytes at most
};

/// Tokens that a kernel turns at once if they come from afar; a tile should be a multiple of it.
constexpr std::int64_t kTracks = 8;

/// Bytes of a head that a kernel can hold back when it moves channels in place.
constexpr std::int64_t kMaxStagedBytes = 4096;

/// Turns a tile. x and out are the same or do not overlap; rows without a turn need a plan that `stays`.
using RotateTile = void (*)(const Tile& tile) noexcept;

/// Arranges a row of cos and sin [pairs] (float, or double for float64 data) for a kernel, in `out` of 4 * pairs
/// numbers, where `row` is then.
using ArrangeRow = void (*)(const RotationPlan& plan, Row& row, void* out) noexcept;

/// Puts a row together from the rows of every axis: out[i] = rows[axis[i]][i] for cos [pairs] and for sin behind it.
using CombineRows = void (*)(std::span<const std::int32_t> axis, std::span<const float* const> rows,
                             float* out) noexcept;

/// Copies without leaving the copy in the caches; call fence() after the last one.
using StreamCopy = void (*)(std::byte* out, const std::byte* x, std::size_t bytes) noexcept;

struct Kernels {
  const char* target;
  RotateTile rotate[kNumDTypes][kNumPairLayouts];
  ArrangeRow arrange[kNumDTypes][kNumPairLayouts];  ///< null where the kernel takes cos and sin as they are
  CombineRows combine;
  CosSinKernels cos_sin;
  StreamCopy stream;
  void (*fence)() noexcept;
};

/// The kernels in use.
const Kernels& kernels();

/// For tests: the targets that were compiled and that this CPU has, best first; and a choice among them by name (any
/// case). Empty for the default. Returns false for a name that is not among them.
std::vector<std::string> available_targets();
bool choose_target(std::string_view name);

}  // namespace rotary::detail
