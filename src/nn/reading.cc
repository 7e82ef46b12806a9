#include "nn/reading.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/require.h"
#include "nn/workers.h"

namespace rotary::nn {
namespace {

// Activations that stay in a core's own cache, and work for many threads.
constexpr std::int64_t kTokensAtATime = 1024;

struct Piece {
  std::size_t document;
  Tokens tokens;
  double weight;
};

std::vector<Piece> pieces_of(std::span<const Tokens> documents, const text::ExcerptOptions& options) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Tokens nothing = {0};
    const Tokens& tokens = documents[i].empty() ? nothing : documents[i];
    for (const text::Excerpt& excerpt : text::make_excerpts(static_cast<std::int64_t>(tokens.size()), options))
      pieces.push_back({i, text::take_excerpt(tokens, excerpt), excerpt.weight});
  }
  // Longest first: little padding, and the largest batch comes first.
  std::ranges::stable_sort(pieces, std::ranges::greater(), [](const Piece& piece) { return piece.tokens.size(); });
  return pieces;
}

// [begin, end) of pieces whose padded tokens are few enough to be read at once.
std::vector<std::pair<std::size_t, std::size_t>> groups_of(const std::vector<Piece>& pieces) {
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  for (std::size_t begin = 0; begin < pieces.size();) {
    const std::size_t most = std::max<std::size_t>(1, kTokensAtATime / pieces[begin].tokens.size());
    const std::size_t end = std::min(pieces.size(), begin + most);
    groups.emplace_back(begin, end);
    begin = end;
  }
  return groups;
}

}  // namespace

std::vector<std::vector<float>> classify(const Roformer& model, std::span<const Tokens> documents,
                                         const ReadingOptions& options) {
  const std::size_t labels = model.config().labels.size();
  detail::require(labels > 0, "classify", "the model must be a classifier", "one without labels");
  std::vector<Piece> pieces = pieces_of(documents, options.excerpts);
  const auto groups = groups_of(pieces);
  std::vector<torch::Tensor> logits(groups.size());
  run_tasks(options.num_threads, static_cast<std::int64_t>(groups.size()), [&](std::int64_t task) {
    const torch::NoGradGuard no_grad;
    const auto [begin, end] = groups[static_cast<std::size_t>(task)];
    std::vector<Tokens> sequences;
    for (std::size_t i = begin; i < end; ++i) sequences.push_back(pieces[i].tokens);
    const Input input = pad(sequences);
    const Pass pass{options.precision};
    logits[static_cast<std::size_t>(task)] = model.apply_head(model.encode(input, pass), input.mask, pass).contiguous();
  });
  std::vector<std::vector<double>> sums(documents.size(), std::vector<double>(labels));
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t i = groups[g].first; i < groups[g].second; ++i)
      for (std::size_t c = 0; c < labels; ++c)
        sums[pieces[i].document][c] +=
            pieces[i].weight * static_cast<double>(logits[g].data_ptr<float>()[(i - groups[g].first) * labels + c]);
  std::vector<std::vector<float>> out;
  for (const auto& sum : sums) {
    for (const double x : sum)
      if (!std::isfinite(x))
        throw std::runtime_error("document " + std::to_string(out.size() + 1) +
                                 ": the model's outputs must be finite, got " + std::to_string(x) +
                                 "; its weights may be damaged");
    const double highest = *std::ranges::max_element(sum);
    double total = 0;
    for (const double x : sum) total += std::exp(x - highest);
    out.emplace_back();
    for (const double x : sum) out.back().push_back(static_cast<float>(std::exp(x - highest) / total));
  }
  return out;
}

int most_likely(std::span<const float> probabilities) {
  return static_cast<int>(std::ranges::max_element(probabilities) - probabilities.begin());
}

}  // namespace rotary::nn
