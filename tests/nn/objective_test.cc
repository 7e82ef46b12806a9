// What models are asked: padded batches, classes, masked tokens.
#include "nn/objective.h"

#include <gtest/gtest.h>

#include "nn/models.h"

namespace rotary::testing {
namespace {

TEST(Padding, GoesToTheRightAndIsMasked) {
  const std::vector<nn::Tokens> sequences = {{5, 6, 7}, {8}};
  const nn::Input input = nn::pad(sequences);
  ASSERT_EQ(input.tokens.sizes(), (std::vector<std::int64_t>{2, 8}));
  EXPECT_TRUE(torch::equal(input.mask.sum(1), torch::tensor({3, 1}, torch::kInt64)));
  EXPECT_EQ(input.tokens[0][2].item<int>(), 7);
  EXPECT_EQ(input.tokens[1].sum().item<int>(), 8);
  const std::vector<nn::Tokens> equal = {nn::Tokens(8, 1), nn::Tokens(8, 2)};
  EXPECT_FALSE(nn::pad(equal).mask.defined());
}

text::Batch whole(std::span<const std::int64_t> lengths) {
  text::Batch out;
  for (std::size_t i = 0; i < lengths.size(); ++i) out.push_back({static_cast<std::int64_t>(i), 0, lengths[i]});
  return out;
}

TEST(ClassificationBatch, HoldsTheCropsAndTheirClasses) {
  const nn::Classification objective({{5, 6, 7, 8}, {9, 10}}, {2, 1});
  EXPECT_EQ(std::vector<std::int64_t>(objective.lengths().begin(), objective.lengths().end()),
            (std::vector<std::int64_t>{4, 2}));
  const nn::MicroBatch batch = objective.prepare({{1, 0, 2}, {0, 1, 3}}, 0);
  EXPECT_TRUE(torch::equal(batch.targets, torch::tensor({1, 2}, torch::kInt64)));
  EXPECT_TRUE(torch::equal(batch.input.tokens[1].narrow(0, 0, 3), torch::tensor({6, 7, 8}, torch::kInt64)));
  EXPECT_EQ(batch.num_tokens, 5);
  EXPECT_EQ(batch.num_targets, 2);
}

TEST(TokenDropout, HidesItsShareAnewInEveryEpoch) {
  const std::vector<nn::Tokens> documents(10, nn::Tokens(800, 7));
  const nn::Classification objective(documents, std::vector<int>(10), {0.25, 4, 3});
  const auto tokens_of = [&](std::uint64_t epoch) {
    return objective.prepare(whole(objective.lengths()), epoch).input.tokens;
  };
  const Tensor first = tokens_of(0);
  EXPECT_TRUE(torch::equal(tokens_of(0), first));
  EXPECT_EQ(((first == 4) | (first == 7)).sum().item<int>(), 8000);
  EXPECT_NEAR((first == 4).sum().item<double>(), 2000, 5 * std::sqrt(8000 * 0.25 * 0.75));
  EXPECT_FALSE(torch::equal(tokens_of(1), first));
  EXPECT_FALSE(torch::equal(first[0], first[1]));
}

TEST(MaskedTokens, AreScoredWhereTheyAreAskedAlone) {
  text::MaskOptions options;
  options.vocab_size = 13;
  const nn::MaskedLanguageModelling objective({nn::Tokens(40, 7), nn::Tokens(30, 8)}, options);
  const nn::MicroBatch batch = objective.prepare(whole(objective.lengths()), 0);
  EXPECT_EQ(batch.num_tokens, 70);
  EXPECT_EQ(batch.num_targets, 11);  // 15 % of 40 and of 30, the latter rounded up
  const auto model = drawn_model(small_config(nn::Head::kMaskedLanguageModel));
  const nn::Scored scored = objective.score(*model, batch, {});
  ASSERT_EQ(scored.logits.sizes(), (std::vector<std::int64_t>{batch.num_targets, 13}));
  const Tensor asked = (batch.targets != text::kNoLabel).nonzero();
  const Tensor all = say(*model, batch.input);
  for (std::int64_t i = 0; i < asked.size(0); ++i) {
    const Tensor row = all[asked[i][0].item<std::int64_t>()][asked[i][1].item<std::int64_t>()];
    EXPECT_LE(gap(scored.logits[i], row), 1e-5);
    EXPECT_EQ(scored.targets[i].item<int>(), asked[i][0].item<int>() == 0 ? 7 : 8);
  }
}

}  // namespace
}  // namespace rotary::testing
