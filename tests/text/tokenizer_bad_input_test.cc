// Files that are no tokenizer, and arguments that make none: one line that names file and key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "core/golden.h"
#include "text/temporary_folder.h"
#include "text/tokenizer.h"

namespace rotary::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using text::TokenizerKind;
using text::TokenizerOptions;

template <class Error>
void expect_refused(const std::function<void()>& call, const std::string& what) {
  try {
    call();
    FAIL() << "nothing thrown; expected: " << what;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(what));
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("\n")));
  }
}

struct BadJson {
  const char* id;
  std::function<void(json&)> spoil;
  const char* what;
  friend void PrintTo(const BadJson& b, std::ostream* out) { *out << b.id; }
};

class BadTokenizerJson : public ::testing::TestWithParam<BadJson> {};

TEST_P(BadTokenizerJson, IsRefusedByKey) {
  const TemporaryFolder folder;
  json file = json::parse(open_golden("text/words/tokenizer.json"));
  GetParam().spoil(file);
  folder.write("tokenizer.json", file.dump());
  expect_refused<std::runtime_error>([&] { text::load_tokenizer(folder.path()); },
                                     (folder.path() / "tokenizer.json").string() + ": " + GetParam().what);
}

const BadJson kBadJson[] = {
    {"List", [](json& f) { f = json::array(); }, "the file must be an object, got []"},
    {"NoModel", [](json& f) { f.erase("model"); }, "model must be an object, got null"},
    {"OtherModel", [](json& f) { f["model"]["type"] = "BPE"; }, "model.type must be \"WordLevel\""},
    {"NoVocab", [](json& f) { f["model"].erase("vocab"); }, "model.vocab must be an object"},
    {"EmptyVocab", [](json& f) { f["model"]["vocab"] = json::object(); }, "model.vocab must be an object with a piece"},
    {"TextId", [](json& f) { f["model"]["vocab"]["fox2"] = "7"; },
     "model.vocab.fox2 must be an id, counted from 0, got \"7\""},
    {"FractionId", [](json& f) { f["model"]["vocab"]["fox2"] = 7.5; }, "model.vocab.fox2 must be an id"},
    {"NegativeId", [](json& f) { f["model"]["vocab"]["fox2"] = -1; }, "model.vocab.fox2 must be an id"},
    {"HugeId", [](json& f) { f["model"]["vocab"]["fox2"] = 4000000; }, "model.vocab.fox2 must be below the number of"},
    {"SameId", [](json& f) { f["model"]["vocab"]["fox2"] = 9; },
     "model.vocab.fox2 must have an id of its own, got 9 of -"},
    {"Gap", [](json& f) { f["model"]["vocab"].erase("fox2"); },
     "model.vocab must use every id up to the last, got none"},
    {"NoUnknown", [](json& f) { f["model"].erase("unk_token"); }, "model.unk_token must be a piece of model.vocab"},
    {"ForeignUnknown", [](json& f) { f["model"]["unk_token"] = "<x>"; },
     "model.unk_token must be a piece of model.vocab"},
    {"OtherNormalizer", [](json& f) { f["normalizer"]["type"] = "NFC"; }, "normalizer must be null or"},
    {"OtherPattern", [](json& f) { f["pre_tokenizer"]["pattern"]["Regex"] = "\\w+"; }, "pre_tokenizer must be"},
    {"NoPreTokenizer", [](json& f) { f["pre_tokenizer"] = nullptr; }, "pre_tokenizer must be"},
    {"PostProcessor",
     [](json& f) {
       f["post_processor"] = {{"type", "X"}};
     },
     "post_processor must be null"},
    {"AddedObject", [](json& f) { f["added_tokens"] = json::object(); }, "added_tokens must be a list"},
    {"AddedText", [](json& f) { f["added_tokens"][1] = "[UNK]"; }, "added_tokens.1 must be an object"},
    {"AddedEmpty", [](json& f) { f["added_tokens"][1]["content"] = ""; }, "added_tokens.1.content must be a piece"},
    {"AddedStripping", [](json& f) { f["added_tokens"][4]["lstrip"] = true; }, "added_tokens.4.lstrip must be false"},
    {"AddedOtherId", [](json& f) { f["added_tokens"][4]["id"] = 3; }, "added_tokens.4.id must be the piece's id"},
    {"AddedFarId",
     [](json& f) {
       f["added_tokens"][4] = {{"content", "<x>"}, {"id", 3999999}};
     },
     "added_tokens.4.id must be the piece's id in model.vocab or the next one"},
    {"AddedTwice",
     [](json& f) {
       const auto n = f["model"]["vocab"].size();
       f["added_tokens"].push_back({{"content", "<x>"}, {"id", n}});
       f["added_tokens"].push_back({{"content", "<x>"}, {"id", n + 1}});
     },
     "added_tokens must be different pieces, got <x> again"},
};

INSTANTIATE_TEST_SUITE_P(Keys, BadTokenizerJson, ::testing::ValuesIn(kBadJson),
                         [](const auto& info) { return info.param.id; });

struct BadFile {
  const char* id;
  const char* name;
  std::string contents;
  const char* what;
  friend void PrintTo(const BadFile& b, std::ostream* out) { *out << b.id; }
};

class BadTokenizerFile : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadTokenizerFile, IsRefusedByName) {
  const TemporaryFolder folder;
  folder.write("vocab.txt", "[UNK]\n");
  if (GetParam().name != std::string("tokenizer_config.json")) std::filesystem::remove(folder.path() / "vocab.txt");
  folder.write(GetParam().name, GetParam().contents);
  expect_refused<std::runtime_error>([&] { text::load_tokenizer(folder.path()); },
                                     (folder.path() / GetParam().name).string() + ": " + GetParam().what);
}

const BadFile kBadFiles[] = {
    {"CutJson", "tokenizer.json", R"({"model": {"type": "Wor)", "must be JSON, got an error at byte"},
    {"EmptyJson", "tokenizer.json", "", "must be JSON"},
    {"NotUtf8", "tokenizer.json", "{\"\xFF\": 1}", "must be JSON"},
    {"PieceTwice", "tokenizer.json", R"({"model": {"vocab": {"a": 0, "b": 1, "a": 2}}})",
     "model.vocab.a must stand there once, got it again"},
    {"LineTwice", "vocab.txt", "[UNK]\na\nb\na\n", "line 4 must hold a piece of its own, got 'a' of line 2 again"},
    {"LineNotUtf8", "vocab.txt", "[UNK]\n\xFF\n", "line 2 must hold UTF-8"},
    {"NoUnknown", "vocab.txt", "[PAD]\na\n", "must hold the piece [UNK], got 2 pieces without it"},
    {"EmptyVocab", "vocab.txt", "", "must hold the piece [UNK]"},
    {"EmptyModel", "spiece.model", "", "must be a SentencePiece model, got"},
    {"NoModel", "tokenizer.model", "no model", "must be a SentencePiece model, got"},
    {"ConfigList", "tokenizer_config.json", "[]", "must hold an object, got []"},
    {"ConfigSwitch", "tokenizer_config.json", R"({"do_lower_case": 1})", "do_lower_case must be true or false, got 1"},
    {"ConfigKind", "tokenizer_config.json", R"({"rotary_tokenizer": "morse"})", "rotary_tokenizer must be wordpiece"},
    {"ConfigKindElsewhere", "tokenizer_config.json", R"({"rotary_tokenizer": "words"})", "rotary_tokenizer must be"},
};

INSTANTIATE_TEST_SUITE_P(Files, BadTokenizerFile, ::testing::ValuesIn(kBadFiles),
                         [](const auto& info) { return info.param.id; });

TEST(BadTokenizerFolder, WithoutATokenizerIsRefused) {
  const TemporaryFolder folder;
  expect_refused<std::runtime_error>([&] { text::load_tokenizer(folder.path()); },
                                     folder.path().string() + ": must hold tokenizer.json");
}

// Wherever a file is cut off, loading it fails, or finds the model whole but for fields that SentencePiece can do
// without: then every id is there.
TEST(BadTokenizerFileProperty, AModelCutOffAnywhereIsRefused) {
  const TemporaryFolder folder;
  const std::vector<std::string> texts = {"one two three four five six seven eight nine ten, one and two"};
  const auto whole = text::train_tokenizer(texts, {.kind = TokenizerKind::kBpe, .vocab_size = 300});
  whole->save(folder.path());
  const std::string model = folder.read("spiece.model");
  int num_refused = 0;
  for (std::size_t size = 0; size < model.size(); size += size < 5000 ? 7 : 1001) {
    folder.write("spiece.model", model.substr(0, size));
    try {
      EXPECT_EQ(text::load_tokenizer(folder.path())->vocab_size(), whole->vocab_size()) << size;
    } catch (const std::runtime_error& error) {
      ++num_refused;
      EXPECT_THAT(error.what(), HasSubstr("spiece.model: must "));
    }
  }
  EXPECT_GT(num_refused, 100);
}

struct BadOptions {
  const char* id;
  TokenizerOptions options;
  std::vector<std::string> texts;
  const char* what;
  friend void PrintTo(const BadOptions& b, std::ostream* out) { *out << b.id; }
};

class BadTraining : public ::testing::TestWithParam<BadOptions> {};

TEST_P(BadTraining, IsRefused) {
  expect_refused<std::invalid_argument>([&] { text::train_tokenizer(GetParam().texts, GetParam().options); },
                                        std::string("train_tokenizer: ") + GetParam().what);
}

constexpr auto kBpe = TokenizerKind::kBpe, kUnigram = TokenizerKind::kUnigram;
const BadOptions kBadOptions[] = {
    {"NoTexts", {}, {}, "texts must hold a word, got 0"},
    {"Spaces", {}, {" \n\xC2\xA0", ""}, "texts must hold a word, got 2"},
    {"WordsTooFew", {.vocab_size = 5}, {"a"}, "vocab_size must be more than the special pieces, got 5"},
    {"WordsNegative", {.vocab_size = -1}, {"a"}, "vocab_size must be more than the special pieces, got -1"},
    {"BpeNoTexts", {.kind = kBpe}, {}, "texts must hold a word"},
    {"BpeSpaces", {.kind = kBpe}, {" \n ", "\t"}, "texts must hold a word"},
    {"UnigramSpaces", {.kind = kUnigram}, {"\xC2\xA0 \xE2\x80\x83"}, "texts must hold a word"},
    {"UnigramControls", {.kind = kUnigram}, {"\x01\xE2\x80\x8B\xC2\xAD"}, "texts must hold a word"},
    {"UnigramSpaceMarks", {.kind = kUnigram}, {"\xE2\x96\x81"}, "texts must hold a word"},
    {"BpeBadBytes", {.kind = kBpe}, {"\xFF\xFE"}, "texts must hold a word"},
    {"BpeTooFew", {.kind = kBpe, .vocab_size = 261}, {"a"}, "vocab_size must be more than the special pieces and 256"},
    {"BpeFewerThanCharacters", {.kind = kBpe, .vocab_size = 262}, {"abc"}, "SentencePiece must accept"},
    {"UnigramFewerThanCharacters", {.kind = kUnigram, .vocab_size = 262}, {"abc"}, "SentencePiece must accept"},
    {"BpeNoBytes", {.kind = kBpe, .max_training_bytes = 0}, {"abc"}, "max_training_bytes must be positive, got 0"},
    {"WordPiece", {.kind = TokenizerKind::kWordPiece}, {"a"}, "kind must be words, unigram or bpe, got 3"},
};

INSTANTIATE_TEST_SUITE_P(Options, BadTraining, ::testing::ValuesIn(kBadOptions),
                         [](const auto& info) { return info.param.id; });

TEST(TokenizerProperty, AnyBytesAreEncodedByEveryKind) {
  const std::vector<std::string> texts = {"one two three four five six seven eight nine ten"};
  std::string bytes;
  for (int i = 0; i < 1024; ++i) bytes += static_cast<char>(i * i / 3 + i);
  for (TokenizerKind kind : {TokenizerKind::kWords, kUnigram, kBpe}) {
    const auto tokenizer = text::train_tokenizer(texts, {.kind = kind, .vocab_size = 300});
    for (const std::int32_t id : tokenizer->encode(bytes)) EXPECT_TRUE(id >= 0 && id < tokenizer->vocab_size());
    EXPECT_TRUE(tokenizer->encode("").empty());
  }
}

}  // namespace
}  // namespace rotary::testing
