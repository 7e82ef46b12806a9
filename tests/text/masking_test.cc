// Corruption for the masked-language-model objective.
#include "text/masking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace rotary::testing {
namespace {

using text::kNoLabel;
using text::MaskedTokens;
using text::MaskOptions;

const MaskOptions kOptions = {.vocab_size = 1000, .special_ids = {}, .seed = 11};

// [CLS] 5 … [SEP] [PAD] …
std::vector<std::int32_t> make_tokens(std::size_t num_regular) {
  std::vector<std::int32_t> tokens = {2};
  for (std::size_t i = 0; i < num_regular; ++i) tokens.push_back(5 + static_cast<std::int32_t>(i * 37 % 995));
  tokens.insert(tokens.end(), {3, 0, 0, 0});
  return tokens;
}

std::size_t num_labels(const MaskedTokens& masked) {
  std::size_t num = 0;
  for (const std::int64_t label : masked.labels) num += label == kNoLabel ? 0 : 1;
  return num;
}

TEST(MaskingProperty, ExactlyTheShareOfRegularPositionsIsPredicted) {
  for (std::size_t n = 1; n < 300; ++n) {
    const auto tokens = make_tokens(n);
    const auto masked = text::mask_tokens(tokens, 0, n, kOptions);
    EXPECT_EQ(num_labels(masked),
              std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(0.15 * static_cast<double>(n)))));
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const bool predicted = masked.labels[t] != kNoLabel;
      EXPECT_EQ(masked.labels[t], predicted ? tokens[t] : kNoLabel);
      EXPECT_FALSE(predicted && tokens[t] < 5);
      EXPECT_TRUE(predicted || masked.tokens[t] == tokens[t]);
    }
  }
}

TEST(MaskingProperty, TheFatesHaveTheirShares) {
  const auto tokens = make_tokens(20000);
  double num_masked = 0, num_kept = 0, num_other = 0, num = 0;
  for (std::uint64_t document = 0; document < 10; ++document) {
    const auto masked = text::mask_tokens(tokens, 0, document, kOptions);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      if (masked.labels[t] == kNoLabel) continue;
      ++num;
      (masked.tokens[t] == 4 ? num_masked : masked.tokens[t] == tokens[t] ? num_kept : num_other) += 1;
      EXPECT_TRUE(masked.tokens[t] == 4 || (masked.tokens[t] >= 5 && masked.tokens[t] < 1000));
    }
  }
  ASSERT_EQ(num, 30000);
  EXPECT_NEAR(num_masked, 24000, 6 * 69);  // standard deviation sqrt(30000 * 0.8 * 0.2); six of them
  EXPECT_NEAR(num_kept, 3003, 6 * 52);     // a random piece is the token itself once in 995
  EXPECT_NEAR(num_other, 2997, 6 * 52);
}

TEST(MaskingProperty, EveryPositionIsChosenAsOftenAsAnyOther) {
  const auto tokens = make_tokens(40);
  std::vector<int> counts(tokens.size());
  for (std::uint64_t epoch = 0; epoch < 10000; ++epoch) {
    const auto masked = text::mask_tokens(tokens, epoch, 3, kOptions);
    for (std::size_t t = 0; t < tokens.size(); ++t) counts[t] += masked.labels[t] == kNoLabel ? 0 : 1;
  }
  for (std::size_t t = 1; t <= 40; ++t) EXPECT_NEAR(counts[t], 1500, 6 * 36);  // sqrt(10000 * 0.15 * 0.85)
}

TEST(Masking, DependsOnSeedEpochAndDocumentAlone) {
  const auto tokens = make_tokens(200);
  MaskOptions seeded = kOptions;
  seeded.seed = 12;
  const auto labels = text::mask_tokens(tokens, 1, 2, kOptions).labels;
  text::mask_tokens(tokens, 5, 5, kOptions);
  EXPECT_EQ(text::mask_tokens(tokens, 1, 2, kOptions).labels, labels);
  EXPECT_NE(text::mask_tokens(tokens, 2, 1, kOptions).labels, labels);
  EXPECT_NE(text::mask_tokens(tokens, 1, 3, kOptions).labels, labels);
  EXPECT_NE(text::mask_tokens(tokens, 1, 2, seeded).labels, labels);
}

TEST(Masking, OfSpecialPiecesAloneNothingIsPredicted) {
  EXPECT_EQ(num_labels(text::mask_tokens(make_tokens(0), 0, 0, kOptions)), 0U);
  EXPECT_TRUE(text::mask_tokens({}, 0, 0, kOptions).tokens.empty());
}

struct BadMasking {
  const char* id;
  std::function<void(MaskOptions&)> spoil;
  const char* what;
  friend void PrintTo(const BadMasking& b, std::ostream* out) { *out << b.id; }
};

class BadMaskOptions : public ::testing::TestWithParam<BadMasking> {};

TEST_P(BadMaskOptions, AreRefused) {
  MaskOptions options = kOptions;
  GetParam().spoil(options);
  try {
    text::mask_tokens(make_tokens(9), 0, 0, options);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), std::string("mask_tokens: ") + GetParam().what);
  }
}

const BadMasking kBad[] = {
    {"Probability", [](auto& o) { o.probability = -0.5; }, "probability must be between 0 and 1, got -0.5"},
    {"NotANumber", [](auto& o) { o.probability = NAN; }, "probability must be between 0 and 1, got nan"},
    {"MaskShare", [](auto& o) { o.mask_share = 2; }, "mask_share must be between 0 and 1, got 2"},
    {"RandomShare", [](auto& o) { o.random_share = 0.5; },
     "random_share must be between 0 and 1 - mask_share, got 0.5"},
    {"NoMask", [](auto& o) { o.special_ids.mask = -1; }, "special_ids.mask must be below vocab_size, got -1"},
    {"NoVocabulary", [](auto& o) { o.vocab_size = 0; }, "special_ids.mask must be below vocab_size, got 4"},
    {"SpecialOnly", [](auto& o) { o.vocab_size = 5; }, "vocab_size must be more than the special pieces, got 5"},
};

INSTANTIATE_TEST_SUITE_P(Options, BadMaskOptions, ::testing::ValuesIn(kBad),
                         [](const auto& info) { return info.param.id; });

}  // namespace
}  // namespace rotary::testing
