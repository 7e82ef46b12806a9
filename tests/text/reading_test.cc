// The file forms, well formed: every document comes out with its text to the byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "text/data_folder.h"
#include "text/document_file.h"
#include "text/readers.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using text::CorpusOptions;
using text::Document;
using text::DocumentList;

DocumentList read(const std::string& name, const std::string& content, const CorpusOptions& options = {}) {
  const DataFolder folder;
  DocumentList out;
  text::read_document_file(folder.write(name, content), name, options, out);
  return out;
}

// "text|label|id" of each.
std::vector<std::string> show(const std::vector<Document>& documents) {
  std::vector<std::string> out;
  for (const Document& d : documents) out.push_back(d.text + "|" + d.label + "|" + d.id);
  return out;
}

std::vector<std::string> documents(const std::string& name, const std::string& content,
                                   const CorpusOptions& options = {}) {
  return show(read(name, content, options).documents);
}

TEST(Csv, HasAHeaderAndFieldsInAnyOrder) {
  EXPECT_THAT(documents("a.csv", "label,other,text\nx,1,hello world\ny,,bye\n"),
              ElementsAre("hello world|x|a.csv:2", "bye|y|a.csv:3"));
}

TEST(Csv, QuotedFieldsHoldDelimitersQuotesAndLineEnds) {
  EXPECT_THAT(documents("a.csv", "text,label\n\"a,\"\"b\"\"\r\nc\n\n\",\"x\"\nd \"e\" f,y\n\"\"\"\",z\n"),
              ElementsAre("a,\"b\"\r\nc\n\n|x|a.csv:2", "d \"e\" f|y|a.csv:6", "\"|z|a.csv:7"));
}

TEST(Csv, WindowsLineEndsByteOrderMarkAndNoLastLineEndMakeNoDifference) {
  EXPECT_THAT(documents("a.csv", "\xEF\xBB\xBFtext,label\r\n\"a\",x\r\n\r\nb,\"y\""),
              ElementsAre("a|x|a.csv:2", "b|y|a.csv:4"));
}

TEST(Csv, AQuotedHeaderAndAnEmptyLastFieldAreFields) {
  EXPECT_THAT(documents("a.csv", "\"text\",\"label\",note\na,x,\n"), ElementsAre("a|x|a.csv:2"));
}

TEST(Csv, WithoutQuotesAQuoteIsACharacter) {
  CorpusOptions options;
  options.quotes = false;
  EXPECT_THAT(documents("a.tsv", "text\tlabel\n\"never closed\tx\n", options), ElementsAre("\"never closed|x|a.tsv:2"));
}

TEST(Csv, ColumnsAreNamedByTheOptions) {
  CorpusOptions options;
  options.text_field = "review";
  options.label_field = "stars";
  options.id_field = "key";
  EXPECT_THAT(documents("a.csv", "key,review,stars,text\nk1,good,5,no\n,bad,1,no\n", options),
              ElementsAre("good|5|k1", "bad|1|a.csv:3"));
}

TEST(Tsv, SeparatesByTabsAndKeepsCommas) {
  EXPECT_THAT(documents("a.tsv", "text\tlabel\na,b\tx\n\"c\td\"\ty\n"), ElementsAre("a,b|x|a.tsv:2", "c\td|y|a.tsv:3"));
}

TEST(JsonLines, LabelsMayBeStringsIntegersAndBooleans) {
  EXPECT_THAT(documents("a.jsonl",
                        "{\"text\": \"a\", \"label\": \"x\"}\n{\"label\": -3, \"text\": \"b\"}\n"
                        "{\"text\": \"c\", \"label\": true, \"id\": 7}\n"),
              ElementsAre("a|x|a.jsonl:1", "b|-3|a.jsonl:2", "c|true|7"));
}

TEST(JsonLines, OtherFieldsOfAnyKindAreSkipped) {
  EXPECT_THAT(documents("a.jsonl",
                        "\xEF\xBB\xBF{\"meta\": {\"text\": 1, \"label\": [null, {\"id\": 2}]}, \"text\": \"a\", "
                        "\"label\": \"x\", \"id\": null}\r\n\r\n  \n{\"text\": \"b\", \"label\": \"y\"}"),
              ElementsAre("a|x|a.jsonl:1", "b|y|a.jsonl:4"));
}

TEST(JsonLines, EscapesBecomeCharacters) {
  EXPECT_THAT(documents("a.jsonl", R"({"text": "a\n\u00e9\ud83d\ude00\"", "label": "x"})"),
              ElementsAre("a\n\xC3\xA9\xF0\x9F\x98\x80\"|x|a.jsonl:1"));
}

TEST(AnyForm, TextsOfWhiteSpaceAreCountedAndLeftOut) {
  const DocumentList list = read("a.csv", "text,label\n  ,x\na,x\n\"\n\t\xC2\xA0\xE3\x80\x80\",y\n");
  EXPECT_THAT(show(list.documents), ElementsAre("a|x|a.csv:3"));
  EXPECT_EQ(list.num_empty, 2u);
  EXPECT_THAT(list.empty_ids, ElementsAre("a.csv:2", "a.csv:4"));
}

TEST(AnyForm, GzipIsUnpackedWhateverTheNameSays) {
  const std::string rows = "text,label\na,x\nb,y\n";
  const auto plain = documents("a.csv", rows);
  EXPECT_EQ(documents("a.csv", gzip(rows)), plain);
  EXPECT_THAT(documents("a.csv.gz", gzip("text,label\na,x\n") + gzip("") + gzip("b,y\n")),
              ElementsAre("a|x|a.csv.gz:2", "b|y|a.csv.gz:3"));
  EXPECT_EQ(documents("a.csv.gz", rows).size(), plain.size());  // a name that lies
}

// Longer than the blocks that files, gzip data and lines are read in.
TEST(AnyForm, LongDocumentsComeOutWhole) {
  std::string long_text;
  for (int i = 0; i < 100000; ++i) long_text += "w\xC3\xB6rd" + std::to_string(i) + (i % 7 == 0 ? "\n" : " ");
  const std::string expected = long_text + "|x|1";
  const std::string csv = "text,label,id\n\"" + long_text + "\",x,1\n";
  EXPECT_EQ(documents("a.csv", csv), std::vector{expected});
  EXPECT_EQ(documents("a.csv", gzip(csv)), std::vector{expected});
  const std::string json = nlohmann::json{{"text", long_text}, {"label", "x"}, {"id", 1}}.dump();
  EXPECT_EQ(documents("a.jsonl", gzip(json)), std::vector{expected});
}

TEST(TextFile, IsReadToTheByteWithoutItsByteOrderMark) {
  const DataFolder folder;
  EXPECT_EQ(text::read_text_file(folder.write("a.txt",
                                              "\xEF\xBB\xBF"
                                              "a\r\n\n b")),
            "a\r\n\n b");
  EXPECT_EQ(text::read_text_file(folder.write("b.txt", gzip("packed\n"))), "packed\n");
  EXPECT_EQ(text::read_text_file(folder.write("c.txt", "")), "");
  EXPECT_EQ(text::read_text_file(folder.write("d.txt", "\xEF\xBB\xBF")), "");
}

TEST(FileForm, IsKnownByTheEndingOfTheName) {
  EXPECT_EQ(text::file_form("x/a.CSV"), text::FileForm::kCsv);
  EXPECT_EQ(text::file_form("a.b.tsv.gz"), text::FileForm::kTsv);
  EXPECT_EQ(text::file_form("a.ndjson.gz"), text::FileForm::kJsonLines);
  EXPECT_EQ(text::file_form("a.csv.txt"), text::FileForm::kText);
  EXPECT_EQ(text::file_form("csv"), text::FileForm::kText);
}

}  // namespace
}  // namespace rotary::testing
