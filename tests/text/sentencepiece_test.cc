// Unigram and BPE through SentencePiece.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/random.h"
#include "text/temporary_folder.h"
#include "text/tokenizer.h"

namespace rotary::testing {
namespace {

using text::TokenizerKind;
using text::TokenizerOptions;

// Invented words, so that there is something to learn.
std::vector<std::string> make_texts() {
  text::Random random(7);
  const std::vector<std::string> syllables = {"ro", "ta", "ry", "em", "bed", "ding", "po", "si", "tion", "al"};
  std::vector<std::string> texts(20);
  for (std::string& text : texts)
    for (int word = 0; word < 300; ++word) {
      text += word % 12 == 11 ? ".\n" : word == 0 ? "" : " ";
      for (std::uint64_t n = 1 + random.below(3); n > 0; --n) text += syllables[random.below(random.below(10) + 1)];
    }
  return texts;
}

class SentencePiece : public ::testing::TestWithParam<TokenizerKind> {
 protected:
  const std::vector<std::string> texts = make_texts();
  TokenizerOptions options{.kind = GetParam(), .vocab_size = 400};
  const TemporaryFolder folder;

  std::string model_of(const TokenizerOptions& with) {
    text::train_tokenizer(texts, with)->save(folder.path());
    return folder.read("spiece.model");
  }
};

TEST_P(SentencePiece, TheSpecialPiecesHaveTheirIds) {
  const auto tokenizer = text::train_tokenizer(texts, options);
  EXPECT_EQ(tokenizer->special_ids(), text::SpecialIds{});
  EXPECT_EQ(tokenizer->piece(0) + tokenizer->piece(1) + tokenizer->piece(2) + tokenizer->piece(3) + tokenizer->piece(4),
            "[PAD][UNK][CLS][SEP][MASK]");
  EXPECT_GT(tokenizer->vocab_size(), 261);
  EXPECT_LE(tokenizer->vocab_size(), 400);
}

TEST_P(SentencePiece, TheSameTextsGiveTheSameModel) { EXPECT_EQ(model_of(options), model_of(options)); }

TEST_P(SentencePiece, SavedAndLoadedGivesTheSameIds) {
  const auto tokenizer = text::train_tokenizer(texts, options);
  tokenizer->save(folder.path());
  const auto loaded = text::load_tokenizer(folder.path());
  for (const std::string& text : texts) EXPECT_EQ(loaded->encode(text), tokenizer->encode(text));
  EXPECT_LT(loaded->encode(texts[0]).size(), texts[0].size() / 2);
}

TEST_P(SentencePiece, AnyCharacterIsEncodedByItsBytes) {
  const auto tokenizer = text::train_tokenizer(texts, options);
  for (const std::int32_t id : tokenizer->encode("\xE4\xB8\xAD ro")) EXPECT_NE(id, tokenizer->special_ids().unk);
  EXPECT_THAT(tokenizer->piece(tokenizer->encode("\xE4\xB8\xAD")[1]), ::testing::StartsWith("<0x"));
}

TEST_P(SentencePiece, TheMaskIsFoundInText) {
  EXPECT_THAT(text::train_tokenizer(texts, options)->encode("rota [MASK] bed"), ::testing::Contains(4));
}

TEST_P(SentencePiece, CaseIsFoldedOrKept) {
  auto tokenizer = text::train_tokenizer(texts, options);
  EXPECT_EQ(tokenizer->encode("ROTARY"), tokenizer->encode("rotary"));
  options.lowercase = false;
  tokenizer = text::train_tokenizer(texts, options);
  EXPECT_NE(tokenizer->encode("ROTARY"), tokenizer->encode("rotary"));
}

TEST_P(SentencePiece, FewerBytesToLearnFromAreDrawnByTheSeed) {
  const std::string all = model_of(options);
  options.max_training_bytes = 10000;
  const std::string some = model_of(options);
  EXPECT_EQ(model_of(options), some);
  options.seed = 1;
  EXPECT_NE(model_of(options), some);
  EXPECT_NE(some, all);
}

TEST_P(SentencePiece, LinesOfAnyLengthAndBadBytesAreLearnt) {
  std::string line = "\xFF";
  for (const std::string& text : texts) line += text;
  std::erase(line, '\n');
  const std::vector<std::string> one = {line, std::string(10000, 'x'), "", "\n \n"};
  EXPECT_GT(text::train_tokenizer(one, options)->vocab_size(), 270);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SentencePiece, ::testing::Values(TokenizerKind::kUnigram, TokenizerKind::kBpe),
                         [](const auto& info) { return info.param == TokenizerKind::kBpe ? "Bpe" : "Unigram"; });

}  // namespace
}  // namespace rotary::testing
