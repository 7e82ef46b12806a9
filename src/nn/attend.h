#pragma once

#include <torch/types.h>

#include "nn/pass.h"

namespace rotary::nn {

/// Who may be attended to.
struct Visibility {
  bool causal = false;     ///< a query sees the keys up to its own position; the last query has the last key
  torch::Tensor key_mask;  ///< bool [batch, keys], false hides; undefined: all are seen
};

/// Scaled dot-product -> masked softmax -> weighted sum of the values, with gradients: softmax(q k^T / sqrt(head_dim))
/// v. A query that sees no key gets zero.
///
/// \param qkv  [batch, tokens, 3, heads, head_dim]: queries and keys, rotated, and values
/// \return     [batch, tokens, heads, head_dim]
///
/// Scores are made block by block and again in the backward pass; memory does not grow with tokens^2. In double, for
/// gradient checks, the same is composed of libtorch's operations.
torch::Tensor attend(const torch::Tensor& qkv, const Visibility& visibility, const Pass& pass);

/// The same without gradients, of queries [batch, queries, heads, head_dim] over the keys and values of a cache,
/// [batch, keys, heads, head_dim] each.
torch::Tensor attend_cached(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                            const Visibility& visibility, const Pass& pass);

/// The weights themselves, [batch, heads, queries, keys]: for looking at.
torch::Tensor attention_weights(const torch::Tensor& q, const torch::Tensor& k, const Visibility& visibility);

}  // namespace rotary::nn
