// rotary logits: a checkpoint run on given tokens.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <span>
#include <stdexcept>

#include "cli/classifier_folder.h"
#include "cli/commands.h"
#include "cli/option_checks.h"
#include "nn/objective.h"
#include "rotary/formats/safetensors.h"

namespace rotary::cli {
namespace {

using torch::Tensor;

struct Request {
  std::string model, input, output;
  std::int64_t prefill = 0, generate = 0;
  bool recompute_table = false;
};

Tensor read_tensor(const SafetensorsFile& file, const std::string& name) {
  const std::vector<std::int64_t> values = file.read_int64(name);
  const auto& shape = file.at(name).shape;
  if (shape.size() != 2) throw std::runtime_error(file.path() + ": tensor " + name + " must be [batch, seq]");
  return torch::tensor(values, torch::kInt64).reshape(shape);
}

nn::Input read_input(const std::string& path, const nn::RoformerConfig& config) {
  const SafetensorsFile file(path);
  nn::Input input{read_tensor(file, "input_ids"), {}};
  if (input.tokens.numel() == 0) throw std::runtime_error(path + ": tensor input_ids must not be empty");
  const auto [least, most] = torch::aminmax(input.tokens);
  if (least.item<std::int64_t>() < 0 || most.item<std::int64_t>() >= config.vocab_size)
    throw std::runtime_error(path + ": tensor input_ids must be 0 .. " + std::to_string(config.vocab_size - 1) +
                             ", got " + std::to_string(least.item<std::int64_t>()) + " .. " +
                             std::to_string(most.item<std::int64_t>()));
  if (file.find("attention_mask")) {
    input.mask = read_tensor(file, "attention_mask") != 0;
    if (input.mask.sizes() != input.tokens.sizes())
      throw std::runtime_error(path + ": tensor attention_mask must have the shape of input_ids");
  }
  return input;
}

// The first tokens at once, the others one by one.
Tensor hidden_stepwise(const nn::Roformer& model, const Tensor& tokens, std::int64_t prefill, nn::Cache& cache) {
  std::vector<Tensor> parts = {model.encode({tokens.narrow(1, 0, prefill), {}}, {}, &cache)};
  for (std::int64_t t = prefill; t < tokens.size(1); ++t)
    parts.push_back(model.encode({tokens.narrow(1, t, 1), {}}, {}, &cache));
  return torch::cat(parts, 1);
}

// Greedily, from the last hidden state on.
Tensor generate(const nn::Roformer& model, Tensor hidden, std::int64_t count, nn::Cache& cache) {
  std::vector<Tensor> ids;
  while (static_cast<std::int64_t>(ids.size()) < count) {
    ids.push_back(model.apply_head(hidden.narrow(1, hidden.size(1) - 1, 1), {}, {}).argmax(-1));
    if (static_cast<std::int64_t>(ids.size()) < count) hidden = model.encode({ids.back(), {}}, {}, &cache);
  }
  return torch::cat(ids, 1);
}

void validate(const Request& request, const nn::RoformerConfig& config, const nn::Input& input) {
  if (request.prefill == 0 && request.generate == 0) return;
  if (!config.is_causal) throw std::runtime_error("logits: --prefill and --generate need a causal model");
  if (input.mask.defined()) throw std::runtime_error("logits: --prefill and --generate take no attention_mask");
  if (request.prefill > input.tokens.size(1))
    throw std::runtime_error("logits: --prefill must be at most the length " + std::to_string(input.tokens.size(1)) +
                             ", got " + std::to_string(request.prefill));
  if (request.generate > 0 && config.head != nn::Head::kMaskedLanguageModel)
    throw std::runtime_error("logits: --generate needs a language model");
}

void run(const Request& request) {
  const torch::NoGradGuard no_grad;
  const std::shared_ptr<nn::Roformer> opened = open_model(request.model, {request.recompute_table});
  const nn::Roformer& model = *opened;
  const nn::Input input = read_input(request.input, model.config());
  validate(request, model.config(), input);
  nn::Cache cache;
  const std::int64_t prefill = request.prefill > 0 ? request.prefill : input.tokens.size(1);
  const bool stepwise = request.prefill > 0 || request.generate > 0;
  const Tensor hidden = stepwise ? hidden_stepwise(model, input.tokens, prefill, cache) : model.encode(input, {});
  std::vector<std::pair<std::string, Tensor>> out = {{"hidden_last", hidden.contiguous()}};
  if (model.config().head != nn::Head::kNone)
    out.emplace_back("logits", model.apply_head(hidden, input.mask, {}).contiguous());
  if (request.generate > 0)
    out.emplace_back("generated_ids", generate(model, hidden, request.generate, cache).contiguous());
  std::vector<StoredTensor> stored;
  for (const auto& [name, tensor] : out) {
    const bool whole = tensor.scalar_type() == torch::kInt64;
    stored.push_back({name,
                      whole ? StoredDType::kInt64 : StoredDType::kFloat32,
                      tensor.sizes().vec(),
                      {static_cast<const std::byte*>(tensor.data_ptr()), tensor.nbytes()}});
  }
  write_safetensors(request.output, stored);
}

}  // namespace

void add_logits(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* logits = app.add_subcommand("logits", "Run a checkpoint on given tokens");
  logits->add_option("model", request->model, "Hugging Face folder of a RoFormer")->check(not_empty())->required();
  logits
      ->add_option("--input", request->input,
                   "safetensors: input_ids int64 [batch, seq]; attention_mask int64 [batch, seq] if there is padding")
      ->required();
  logits
      ->add_option("--output", request->output,
                   "safetensors: hidden_last [batch, seq, d_model], logits [batch, seq, vocab] or [batch, labels]")
      ->required();
  logits->add_option("--prefill", request->prefill, "this many tokens at once, the others one by one with the cache")
      ->check(whole_number(1, 1 << 24));
  logits->add_option("--generate", request->generate, "greedy continuation with the cache: generated_ids [batch, N]")
      ->check(whole_number(1, 1 << 24));
  logits->add_flag("--recompute-table", request->recompute_table,
                   "exact sines and cosines in place of the table in a RoFormer checkpoint");
  logits->callback([request] { run(*request); });
}

}  // namespace rotary::cli
