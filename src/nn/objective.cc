#include "nn/objective.h"

#include <torch/torch.h>

#include <algorithm>

#include "core/require.h"
#include "text/random.h"

namespace rotary::nn {
namespace {

using torch::Tensor;

constexpr std::int64_t kLengthStep = 8;  // few lengths, so that the products' primitives are made once

std::vector<std::int64_t> lengths_of(const std::vector<Tokens>& documents) {
  std::vector<std::int64_t> lengths;
  for (const Tokens& document : documents) lengths.push_back(static_cast<std::int64_t>(document.size()));
  return lengths;
}

Tokens cut(const std::vector<Tokens>& documents, const text::Crop& crop) {
  const auto begin = documents[static_cast<std::size_t>(crop.document)].begin() + crop.begin;
  return Tokens(begin, begin + crop.length);
}

void drop_tokens(Tokens& tokens, const TokenDropout& dropout, std::uint64_t epoch, std::uint64_t document) {
  if (dropout.probability <= 0) return;
  text::Random random(dropout.seed, {text::kDropTokens, epoch, document});
  for (std::int32_t& token : tokens)
    if (random.uniform() < dropout.probability) token = dropout.replacement;
}

std::int64_t count_tokens(const text::Batch& crops) {
  std::int64_t count = 0;
  for (const text::Crop& crop : crops) count += crop.length;
  return count;
}

}  // namespace

Input pad(std::span<const Tokens> sequences) {
  std::size_t longest = 1, shortest = sequences.empty() ? 0 : sequences[0].size();
  for (const Tokens& sequence : sequences) {
    longest = std::max(longest, sequence.size());
    shortest = std::min(shortest, sequence.size());
  }
  const std::int64_t rows = static_cast<std::int64_t>(sequences.size());
  const std::int64_t width = (static_cast<std::int64_t>(longest) + kLengthStep - 1) / kLengthStep * kLengthStep;
  Input input{torch::zeros({rows, width}, torch::kInt64), {}};
  for (std::int64_t r = 0; r < rows; ++r)
    std::copy(sequences[static_cast<std::size_t>(r)].begin(), sequences[static_cast<std::size_t>(r)].end(),
              input.tokens.data_ptr<std::int64_t>() + r * width);
  if (static_cast<std::int64_t>(shortest) == width) return input;
  input.mask = torch::zeros({rows, width}, torch::kBool);
  for (std::int64_t r = 0; r < rows; ++r)
    std::fill_n(input.mask.data_ptr<bool>() + r * width, sequences[static_cast<std::size_t>(r)].size(), true);
  return input;
}

Classification::Classification(std::vector<Tokens> documents, std::vector<int> classes, const TokenDropout& dropout)
    : documents_(std::move(documents)),
      classes_(std::move(classes)),
      dropout_(dropout),
      lengths_(lengths_of(documents_)) {
  detail::require(documents_.size() == classes_.size(), "Classification", "classes must be one for each document",
                  classes_.size());
}

MicroBatch Classification::prepare(const text::Batch& crops, std::uint64_t epoch) const {
  std::vector<Tokens> sequences;
  std::vector<std::int64_t> targets;
  for (const text::Crop& crop : crops) {
    sequences.push_back(cut(documents_, crop));
    drop_tokens(sequences.back(), dropout_, epoch, static_cast<std::uint64_t>(crop.document));
    targets.push_back(classes_[static_cast<std::size_t>(crop.document)]);
  }
  return {pad(sequences), torch::tensor(targets, torch::kInt64), count_tokens(crops),
          static_cast<std::int64_t>(crops.size())};
}

Scored Classification::score(const Roformer& model, const MicroBatch& batch, const Pass& pass) const {
  const Tensor hidden = model.encode(batch.input, pass);
  return {model.apply_head(hidden, batch.input.mask, pass), batch.targets};
}

MaskedLanguageModelling::MaskedLanguageModelling(std::vector<Tokens> documents, const text::MaskOptions& options)
    : documents_(std::move(documents)), options_(options), lengths_(lengths_of(documents_)) {}

MicroBatch MaskedLanguageModelling::prepare(const text::Batch& crops, std::uint64_t epoch) const {
  std::vector<Tokens> sequences;
  std::vector<std::vector<std::int64_t>> labels;
  MicroBatch batch;
  for (const text::Crop& crop : crops) {
    auto masked = text::mask_tokens(cut(documents_, crop), epoch, static_cast<std::uint64_t>(crop.document), options_);
    batch.num_targets += std::ranges::count_if(masked.labels, [](std::int64_t l) { return l != text::kNoLabel; });
    sequences.push_back(std::move(masked.tokens));
    labels.push_back(std::move(masked.labels));
  }
  batch.input = pad(sequences);
  batch.num_tokens = count_tokens(crops);
  batch.targets = torch::full(batch.input.tokens.sizes(), text::kNoLabel, torch::kInt64);
  for (std::size_t r = 0; r < labels.size(); ++r)
    std::copy(labels[r].begin(), labels[r].end(),
              batch.targets.data_ptr<std::int64_t>() + static_cast<std::int64_t>(r) * batch.targets.size(1));
  return batch;
}

Scored MaskedLanguageModelling::score(const Roformer& model, const MicroBatch& batch, const Pass& pass) const {
  const Tensor hidden = model.encode(batch.input, pass);
  // The head is wide: only where something is asked.
  const Tensor asked = (batch.targets != text::kNoLabel).flatten().nonzero().squeeze(1);
  const Tensor chosen = hidden.flatten(0, 1).index_select(0, asked);
  return {model.apply_head(chosen, {}, pass), batch.targets.flatten().index_select(0, asked)};
}

}  // namespace rotary::nn
