#include "nn/roformer.h"

#include <torch/torch.h>

#include <stdexcept>
#include <string>

#include "core/require.h"
#include "nn/linear.h"
#include "nn/row_functions.h"

namespace rotary::nn {

using torch::Tensor;

Roformer::Roformer(const RoformerConfig& config, std::uint64_t seed) : config_(completed(config)) {
  validate_config(config_);
  const std::int64_t d = config_.d_model, e = config_.embedding_size;
  encoding_ = register_module("encoding", make_encoding(config_));
  embedding_ = register_module("embeddings", std::make_shared<TokenEmbedding>(config_));
  if (e != d) embeddings_project_ = register_module("embeddings_project", std::make_shared<Linear>(e, d));
  for (std::int64_t i = 0; i < config_.num_layers; ++i)
    layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<EncoderLayer>(config_)));
  if (config_.norm == NormPlacement::kPre)
    final_norm_ = register_module("final_norm", std::make_shared<ResidualNorm>(d, config_));
  const auto num_labels = static_cast<std::int64_t>(config_.labels.size());
  switch (config_.head) {
    case Head::kNone: break;
    case Head::kMaskedLanguageModel:
      head_dense_ = register_module("head_dense", std::make_shared<Linear>(d, e));
      head_norm_ = register_module("head_norm", std::make_shared<ResidualNorm>(e, config_));
      head_bias_ = register_parameter("head_bias", torch::zeros({config_.vocab_size}));
      break;
    case Head::kFirstTokenClassifier:
      head_dense_ = register_module("head_dense", std::make_shared<Linear>(d, d));
      [[fallthrough]];
    case Head::kPooledClassifier: classifier_ = register_module("classifier", std::make_shared<Linear>(d, num_labels));
  }
  initialize(seed);
}

// Matrices of small models are wider than BERT's 0.02, which would leave their attention flat for hundreds of steps.
void Roformer::initialize(std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  auto generator = torch::make_generator<torch::CPUGeneratorImpl>(seed);
  for (auto& item : named_parameters()) {
    Tensor& weight = item.value();
    const std::string& name = item.key();
    if (weight.dim() < 2 || name == "embeddings.types") continue;
    const bool is_row = name.find("embeddings.") == 0 || name.find("encoding.") == 0 || name.find("classifier") == 0;
    const double in = static_cast<double>(weight.size(1));
    weight.normal_(0, is_row || in >= 512 ? kInitialDeviation : 0.5 / std::sqrt(in), generator);
  }
}

Tensor Roformer::encode(const Input& input, const Pass& pass, Cache* cache) const {
  const std::int64_t first = cache ? cache->tokens : 0;
  detail::require(!input.mask.defined() || (input.mask.size(0) == input.tokens.size(0) &&
                                            input.mask.size(1) == first + input.tokens.size(1)),
                  "Roformer::encode", "the mask must cover all tokens, those in the cache too", input.mask.sizes());
  if (cache) cache->layers.resize(layers_.size());
  const Visibility visibility{config_.is_causal, input.mask};
  Tensor x = embedding_->forward(input.tokens, *encoding_, first, pass);
  if (embeddings_project_) x = embeddings_project_->forward(x, pass);
  for (std::size_t i = 0; i < layers_.size(); ++i)
    x = layers_[i]->forward(x, *encoding_, visibility, cache ? &cache->layers[i] : nullptr, pass);
  if (cache) cache->tokens += input.tokens.size(1);
  return final_norm_ ? final_norm_->forward(x, {}, pass) : x;
}

Tensor Roformer::apply_head(const Tensor& hidden, const Tensor& mask, const Pass& pass) const {
  switch (config_.head) {
    case Head::kNone: break;
    case Head::kMaskedLanguageModel: {
      const Tensor x = head_norm_->forward(nn::gelu(head_dense_->forward(hidden, pass)), {}, pass);
      return linear(x, embedding_->words, head_bias_, pass);
    }
    case Head::kFirstTokenClassifier: {
      const Tensor x = dropout(hidden.select(1, 0), config_.dropout, pass);
      return classifier_->forward(nn::dropout(nn::gelu(head_dense_->forward(x, pass)), config_.dropout, pass), pass);
    }
    case Head::kPooledClassifier:
      return classifier_->forward(dropout(pool(hidden, mask, config_.pooling), config_.dropout, pass), pass);
  }
  throw std::logic_error("Roformer::apply_head: the model must have a head");
}

Tensor Roformer::attention_weights(const Input& input, std::int64_t layer) const {
  const torch::NoGradGuard no_grad;
  const Pass pass;
  const Visibility visibility{config_.is_causal, input.mask};
  Tensor x = embedding_->forward(input.tokens, *encoding_, 0, pass);
  if (embeddings_project_) x = embeddings_project_->forward(x, pass);
  for (std::int64_t i = 0; i < layer; ++i)
    x = layers_[static_cast<std::size_t>(i)]->forward(x, *encoding_, visibility, nullptr, pass);
  return layers_.at(static_cast<std::size_t>(layer))->weights(x, *encoding_, visibility, pass);
}

}  // namespace rotary::nn
