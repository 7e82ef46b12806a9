// What tells a model where its tokens are: one interface, one file for each encoding.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nn/roformer_config.h"
#include "rotary/apply.h"

namespace rotary::nn {

class PositionEncoding : public torch::nn::Module {
 public:
  /// Adds what belongs to the embeddings.
  /// \param x      [batch, tokens, embedding_size]
  /// \param first  position of the first token
  virtual torch::Tensor embed(const torch::Tensor& x, std::int64_t first) const;

  /// Turns what belongs to queries and keys, in place.
  /// \param qkv    [batch, tokens, 3 * heads * head_dim], as rotate() takes it
  /// \param first  position of the first token
  /// \param mask   bool [batch, first + tokens], false for padding; undefined: there is none
  virtual torch::Tensor rotate(const torch::Tensor& qkv, std::int64_t first, const torch::Tensor& mask) const;

  /// Longest sequence that it can place; none by default.
  virtual std::int64_t max_tokens() const;
};

/// RoPE, arXiv 2104.09864: queries and keys turn, nothing is added.
class RopeEncoding final : public PositionEncoding {
 public:
  explicit RopeEncoding(const RoformerConfig& config);
  /// A scaling that depends on the length takes each sequence's own, without its padding.
  torch::Tensor rotate(const torch::Tensor& qkv, std::int64_t first, const torch::Tensor& mask) const override;
  std::int64_t max_tokens() const override;

  /// Turns by a table that came with a checkpoint instead of by the formula.
  void use(const CosSinTable& table);
  const std::optional<CosSinTable>& given_table() const { return given_; }
  /// cos and sin as the formula has them, for as many positions.
  CosSinTable formula(std::int64_t rows) const;
  /// Another scaling, without training.
  void rescale(const ScalingChoice& scaling);

 private:
  RoformerConfig config_;
  std::optional<CosSinTable> given_;
  std::vector<Rotary> rotary_;  // one
};

/// Vaswani et al. 2017, scaled to the size of fresh embeddings: at amplitude 1 it would drown them.
class SinusoidalEncoding final : public PositionEncoding {
 public:
  explicit SinusoidalEncoding(const RoformerConfig& config);
  torch::Tensor embed(const torch::Tensor& x, std::int64_t first) const override;

 private:
  std::int64_t channels_;
};

/// A trained row for each position, as BERT has it.
class LearnedEncoding final : public PositionEncoding {
 public:
  explicit LearnedEncoding(const RoformerConfig& config);
  torch::Tensor embed(const torch::Tensor& x, std::int64_t first) const override;
  std::int64_t max_tokens() const override;

 private:
  torch::Tensor weight_;  // [max_position, embedding_size]
};

/// Nothing: the model sees a bag of tokens.
class NoEncoding final : public PositionEncoding {};

std::shared_ptr<PositionEncoding> make_encoding(const RoformerConfig& config);

}  // namespace rotary::nn
