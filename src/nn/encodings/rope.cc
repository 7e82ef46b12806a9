#include <algorithm>
#include <limits>
#include <map>

#include "nn/encodings/position_encoding.h"
#include "nn/rotate.h"

namespace rotary::nn {
namespace {

constexpr std::int64_t kTableRows = 8192;  // positions beyond are computed as they come

Rotary make_rotary(const RoformerConfig& config) { return Rotary(rope_spec(config), kTableRows, Arithmetic::kExact); }

// How far each sequence reaches: to the last token that is not padding.
std::vector<std::int64_t> lengths_of(const torch::Tensor& mask, std::int64_t batch, std::int64_t padded) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(batch), padded);
  if (!mask.defined()) return out;
  const torch::Tensor kept = mask.contiguous();
  for (std::int64_t i = 0; i < batch; ++i) {
    const bool* row = kept.data_ptr<bool>() + i * padded;
    std::int64_t& length = out[static_cast<std::size_t>(i)];
    while (length > 1 && !row[length - 1]) --length;
  }
  return out;
}

// What a document gets must not depend on the ones that are read beside it: each sequence has its own length.
std::vector<Rotary> rotaries_of(const RoformerConfig& config, const std::vector<std::int64_t>& lengths) {
  const std::int64_t rows = *std::max_element(lengths.begin(), lengths.end());
  std::map<std::int64_t, Rotary> made;
  std::vector<Rotary> out;
  for (const std::int64_t length : lengths)
    out.push_back(made.try_emplace(length, rope_spec(config), rows, Arithmetic::kExact, length).first->second);
  return out;
}

}  // namespace

RopeEncoding::RopeEncoding(const RoformerConfig& config) : config_(config), rotary_{make_rotary(config)} {}

torch::Tensor RopeEncoding::rotate(const torch::Tensor& qkv, std::int64_t first, const torch::Tensor& mask) const {
  const bool by_length = !given_ && depends_on_length(make_scaling(config_.scaling)) && qkv.size(0) > 0;
  return nn::rotate(qkv, by_length ? rotaries_of(config_, lengths_of(mask, qkv.size(0), first + qkv.size(1))) : rotary_,
                    config_.num_heads, first, config_.rotates_values);
}

std::int64_t RopeEncoding::max_tokens() const {
  return given_ ? given_->num_rows() : std::numeric_limits<std::int64_t>::max();
}

void RopeEncoding::use(const CosSinTable& table) {
  given_ = table;
  rotary_ = {Rotary(rotary_[0].map(), table)};
}

CosSinTable RopeEncoding::formula(std::int64_t rows) const {
  return CosSinTable::by_position(rope_spec(config_), rows, Arithmetic::kExact);
}

void RopeEncoding::rescale(const ScalingChoice& scaling) {
  config_.scaling = scaling;
  given_.reset();
  rotary_ = {make_rotary(config_)};
}

}  // namespace rotary::nn
