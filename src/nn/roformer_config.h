// What a RoFormer is made of, as its config.json says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nn/scaling_choice.h"
#include "rotary/spec.h"

namespace rotary::nn {

enum class Encoding { kRope, kSinusoidal, kLearned, kNone };
enum class Pooling { kMean, kFirst, kMax };  ///< over the tokens that are not padding
enum class NormPlacement { kPost, kPre };    ///< LayerNorm after the residual (the paper), or before each block

enum class Head {
  kNone,
  kMaskedLanguageModel,   ///< transformers' cls.predictions, tied to the embeddings; causal with is_causal
  kFirstTokenClassifier,  ///< transformers' RoFormerForSequenceClassification
  kPooledClassifier,      ///< global pooling -> dropout -> linear
};

std::string_view to_string(Encoding encoding);
std::string_view to_string(Pooling pooling);
std::string_view to_string(NormPlacement placement);
/// Throw std::invalid_argument that lists the names. Pooling::kFirst is "cls".
Encoding parse_encoding(std::string_view name);
Pooling parse_pooling(std::string_view name);
NormPlacement parse_norm_placement(std::string_view name);

/// Defaults are those of the RoFormer paper; sizes those of a model that two cores train in minutes.
struct RoformerConfig {
  std::int64_t vocab_size = 0;
  std::int64_t d_model = 64;
  std::int64_t embedding_size = 0;  ///< 0: d_model; otherwise a projection follows the embedding
  std::int64_t num_layers = 2, num_heads = 2;
  std::int64_t d_feed_forward = 0;  ///< 0: 4 d_model
  std::int64_t type_vocab_size = 2;
  std::int64_t max_position = 1536;  ///< rows of a learned table; elsewhere a statement, not a limit
  double norm_epsilon = 1e-12;
  double dropout = 0.1;  ///< of the embeddings, each residual branch and the pooled vector; none inside attention
  Encoding encoding = Encoding::kRope;
  Pairing pairing = Pairing::kInterleaved;
  double base = 10000;
  ScalingChoice scaling;
  bool rotates_values = false;
  bool is_causal = false;
  NormPlacement norm = NormPlacement::kPost;
  Head head = Head::kNone;
  Pooling pooling = Pooling::kMean;
  std::vector<std::string> labels;

  std::int64_t head_dim() const { return d_model / num_heads; }
};

/// The rotation of one head.
RopeSpec rope_spec(const RoformerConfig& config);

/// Fills in what is zero (embedding_size, d_feed_forward).
RoformerConfig completed(RoformerConfig config);

/// Throws std::invalid_argument naming the field, what must hold and what came.
void validate_config(const RoformerConfig& config);

/// Of a Hugging Face folder's config.json (model_type roformer), or of what to_json() wrote. `name` stands for the file
/// in messages: std::runtime_error naming file and key.
RoformerConfig parse_config(std::string_view text, const std::string& name);

/// config.json. What transformers' RoFormerModel can express is written as its model_type roformer; anything else
/// (another encoding or scaling, pre-norm) as rotary-encoder, so that nobody loads it as something else.
std::string to_json(const RoformerConfig& config);

}  // namespace rotary::nn
