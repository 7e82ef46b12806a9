// Small models of every kind, and how far tensors are apart.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "nn/roformer.h"

namespace rotary::testing {

using torch::Tensor;

inline nn::RoformerConfig small_config(nn::Head head = nn::Head::kPooledClassifier) {
  nn::RoformerConfig config;
  config.vocab_size = 13;
  config.d_model = 8;
  config.num_layers = config.num_heads = 2;
  config.d_feed_forward = 12;
  config.max_position = 16;
  config.dropout = 0;
  config.norm_epsilon = 1e-5;
  config.head = head;
  if (head == nn::Head::kPooledClassifier || head == nn::Head::kFirstTokenClassifier) config.labels = {"a", "b", "c"};
  return config;
}

/// One model and what makes it another.
struct ModelCase {
  std::string name;
  nn::RoformerConfig config;
  friend void PrintTo(const ModelCase& x, std::ostream* out) { *out << x.name; }
};

/// Every encoding, head, pooling and placement of norms.
inline std::vector<ModelCase> model_cases() {
  using nn::Head;
  std::vector<ModelCase> out;
  const auto add = [&](const char* name, Head head, const auto& change) {
    out.push_back({name, small_config(head)});
    change(out.back().config);
  };
  const Head pooled = Head::kPooledClassifier;
  add("rope_interleaved", pooled, [](auto&) {});
  add("rope_half", pooled, [](auto& c) { c.pairing = Pairing::kHalf; });
  add("rope_of_another_base", pooled, [](auto& c) { c.base = 100; });
  add("rope_scaled", pooled, [](auto& c) { c.scaling = {"yarn", 2, 8}; });
  add("rope_scaled_by_length", pooled, [](auto& c) { c.scaling = {"dynamic", 2, 3}; });
  add("rotary_value", pooled, [](auto& c) { c.rotates_values = true; });
  add("sinusoidal", pooled, [](auto& c) { c.encoding = nn::Encoding::kSinusoidal; });
  add("learned", pooled, [](auto& c) { c.encoding = nn::Encoding::kLearned; });
  add("no_encoding", pooled, [](auto& c) { c.encoding = nn::Encoding::kNone; });
  add("first_token_pooled", pooled, [](auto& c) { c.pooling = nn::Pooling::kFirst; });
  add("maximum_pooled", pooled, [](auto& c) { c.pooling = nn::Pooling::kMax; });
  add("pre_norm", pooled, [](auto& c) { c.norm = nn::NormPlacement::kPre; });
  add("pre_norm_half", pooled, [](auto& c) {
    c.norm = nn::NormPlacement::kPre;
    c.pairing = Pairing::kHalf;
  });
  add("causal", pooled, [](auto& c) { c.is_causal = true; });
  add("projected_embedding", pooled, [](auto& c) { c.embedding_size = 6; });
  add("first_token_classifier", Head::kFirstTokenClassifier, [](auto&) {});
  add("masked_language_model", Head::kMaskedLanguageModel, [](auto& c) { c.embedding_size = 6; });
  add("causal_language_model", Head::kMaskedLanguageModel, [](auto& c) { c.is_causal = true; });
  add("headless", Head::kNone, [](auto&) {});
  return out;
}

inline std::string model_name(const ::testing::TestParamInfo<ModelCase>& info) { return info.param.name; }

/// A model whose every parameter is drawn, biases and norms too.
inline std::shared_ptr<nn::Roformer> drawn_model(const nn::RoformerConfig& config, std::uint64_t seed = 1) {
  auto model = std::make_shared<nn::Roformer>(config, seed);
  const torch::NoGradGuard no_grad;
  auto generator = torch::make_generator<torch::CPUGeneratorImpl>(seed);
  for (auto& item : model->named_parameters()) {
    item.value().normal_(0, 0.4, generator);
    if (item.key().find("norm.weight") != std::string::npos) item.value().add_(1);
  }
  return model;
}

/// Tokens 1 .. vocab_size - 1.
inline Tensor drawn_tokens(std::int64_t batch, std::int64_t tokens, std::int64_t vocab_size, std::uint64_t seed = 3) {
  auto generator = torch::make_generator<torch::CPUGeneratorImpl>(seed);
  return torch::randint(1, vocab_size, {batch, tokens}, generator, torch::TensorOptions(torch::kInt64));
}

/// [2, 6], of which the second sequence's last two tokens and the first one's first are padding.
inline nn::Input drawn_input(bool masked, std::int64_t vocab_size = 13) {
  nn::Input input{drawn_tokens(2, 6, vocab_size), {}};
  if (!masked) return input;
  input.mask = torch::ones({2, 6}, torch::kBool);
  input.mask[1].narrow(0, 4, 2).fill_(false);
  input.mask[0].narrow(0, 0, 1).fill_(false);
  return input;
}

/// What a model says: logits, or hidden states without a head.
inline Tensor say(const nn::Roformer& model, const nn::Input& input, const nn::Pass& pass = {}) {
  const Tensor hidden = model.encode(input, pass);
  return model.config().head == nn::Head::kNone ? hidden : model.apply_head(hidden, input.mask, pass);
}

/// The largest |a - b|; infinity where one is not a number or shapes differ.
inline double gap(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes()) return std::numeric_limits<double>::infinity();
  if (a.numel() == 0) return 0;
  const double d = (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item<double>();
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

inline double largest(const Tensor& x) { return x.numel() == 0 ? 0 : x.abs().max().item<double>(); }

/// All weights in one row, to compare bits.
inline Tensor all_weights(const nn::Roformer& model) {
  std::vector<Tensor> parts;
  for (const Tensor& x : model.parameters()) parts.push_back(x.detach().flatten().clone());
  return torch::cat(parts);
}

}  // namespace rotary::testing
