// Passages in their order and with their halves swapped.
#include "text/order_task.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "text/random.h"
#include "text/tokenizer.h"

namespace rotary::testing {
namespace {

using text::OrderExample;

TEST(Sentences, EndWhereAReaderSeesIt) {
  const std::vector<std::string> expected = {"Mr. J. Smith of the U.S. Navy said \"No!\" twice.",
                                             "(It rained.)",
                                             "\"Why?\"",
                                             "He paid 3.50 to e.g. Ann.",
                                             "\xC3\x89milie came... and went.",
                                             "The end"};
  std::string text;
  for (const std::string& sentence : expected) text += sentence + " \n\t";
  EXPECT_EQ(text::split_sentences(text), expected);
}

TEST(Sentences, OfNothingThereAreNone) {
  EXPECT_TRUE(text::split_sentences("").empty());
  EXPECT_TRUE(text::split_sentences(" \n\xC2\xA0").empty());
}

TEST(OrderTask, SwapsAtTheSentenceEndNearestTheMiddle) {
  const auto examples = text::make_order_examples("One two. Three four. Five six seven. Eight", {.words = 7});
  ASSERT_EQ(examples.size(), 2U);
  EXPECT_EQ(examples[0].text, "One two. Three four. Five six seven.");
  EXPECT_EQ(examples[0].label, "original");
  EXPECT_EQ(examples[1].text, "Five six seven. One two. Three four.");
  EXPECT_EQ(examples[1].label, "swapped");
  EXPECT_EQ(examples[0].passage, examples[1].passage);
}

TEST(OrderTask, APassageWithoutAnEndNearItsMiddleIsLeftOut) {
  EXPECT_TRUE(text::make_order_examples("One two three four five six seven eight.", {.words = 5}).empty());
  EXPECT_TRUE(text::make_order_examples("One. Two three four five six seven eight.", {.words = 8}).empty());
  EXPECT_TRUE(text::make_order_examples("Too. Short.", {.words = 3}).empty());
}

// Sentences of invented words, the first capitalised, as in text.
std::string make_text() {
  text::Random random(4);
  std::string out;
  for (int sentence = 0; sentence < 400; ++sentence) {
    for (std::uint64_t i = 0, n = 2 + random.below(20); i < n; ++i) {
      std::string word;
      for (std::uint64_t k = 0, m = 3 + random.below(3); k < m; ++k) word += static_cast<char>('a' + random.below(26));
      if (i == 0) word[0] = static_cast<char>(word[0] - 32);
      out += (i == 0 ? "" : i == 5 ? ", " : " ") + word;
    }
    out += random.below(4) == 0 ? "?\n" : ". ";
  }
  return out;
}

struct Bag {
  const char* id;
  text::TokenizerOptions options;
  friend void PrintTo(const Bag& b, std::ostream* out) { *out << b.id; }
};

class OrderTaskProperty : public ::testing::TestWithParam<Bag> {};

TEST_P(OrderTaskProperty, BothFormsHoldTheSameTokens) {
  const std::vector<std::string> texts = {make_text()};
  const auto examples = text::make_order_examples(texts[0], {.words = 100});
  const auto tokenizer = text::train_tokenizer(texts, GetParam().options);
  ASSERT_GT(examples.size(), 40U);
  for (std::size_t i = 0; i < examples.size(); i += 2) {
    auto original = tokenizer->encode(examples[i].text), swapped = tokenizer->encode(examples[i + 1].text);
    EXPECT_NE(original, swapped);
    std::sort(original.begin(), original.end());
    std::sort(swapped.begin(), swapped.end());
    EXPECT_EQ(original, swapped) << examples[i].text;
    EXPECT_EQ(examples[i].label, text::kOriginalOrder);
    EXPECT_EQ(examples[i + 1].label, text::kSwappedOrder);
  }
}

using text::TokenizerKind;
INSTANTIATE_TEST_SUITE_P(
    Tokenizers, OrderTaskProperty,
    ::testing::Values(Bag{"Words", {}}, Bag{"WordsWithCase", {.lowercase = false}},
                      Bag{"Unigram", {.kind = TokenizerKind::kUnigram, .vocab_size = 600}},
                      Bag{"UnigramWithCase", {.kind = TokenizerKind::kUnigram, .vocab_size = 600, .lowercase = false}},
                      Bag{"Bpe", {.kind = TokenizerKind::kBpe, .vocab_size = 600}},
                      Bag{"BpeWithCase", {.kind = TokenizerKind::kBpe, .vocab_size = 600, .lowercase = false}}),
    [](const auto& info) { return info.param.id; });

TEST(OrderTask, BadOptionsAreRefused) {
  EXPECT_THROW(text::make_order_examples("A. B.", {.words = 0}), std::invalid_argument);
  EXPECT_THROW(text::make_order_examples("A. B.", {.least_half = 0}), std::invalid_argument);
  EXPECT_THROW(text::make_order_examples("A. B.", {.least_half = 0.6}), std::invalid_argument);
}

}  // namespace
}  // namespace rotary::testing
