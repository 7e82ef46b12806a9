#include "nn/modules.h"

#include <torch/torch.h>

#include <limits>

#include "nn/linear.h"
#include "nn/row_functions.h"

namespace rotary::nn {

using torch::Tensor;

Linear::Linear(std::int64_t in, std::int64_t out)
    : weight(register_parameter("weight", torch::zeros({out, in}))),
      bias(register_parameter("bias", torch::zeros({out}))) {}

Tensor Linear::forward(const Tensor& x, const Pass& pass) const { return linear(x, weight, bias, pass); }

ResidualNorm::ResidualNorm(std::int64_t channels, const RoformerConfig& config)
    : weight(register_parameter("weight", torch::ones({channels}))),
      bias(register_parameter("bias", torch::zeros({channels}))),
      epsilon_(config.norm_epsilon),
      dropout_(config.dropout) {}

Tensor ResidualNorm::forward(const Tensor& x, const Tensor& update, const Pass& pass) const {
  return with_sum(x, update, pass).second;
}

std::pair<Tensor, Tensor> ResidualNorm::with_sum(const Tensor& x, const Tensor& update, const Pass& pass) const {
  const NormOutput out = residual_norm(x, update, weight, bias, epsilon_, update.defined() ? dropout_ : 0, pass);
  return {out.sum, out.normal};
}

TokenEmbedding::TokenEmbedding(const RoformerConfig& config)
    : words(register_parameter("words", torch::zeros({config.vocab_size, config.embedding_size}))),
      types_(register_parameter("types", torch::zeros({config.type_vocab_size, config.embedding_size}))),
      norm_(register_module("norm", std::make_shared<ResidualNorm>(config.embedding_size, config))),
      dropout_(config.dropout) {}

Tensor TokenEmbedding::forward(const Tensor& tokens, const PositionEncoding& encoding, std::int64_t first,
                               const Pass& pass) const {
  // A sparse gradient: a batch touches few of the words.
  const Tensor x = torch::embedding(words, tokens, -1, false, true) + types_.select(0, 0);
  return dropout(norm_->forward(encoding.embed(x, first), {}, pass), dropout_, pass);
}

SelfAttention::SelfAttention(const RoformerConfig& config)
    : heads_(config.num_heads),
      qkv_(register_module("qkv", std::make_shared<Linear>(config.d_model, 3 * config.d_model))),
      output_(register_module("output", std::make_shared<Linear>(config.d_model, config.d_model))) {}

Tensor SelfAttention::rotated(const Tensor& x, const PositionEncoding& encoding, std::int64_t first, const Tensor& mask,
                              const Pass& pass) const {
  const Tensor qkv = encoding.rotate(qkv_->forward(x, pass), first, mask);
  return qkv.view({x.size(0), x.size(1), 3, heads_, -1});
}

Tensor SelfAttention::forward(const Tensor& x, const PositionEncoding& encoding, const Visibility& visibility,
                              LayerCache* cache, const Pass& pass) const {
  Tensor mixed;
  if (!cache) {
    mixed = attend(rotated(x, encoding, 0, visibility.key_mask, pass), visibility, pass);
  } else {
    const std::int64_t first = cache->keys.defined() ? cache->keys.size(1) : 0;
    const Tensor qkv = rotated(x, encoding, first, visibility.key_mask, pass);
    const auto extended = [&](const Tensor& old, std::int64_t which) {
      const Tensor more = qkv.select(2, which);
      return old.defined() ? torch::cat({old, more}, 1) : more;
    };
    cache->keys = extended(cache->keys, 1);
    cache->values = extended(cache->values, 2);
    mixed = attend_cached(qkv.select(2, 0), cache->keys, cache->values, visibility, pass);
  }
  return output_->forward(mixed.reshape(x.sizes()), pass);
}

Tensor SelfAttention::weights(const Tensor& x, const PositionEncoding& encoding, const Visibility& visibility,
                              const Pass& pass) const {
  const Tensor qkv = rotated(x, encoding, 0, visibility.key_mask, pass);
  return attention_weights(qkv.select(2, 0), qkv.select(2, 1), visibility);
}

FeedForward::FeedForward(const RoformerConfig& config)
    : in_(register_module("in", std::make_shared<Linear>(config.d_model, config.d_feed_forward))),
      out_(register_module("out", std::make_shared<Linear>(config.d_feed_forward, config.d_model))) {}

Tensor FeedForward::forward(const Tensor& x, const Pass& pass) const {
  return out_->forward(nn::gelu(in_->forward(x, pass)), pass);
}

EncoderLayer::EncoderLayer(const RoformerConfig& config)
    : norm_(config.norm),
      attention_(register_module("attention", std::make_shared<SelfAttention>(config))),
      feed_forward_(register_module("feed_forward", std::make_shared<FeedForward>(config))),
      attention_norm_(register_module("attention_norm", std::make_shared<ResidualNorm>(config.d_model, config))),
      feed_forward_norm_(register_module("feed_forward_norm", std::make_shared<ResidualNorm>(config.d_model, config))),
      dropout_(config.dropout) {}

Tensor EncoderLayer::forward(const Tensor& x, const PositionEncoding& encoding, const Visibility& visibility,
                             LayerCache* cache, const Pass& pass) const {
  if (norm_ == NormPlacement::kPost) {
    const Tensor mixed = attention_norm_->forward(x, attention_->forward(x, encoding, visibility, cache, pass), pass);
    return feed_forward_norm_->forward(mixed, feed_forward_->forward(mixed, pass), pass);
  }
  const Tensor normal = attention_norm_->forward(x, {}, pass);
  const auto [sum, mixed] =
      feed_forward_norm_->with_sum(x, attention_->forward(normal, encoding, visibility, cache, pass), pass);
  return sum + dropout(feed_forward_->forward(mixed, pass), dropout_, pass);
}

Tensor EncoderLayer::weights(const Tensor& x, const PositionEncoding& encoding, const Visibility& visibility,
                             const Pass& pass) const {
  const Tensor in = norm_ == NormPlacement::kPost ? x : attention_norm_->forward(x, {}, pass);
  return attention_->weights(in, encoding, visibility, pass);
}

Tensor pool(const Tensor& x, const Tensor& mask, Pooling pooling) {
  if (pooling == Pooling::kFirst) {
    if (!mask.defined()) return x.select(1, 0);
    const Tensor first = mask.to(torch::kInt64).argmax(1);  // the first token that is not padding
    return x.gather(1, first.view({-1, 1, 1}).expand({-1, 1, x.size(2)})).squeeze(1);
  }
  if (!mask.defined()) return pooling == Pooling::kMean ? x.mean(1) : std::get<0>(x.max(1));
  const Tensor kept = mask.unsqueeze(-1);
  if (pooling == Pooling::kMax)
    return std::get<0>(x.masked_fill(~kept, -std::numeric_limits<double>::infinity()).max(1));
  const Tensor counted = kept.to(x.scalar_type());
  return (x * counted).sum(1) / counted.sum(1).clamp_min(1);
}

}  // namespace rotary::nn
