// One pass over the tokens of a call: rows made tile by tile, every tensor turned while they are in the cache.
#pragma once

#include <span>

#include "core/rotation_plan.h"
#include "core/row_source.h"
#include "core/token_positions.h"
#include "rotary/apply.h"

namespace rotary::detail {

/// What is turned; in place where both are the same memory.
struct PassTensor {
  ConstTensorView x;
  TensorView out;
  bool in_place = false;
};

/// All checked. The tensors share batch and tokens.
struct RotationPass {
  const RotationPlan* plan = nullptr;
  const RotationPlan* halves = nullptr;  ///< halves_plan() of the row
  const RowSource* rows = nullptr;
  const PositionSource* positions = nullptr;
  std::span<const PassTensor> tensors;
  std::int64_t batch = 0, tokens = 0;
};

void run_pass(const RotationPass& pass, const ApplyOptions& options);

}  // namespace rotary::detail
