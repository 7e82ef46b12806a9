#include <limits>

#include "nn/encodings/position_encoding.h"
#include "nn/rotate.h"

namespace rotary::nn {
namespace {

constexpr std::int64_t kTableRows = 8192;  // positions beyond are computed as they come

std::shared_ptr<const Rotary> make_rotary(const RoformerConfig& config, std::int64_t seq_len) {
  return std::make_shared<const Rotary>(rope_spec(config), kTableRows, Arithmetic::kExact, seq_len);
}

}  // namespace

RopeEncoding::RopeEncoding(const RoformerConfig& config)
    : config_(config), rotary_(make_rotary(config, 0)), given_rows_(std::numeric_limits<std::int64_t>::max()) {}

torch::Tensor RopeEncoding::rotate(const torch::Tensor& qkv, std::int64_t first) const {
  const Scaling scaling = make_scaling(config_.scaling);
  const std::int64_t end = first + qkv.size(1);
  const Rotary rotary = depends_on_length(scaling) ? *make_rotary(config_, end) : *rotary_;
  return nn::rotate(qkv, rotary, config_.num_heads, first, config_.rotates_values);
}

void RopeEncoding::use(const CosSinTable& table) {
  rotary_ = std::make_shared<const Rotary>(rotary_->map(), table);
  given_rows_ = table.num_rows();
}

CosSinTable RopeEncoding::formula(std::int64_t rows) const {
  return CosSinTable::by_position(rope_spec(config_), rows, Arithmetic::kExact);
}

void RopeEncoding::rescale(const ScalingChoice& scaling) {
  config_.scaling = scaling;
  rotary_ = make_rotary(config_, 0);
  given_rows_ = std::numeric_limits<std::int64_t>::max();
}

}  // namespace rotary::nn
