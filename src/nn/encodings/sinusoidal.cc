#include <torch/torch.h>

#include <cmath>

#include "nn/encodings/position_encoding.h"
#include "nn/roformer.h"

namespace rotary::nn {

SinusoidalEncoding::SinusoidalEncoding(const RoformerConfig& config) : channels_(config.embedding_size) {}

torch::Tensor SinusoidalEncoding::embed(const torch::Tensor& x, std::int64_t first) const {
  const auto wide = torch::TensorOptions(torch::kFloat64);
  const torch::Tensor channel = torch::arange(0, channels_, 2, wide);
  const torch::Tensor inv_freq = torch::pow(10000.0, channel / -static_cast<double>(channels_));
  const torch::Tensor angle = torch::outer(torch::arange(first, first + x.size(1), wide), inv_freq);
  const torch::Tensor table = torch::stack({angle.sin(), angle.cos()}, -1).flatten(1).narrow(1, 0, channels_);
  // The mean square of a sine is 1/2, that of a fresh embedding kInitialDeviation^2.
  return x + (table * (kInitialDeviation * std::sqrt(2.0))).to(x.scalar_type());
}

}  // namespace rotary::nn
