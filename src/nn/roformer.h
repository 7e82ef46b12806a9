// RoFormer: the encoder, and a head on it.
#pragma once

#include <memory>
#include <vector>

#include "nn/modules.h"

namespace rotary::nn {

constexpr double kInitialDeviation = 0.02;  ///< of fresh embeddings, as in BERT

/// What a sequence of calls has left behind, for decoding.
struct Cache {
  std::vector<LayerCache> layers;
  std::int64_t tokens = 0;
};

struct Input {
  torch::Tensor tokens;  ///< int64 [batch, tokens]
  torch::Tensor mask;    ///< bool [batch, tokens], false for padding; undefined: there is none
};

class Roformer final : public torch::nn::Module {
 public:
  /// Fresh weights from the seed, the same on every machine with the same libtorch.
  explicit Roformer(const RoformerConfig& config, std::uint64_t seed = 0);

  const RoformerConfig& config() const { return config_; }

  /// The last hidden states, [batch, tokens, d_model].
  torch::Tensor encode(const Input& input, const Pass& pass, Cache* cache = nullptr) const;

  /// What the head makes of hidden states: [batch, labels] of a classifier, [batch, tokens, vocab_size] of a language
  /// model; throws std::logic_error without a head.
  torch::Tensor apply_head(const torch::Tensor& hidden, const torch::Tensor& mask, const Pass& pass) const;

  /// Attention weights of a layer, [batch, heads, tokens, tokens].
  torch::Tensor attention_weights(const Input& input, std::int64_t layer) const;

  PositionEncoding& encoding() const { return *encoding_; }

 private:
  void initialize(std::uint64_t seed);

  RoformerConfig config_;
  std::shared_ptr<PositionEncoding> encoding_;
  std::shared_ptr<TokenEmbedding> embedding_;
  std::shared_ptr<Linear> embeddings_project_;  // null where the sizes are equal
  std::vector<std::shared_ptr<EncoderLayer>> layers_;
  std::shared_ptr<ResidualNorm> final_norm_;  // pre-norm only
  // Of the language model: dense -> GELU -> norm -> words^T + bias. Of a classifier: dense (first token) and
  // projection.
  std::shared_ptr<Linear> head_dense_, classifier_;
  std::shared_ptr<ResidualNorm> head_norm_;
  torch::Tensor head_bias_;
};

}  // namespace rotary::nn
