#pragma once

#include <torch/types.h>

#include "nn/pass.h"

namespace rotary::nn {

/// x weight^T + bias, with gradients; products of float32 go through src/matmul in the pass's precision, anything else
/// (double, for gradient checks) through libtorch.
///
/// \param x       [..., in]
/// \param weight  [out, in], as torch::nn::Linear has it
/// \param bias    [out], or undefined
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, const Pass& pass);

}  // namespace rotary::nn
