// Ids of difficult strings, as the `tokenizers` library gives them (tests/golden/text).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/golden.h"
#include "text/temporary_folder.h"
#include "text/tokenizer.h"
#include "text/wordpiece_tokenizer.h"

namespace rotary::testing {
namespace {

using nlohmann::json;

struct Record {
  std::string id;
  json line;
  friend void PrintTo(const Record& r, std::ostream* out) { *out << r.id; }
};

std::vector<Record> records(const std::string& name) {
  std::vector<Record> out;
  std::ifstream file = open_golden("text/" + name);
  for (std::string line; std::getline(file, line);) {
    const json parsed = json::parse(line);
    std::string id = parsed["name"];
    std::erase_if(id, [](char c) { return c == ' ' || c == ','; });
    for (const char* option : {"do_lower_case", "strip_accents", "tokenize_chinese_chars"})
      if (parsed.contains(option)) id += parsed[option] ? "1" : "0";
    out.push_back({id, parsed});
  }
  return out;
}

std::string id_of(const ::testing::TestParamInfo<Record>& info) { return info.param.id; }

std::string golden_text(const std::string& name) {
  std::ifstream file = open_golden("text/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_recorded(const text::Tokenizer& tokenizer, const json& line) {
  EXPECT_EQ(tokenizer.encode(line["text"].get<std::string>()), line["ids"].get<std::vector<std::int32_t>>());
}

class WordsGolden : public ::testing::TestWithParam<Record> {};

TEST_P(WordsGolden, IdsAreThoseOfTheLibrary) {
  expect_recorded(*text::load_tokenizer(std::string(ROTARY_TEST_DATA) + "/text/words"), GetParam().line);
}

TEST_P(WordsGolden, IdsSurviveSavingAndLoading) {
  const TemporaryFolder folder;
  text::load_tokenizer(std::string(ROTARY_TEST_DATA) + "/text/words")->save(folder.path());
  expect_recorded(*text::load_tokenizer(folder.path()), GetParam().line);
}

INSTANTIATE_TEST_SUITE_P(Strings, WordsGolden, ::testing::ValuesIn(records("words.jsonl")), id_of);

class WordPieceGolden : public ::testing::TestWithParam<Record> {
 protected:
  const json& line = GetParam().line;
  const TemporaryFolder folder;
  void SetUp() override {
    folder.write("vocab.txt", golden_text("vocab.txt"));
    folder.write("tokenizer_config.json", json({{"do_lower_case", line["do_lower_case"]},
                                                {"strip_accents", line["strip_accents"]},
                                                {"tokenize_chinese_chars", line["tokenize_chinese_chars"]}})
                                              .dump());
  }
};

TEST_P(WordPieceGolden, IdsAreThoseOfTheLibrary) { expect_recorded(*text::load_tokenizer(folder.path()), line); }

TEST_P(WordPieceGolden, IdsSurviveSavingAndLoading) {
  const TemporaryFolder other;
  text::load_tokenizer(folder.path())->save(other.path());
  expect_recorded(*text::load_tokenizer(other.path()), line);
}

INSTANTIATE_TEST_SUITE_P(Strings, WordPieceGolden, ::testing::ValuesIn(records("wordpiece.jsonl")), id_of);

}  // namespace
}  // namespace rotary::testing
