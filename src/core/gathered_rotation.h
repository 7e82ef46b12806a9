// The general path: pairs that lie anywhere, or channels that lie apart, are brought together, turned and taken back.
#pragma once

#include "core/rotate_kernels.h"

namespace rotary::detail {

/// Heads of one token. Strides in bytes.
struct TokenHeads {
  const RotationPlan* plan = nullptr;
  DType dtype = DType::kFloat32;
  std::int64_t heads = 0;
  const std::byte* x = nullptr;
  std::byte* out = nullptr;
  std::int64_t x_head = 0, x_channel = 0, out_head = 0, out_channel = 0;
};

/// Bytes that one head takes in the block below.
std::int64_t gathered_bytes(const RotationPlan& plan, DType dtype);

/// \param halves  halves_plan() of the row, for which `row` is arranged
/// \param block   of at least gathered_bytes(); x and out may be the same
void rotate_gathered(const TokenHeads& token, const RotationPlan& halves, const Row& row, std::byte* block,
                     std::int64_t block_bytes) noexcept;

}  // namespace rotary::detail
