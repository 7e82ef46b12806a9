#include <torch/torch.h>

#include "core/require.h"
#include "nn/encodings/position_encoding.h"
#include "nn/roformer.h"

namespace rotary::nn {

LearnedEncoding::LearnedEncoding(const RoformerConfig& config)
    : weight_(register_parameter("weight", torch::zeros({config.max_position, config.embedding_size}))) {}

torch::Tensor LearnedEncoding::embed(const torch::Tensor& x, std::int64_t first) const {
  detail::require<std::out_of_range>(
      first + x.size(1) <= max_tokens(), "LearnedEncoding::embed",
      "the sequence must fit the table of " + std::to_string(max_tokens()) + " positions", first + x.size(1));
  return x + weight_.narrow(0, first, x.size(1));
}

std::int64_t LearnedEncoding::max_tokens() const { return weight_.size(0); }

}  // namespace rotary::nn
