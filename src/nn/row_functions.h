// The steps between the products, with gradients. float32 runs in one pass over memory each; anything else (double, for
// gradient checks) is composed of libtorch's operations, which is what they mean.
#pragma once

#include <torch/types.h>

#include "nn/pass.h"

namespace rotary::nn {

/// In training, each element is zero with probability p, else divided by 1 - p; the masks follow the pass's seed.
torch::Tensor dropout(const torch::Tensor& x, double p, const Pass& pass);

/// x Phi(x), exact GELU to 2e-7 (1 + |x|).
torch::Tensor gelu(const torch::Tensor& x);

struct NormOutput {
  torch::Tensor sum;     ///< x + dropout(update)
  torch::Tensor normal;  ///< LayerNorm of the sum
};

/// Residual and LayerNorm over the last axis. `update` undefined: the norm of x alone.
///
/// \param x, update     [..., channels]
/// \param weight, bias  [channels]
NormOutput residual_norm(const torch::Tensor& x, const torch::Tensor& update, const torch::Tensor& weight,
                         const torch::Tensor& bias, double epsilon, double p, const Pass& pass);

}  // namespace rotary::nn
