// The steps of a RoFormer, one module each. Parameters carry the names that transformers' RoFormer checkpoints have,
// except that the projections to queries, keys and values are one.
#pragma once

#include <torch/nn/module.h>

#include "nn/attend.h"
#include "nn/encodings/position_encoding.h"
#include "nn/pass.h"
#include "nn/roformer_config.h"

namespace rotary::nn {

/// x weight^T + bias.
class Linear final : public torch::nn::Module {
 public:
  Linear(std::int64_t in, std::int64_t out);
  torch::Tensor forward(const torch::Tensor& x, const Pass& pass) const;

  torch::Tensor weight;  ///< [out, in]
  torch::Tensor bias;    ///< [out]
};

/// Dropout -> residual -> LayerNorm.
class ResidualNorm final : public torch::nn::Module {
 public:
  explicit ResidualNorm(std::int64_t channels, const RoformerConfig& config);
  /// LayerNorm(x + dropout(update)); an undefined update leaves x.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& update, const Pass& pass) const;
  /// The sum too, which pre-norm hands on.
  std::pair<torch::Tensor, torch::Tensor> with_sum(const torch::Tensor& x, const torch::Tensor& update,
                                                   const Pass& pass) const;

  torch::Tensor weight, bias;  ///< [channels]

 private:
  double epsilon_, dropout_;
};

/// tokens [batch, tokens] -> [batch, tokens, embedding_size] -> [batch, tokens, d_model]
class TokenEmbedding final : public torch::nn::Module {
 public:
  explicit TokenEmbedding(const RoformerConfig& config);
  /// \param first  position of the first token
  torch::Tensor forward(const torch::Tensor& tokens, const PositionEncoding& encoding, std::int64_t first,
                        const Pass& pass) const;

  torch::Tensor words;  ///< [vocab_size, embedding_size]

 private:
  torch::Tensor types_;  // [type_vocab_size, embedding_size]; all tokens are of type 0
  std::shared_ptr<ResidualNorm> norm_;
  double dropout_;
};

/// Rotated keys and values of the tokens so far, [batch, tokens, heads, head_dim]: for decoding one token after
/// another.
struct LayerCache {
  torch::Tensor keys, values;
};

/// Q, K, V projections -> heads -> rotation of Q and K -> scaled dot-product -> masked softmax -> weighted sum of V ->
/// output projection.
class SelfAttention final : public torch::nn::Module {
 public:
  explicit SelfAttention(const RoformerConfig& config);
  /// x [batch, tokens, d_model] -> the same shape. With a cache, x is what follows it.
  torch::Tensor forward(const torch::Tensor& x, const PositionEncoding& encoding, const Visibility& visibility,
                        LayerCache* cache, const Pass& pass) const;
  /// Attention weights, [batch, heads, tokens, tokens].
  torch::Tensor weights(const torch::Tensor& x, const PositionEncoding& encoding, const Visibility& visibility,
                        const Pass& pass) const;

 private:
  torch::Tensor rotated(const torch::Tensor& x, const PositionEncoding& encoding, std::int64_t first,
                        const torch::Tensor& mask, const Pass& pass) const;  // [batch, tokens, 3, heads, head_dim]

  std::int64_t heads_;
  std::shared_ptr<Linear> qkv_, output_;
};

/// Linear -> GELU -> linear.
class FeedForward final : public torch::nn::Module {
 public:
  explicit FeedForward(const RoformerConfig& config);
  torch::Tensor forward(const torch::Tensor& x, const Pass& pass) const;

 private:
  std::shared_ptr<Linear> in_, out_;
};

/// Attention and feed-forward, each with its residual and norm.
class EncoderLayer final : public torch::nn::Module {
 public:
  explicit EncoderLayer(const RoformerConfig& config);
  torch::Tensor forward(const torch::Tensor& x, const PositionEncoding& encoding, const Visibility& visibility,
                        LayerCache* cache, const Pass& pass) const;
  torch::Tensor weights(const torch::Tensor& x, const PositionEncoding& encoding, const Visibility& visibility,
                        const Pass& pass) const;

 private:
  NormPlacement norm_;
  std::shared_ptr<SelfAttention> attention_;
  std::shared_ptr<FeedForward> feed_forward_;
  std::shared_ptr<ResidualNorm> attention_norm_, feed_forward_norm_;
  double dropout_;
};

/// Masked global pooling: [batch, tokens, d_model] -> [batch, d_model].
/// \param mask  bool [batch, tokens], or undefined
torch::Tensor pool(const torch::Tensor& x, const torch::Tensor& mask, Pooling pooling);

}  // namespace rotary::nn
