// What a model is trained for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/roformer.h"
#include "text/batches.h"
#include "text/masking.h"

namespace rotary::nn {

using Tokens = std::vector<std::int32_t>;

/// Part of a batch: what one thread reads at a time.
struct MicroBatch {
  Input input;
  torch::Tensor targets;         ///< int64: [batch] classes, or [batch, tokens] with text::kNoLabel where none is asked
  std::int64_t num_tokens = 0;   ///< without padding
  std::int64_t num_targets = 0;  ///< that count in the loss
};

/// What the model says where something is asked.
struct Scored {
  torch::Tensor logits;   ///< [targets, choices]
  torch::Tensor targets;  ///< int64 [targets]
};

class Objective {
 public:
  virtual ~Objective() = default;
  virtual std::span<const std::int64_t> lengths() const = 0;  ///< of the documents, in tokens
  virtual MicroBatch prepare(const text::Batch& crops, std::uint64_t epoch) const = 0;
  virtual Scored score(const Roformer& model, const MicroBatch& batch, const Pass& pass) const = 0;
};

/// Tokens hidden from a classifier in training, so that it does not learn documents by heart.
struct TokenDropout {
  double probability = 0;
  std::int32_t replacement = 0;  ///< what is read in their place: [MASK]
  std::uint64_t seed = 0;
};

/// Cross entropy of the document's class.
class Classification final : public Objective {
 public:
  /// Documents must not be empty.
  Classification(std::vector<Tokens> documents, std::vector<int> classes, const TokenDropout& dropout = {});
  std::span<const std::int64_t> lengths() const override { return lengths_; }
  MicroBatch prepare(const text::Batch& crops, std::uint64_t epoch) const override;
  Scored score(const Roformer& model, const MicroBatch& batch, const Pass& pass) const override;

 private:
  std::vector<Tokens> documents_;
  std::vector<int> classes_;
  TokenDropout dropout_;
  std::vector<std::int64_t> lengths_;
};

/// Cross entropy of the masked tokens (arXiv 1810.04805).
class MaskedLanguageModelling final : public Objective {
 public:
  MaskedLanguageModelling(std::vector<Tokens> documents, const text::MaskOptions& options);
  std::span<const std::int64_t> lengths() const override { return lengths_; }
  MicroBatch prepare(const text::Batch& crops, std::uint64_t epoch) const override;
  Scored score(const Roformer& model, const MicroBatch& batch, const Pass& pass) const override;

 private:
  std::vector<Tokens> documents_;
  text::MaskOptions options_;
  std::vector<std::int64_t> lengths_;
};

/// Sequences as one tensor, padded on the right with token 0; no mask where all are equally long.
Input pad(std::span<const Tokens> sequences);

}  // namespace rotary::nn
