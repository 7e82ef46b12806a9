#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "rotary/apply.h"

namespace rotary::nn {

/// Rotates the queries and keys of packed projections in place by the project's kernels; backward unrotates.
///
/// \param qkv          [batch, tokens, 3 * heads * head_dim], contiguous and not a view: queries, keys, values
/// \param rotaries     one for all sequences, or one for each
/// \param first        position of the first token
/// \param with_values  the values too (RoFormer's rotary_value: outputs then depend on absolute positions)
/// \return             qkv
torch::Tensor rotate(const torch::Tensor& qkv, const std::vector<Rotary>& rotaries, std::int64_t heads,
                     std::int64_t first = 0, bool with_values = false);

}  // namespace rotary::nn
