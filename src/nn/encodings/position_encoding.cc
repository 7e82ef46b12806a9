#include "nn/encodings/position_encoding.h"

#include <limits>

namespace rotary::nn {

torch::Tensor PositionEncoding::embed(const torch::Tensor& x, std::int64_t) const { return x; }
torch::Tensor PositionEncoding::rotate(const torch::Tensor& qkv, std::int64_t, const torch::Tensor&) const {
  return qkv;
}
std::int64_t PositionEncoding::max_tokens() const { return std::numeric_limits<std::int64_t>::max(); }

std::shared_ptr<PositionEncoding> make_encoding(const RoformerConfig& config) {
  switch (config.encoding) {
    case Encoding::kRope: return std::make_shared<RopeEncoding>(config);
    case Encoding::kSinusoidal: return std::make_shared<SinusoidalEncoding>(config);
    case Encoding::kLearned: return std::make_shared<LearnedEncoding>(config);
    case Encoding::kNone: break;
  }
  return std::make_shared<NoEncoding>();
}

}  // namespace rotary::nn
