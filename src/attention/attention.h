// Scaled dot-product attention of queries over keys and values that are rotated already, and its gradients.
#pragma once

#include <cstdint>

#include "matmul/matmul.h"
#include "rotary/tensor.h"

namespace rotary {

struct AttentionOptions {
  double softmax_scale = 0;         ///< multiplies q.k; 0 stands for 1/sqrt(head_dim)
  bool causal = false;              ///< query t sees the keys 0 .. num_keys - num_queries + t
  const float* key_bias = nullptr;  ///< [batch][num_keys], added to every query's scores; -inf hides a key
  MatmulPrecision precision = MatmulPrecision::kFloat32;
};

/// out[t] = sum over s of p[t, s] v[s], where p[t, .] = softmax over s of (softmax_scale q[t].k[s] + key_bias[s]).
///
/// \param q           float32 [batch][queries][heads][head_dim], channels of unit stride; so are the others
/// \param k, v        float32 [batch][keys][heads][head_dim]
/// \param out         as q; overlaps nothing
/// \param log_sum_exp [batch][heads][queries]: of the scaled and biased scores, for the gradients; +inf where no key is
///                    seen, whose out is zero
///
/// Runs on the calling thread. A block of scores at a time, never all of them: 1 MB of scratch whatever the length.
/// Throws std::invalid_argument where shapes, strides or dtypes do not fit.
void attention_forward(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v,
                       const TensorView& out, float* log_sum_exp, const AttentionOptions& options);

struct AttentionGradients {
  TensorView q, k, v;  ///< as the inputs; overwritten
};

/// Gradients of sum(grad_out * out). `out` and `log_sum_exp` are what attention_forward() gave for the same inputs.
void attention_backward(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v,
                        const ConstTensorView& out, const float* log_sum_exp, const ConstTensorView& grad_out,
                        const AttentionGradients& gradients, const AttentionOptions& options);

}  // namespace rotary
