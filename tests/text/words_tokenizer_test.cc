// Training and saving the words tokenizer.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "text/temporary_folder.h"
#include "text/tokenizer.h"

namespace rotary::testing {
namespace {

using text::Tokenizer;

const std::vector<std::string> kTexts = {"The cat. The dog!", "the cat, a dog_1 a"};

std::vector<std::string> pieces_of(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> out;
  for (const std::int32_t id : tokenizer.encode(text)) out.push_back(tokenizer.piece(id));
  return out;
}

std::vector<std::string> vocabulary_of(const Tokenizer& tokenizer) {
  std::vector<std::string> out;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) out.push_back(tokenizer.piece(id));
  return out;
}

TEST(WordsTraining, TheMostFrequentComeFirstAndEquallyFrequentOnesByByte) {
  const auto tokenizer = text::train_tokenizer(kTexts);
  EXPECT_EQ(vocabulary_of(*tokenizer), (std::vector<std::string>{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the",
                                                                 "a", "cat", "!", ",", ".", "dog", "dog_1"}));
  EXPECT_EQ(tokenizer->special_ids(), text::SpecialIds{});
}

TEST(WordsTraining, TheOrderOfTheTextsDoesNotMatter) {
  const std::vector<std::string> reversed(kTexts.rbegin(), kTexts.rend());
  EXPECT_EQ(vocabulary_of(*text::train_tokenizer(reversed)), vocabulary_of(*text::train_tokenizer(kTexts)));
}

TEST(WordsTraining, RareWordsBeyondTheSizeAreUnknown) {
  const auto tokenizer = text::train_tokenizer(kTexts, {.vocab_size = 7});
  EXPECT_EQ(tokenizer->vocab_size(), 7);
  EXPECT_EQ(pieces_of(*tokenizer, "The cat, a"), (std::vector<std::string>{"the", "[UNK]", "[UNK]", "a"}));
}

TEST(WordsTraining, CaseIsKeptOnRequest) {
  const TemporaryFolder folder;
  text::train_tokenizer(kTexts, {.lowercase = false})->save(folder.path());
  EXPECT_EQ(pieces_of(*text::load_tokenizer(folder.path()), "The the THE"),
            (std::vector<std::string>{"The", "the", "[UNK]"}));
}

TEST(WordsTraining, PiecesThatJsonEscapesSurvive) {
  const TemporaryFolder folder;
  const std::vector<std::string> texts = {"\" \\ / \x01 \x7f \xF0\x9F\x98\x80 {\"a\": 1}"};
  const auto tokenizer = text::train_tokenizer(texts);
  tokenizer->save(folder.path());
  EXPECT_EQ(vocabulary_of(*text::load_tokenizer(folder.path())), vocabulary_of(*tokenizer));
  EXPECT_EQ(text::load_tokenizer(folder.path())->encode(texts[0]), tokenizer->encode(texts[0]));
}

TEST(WordsTraining, AVocabularyOfBadBytesIsOfReplacementCharacters) {
  const std::vector<std::string> texts = {"ab\xFF\xC3"};
  EXPECT_EQ(pieces_of(*text::train_tokenizer(texts), "ab\xFE"), (std::vector<std::string>{"ab", "\xEF\xBF\xBD"}));
}

TEST(WordsTraining, TheFilesAreWhatHuggingFaceReads) {
  const TemporaryFolder folder;
  text::train_tokenizer(kTexts)->save(folder.path());
  const auto json = nlohmann::json::parse(folder.read("tokenizer.json"));
  EXPECT_EQ(json["model"]["type"], "WordLevel");
  EXPECT_EQ(json["model"]["vocab"]["the"], 5);
  EXPECT_EQ(json["normalizer"]["type"], "Lowercase");
  EXPECT_EQ(json["added_tokens"].size(), 5U);
  const auto config = nlohmann::json::parse(folder.read("tokenizer_config.json"));
  EXPECT_EQ(config["tokenizer_class"], "PreTrainedTokenizerFast");
  EXPECT_EQ(config["mask_token"], "[MASK]");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_EQ(entry.path().extension(), ".json") << "left behind";
}

TEST(WordsTraining, APieceOutsideTheVocabularyIsRefused) {
  const auto tokenizer = text::train_tokenizer(kTexts);
  EXPECT_THROW(tokenizer->piece(-1), std::out_of_range);
  EXPECT_THROW(tokenizer->piece(tokenizer->vocab_size()), std::out_of_range);
}

TEST(WordsTraining, SavingIntoNoFolderNamesTheFile) {
  try {
    text::train_tokenizer(kTexts)->save("no/such/folder");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()).find("no/such/folder/tokenizer.json: must be writable"), 0U) << error.what();
  }
}

TEST(WordsTraining, TheTokenizerSavedLastIsLoaded) {
  const TemporaryFolder folder;
  folder.write("vocab.txt", "[UNK]\nx\n");
  EXPECT_EQ(text::load_tokenizer(folder.path())->vocab_size(), 2);
  text::train_tokenizer(kTexts)->save(folder.path());
  EXPECT_EQ(text::load_tokenizer(folder.path())->vocab_size(), 13);
}

}  // namespace
}  // namespace rotary::testing
