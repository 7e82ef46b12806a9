// Data that cannot be taken: one line that names the file, the line and what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "text/corpus.h"
#include "text/data_folder.h"
#include "text/document_file.h"

namespace rotary::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using text::CorpusOptions;

constexpr std::size_t kMaxBytes = 2000;

template <class Error>
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

struct BadFile {
  const char* name;
  const char* file;
  std::string content;
  std::string error;  // after the path
};

void PrintTo(const BadFile& bad, std::ostream* out) { *out << bad.name; }

class BadData : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadData, IsOneLineThatSaysWhereAndWhat) {
  const DataFolder folder;
  const std::string path = folder.write(GetParam().file, GetParam().content);
  CorpusOptions options;
  options.max_bytes = kMaxBytes;
  const std::string error = error_of<std::runtime_error>([&] { text::load_corpus(path, options); });
  EXPECT_THAT(error, AllOf(StartsWith(path + GetParam().error), Not(HasSubstr("\n")))) << GetParam().name;
  EXPECT_LT(error.size(), path.size() + 800);
}

std::string nested(int depth) {
  return R"({"text": "a", "label": "x", "deep": )" + std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']') + "}\n";
}

std::string damaged(std::string packed) {
  packed[packed.size() - 8] = static_cast<char>(packed[packed.size() - 8] ^ 1);  // of the checksum
  return packed;
}

const std::string kRows = "text,label\na b c,x\nd e f,y\n";
const std::string kLong(kMaxBytes + 1, 'a');
const std::string kHalf(kMaxBytes / 2, 'a');

INSTANTIATE_TEST_SUITE_P(
    OfAFile, BadData,
    ::testing::Values(
        BadFile{"UnknownForm", "a.docx", "x", ": must end in .csv, .tsv or .jsonl (.gz may follow), got 'a.docx'"},
        BadFile{"EmptyCsv", "a.csv", "", ": must begin with a header row, got an empty file"},
        BadFile{"EmptyJsonl", "a.jsonl", "", ": must hold training documents, got none"},
        BadFile{"HeaderOnly", "a.csv", "text,label\n", ": must hold training documents, got none"},
        BadFile{"EmptyTextsOnly", "a.csv", "text,label\n ,x\n,y\n",
                ": must hold training documents, got 2, all without text"},
        BadFile{"OneClass", "a.csv", "text,label\na,x\nb,x\nc,x\n",
                ": must have documents of two labels or more, got 'x' only"},
        BadFile{"TooFewToSplit", "a.csv", kRows, ": must have three documents or more of a label to split off"},
        BadFile{"NoTextColumn", "a.csv", "\xEF\xBB\xBFtitle,\"my \nbody\",label\na,b,x\n",
                ":1: must have a column 'text', got the columns 'title', 'my \\nbody', 'label'"},
        BadFile{"NoLabelColumn", "a.tsv", "text,label\na,x\n",
                ":1: must have a column 'text', got the columns 'text,l"},
        BadFile{"TwoTextColumns", "a.csv", "text,label,text\na,x,b\n", ":1: must have one column 'text', got several"},
        BadFile{"ShortRow", "a.csv", kRows + "g h\n", ":4: must have 2 fields, as the header has, got 1"},
        BadFile{"LongRow", "a.csv", "text,label\na,x\n\n\"g\nh\",i,j\n",
                ":4: must have 2 fields, as the header has, got 3"},
        BadFile{"UnclosedQuote", "a.csv", "text,label\na,x\nb,\"y\nc,x\nd,y\n",
                ":3:3: must have an end to the quoted field that begins here, got the end of the file"},
        BadFile{"TextBehindAQuote", "a.csv", "text,label\n\"a\"b,x\n",
                ":2:4: must have a delimiter or the line's end behind a closing quote, got 'b,x'"},
        BadFile{"CharacterBehindAQuote", "a.csv", "text,label\n\"a\"\xDE\xBF,x\n",
                ":2:4: must have a delimiter or the line's end behind a closing quote, got '\xDE\xBF,x'"},
        BadFile{"EmptyLabel", "a.csv", "text,label\na,x\nb, \n", ":3: must have a label, one line that is not empty"},
        BadFile{"LabelOfTwoLines", "a.csv", "text,label\na,\"x\ny\"\n", ":2: must have a label, one line"},
        BadFile{"TooManyColumns", "a.csv", "text,label" + std::string(kMaxBytes, ',') + "\n",
                ":1: must be at most 2000 bytes a line, got more"},
        BadFile{"LongLine", "a.csv", kRows + kLong, ":4: must be at most 2000 bytes a line, got more"},
        BadFile{"LongField", "a.csv", "text,label\na,\"" + kHalf + "\n" + kHalf + "\n" + kHalf + "\"\n",
                ":2:3: must be at most 2000 bytes a field, got more"},
        BadFile{"Latin1", "a.csv", "text,label\na,x\nb\xE9t\xE9,y\n", ":3:2: must be UTF-8, got the byte 0xe9"},
        BadFile{"BadByteBehindAMark", "a.csv", "\xEF\xBB\xBFtext\xFF", ":1:8: must be UTF-8, got the byte 0xff"},
        BadFile{"Overlong", "a.csv", "text,label\n\xC0\xAF,x\n", ":2:1: must be UTF-8, got the byte 0xc0"},
        BadFile{"Surrogate", "a.csv", "text,label\n\xED\xA0\x80,x\n", ":2:1: must be UTF-8, got the byte 0xed"},
        BadFile{"BeyondUnicode", "a.csv", "text,label\n\xF4\x90\x80\x80,x\n", ":2:1: must be UTF-8, got the byte 0xf4"},
        BadFile{"CutCharacter", "a.csv", "text,label\na,x\xE2\x82", ":2:4: must be UTF-8, got the byte 0xe2"},
        BadFile{"Utf16", "a.csv", std::string("\xFF\xFEt\0e\0", 6),
                ":1:1: must be UTF-8, got the byte 0xff (it looks like UTF-16)"},
        BadFile{"Nul", "a.csv", std::string("text,label\na\0b,x\n", 17), ":2:2: must be text, got a NUL byte"}));

INSTANTIATE_TEST_SUITE_P(
    OfJsonLines, BadData,
    ::testing::Values(
        BadFile{"NoJson", "a.jsonl", "{\"text\": \"a\", \"label\": \"x\"}\nhello\n",
                ":2:1: must be a line of JSON, got"},
        BadFile{"CutLine", "a.jsonl", "{\"text\": \"a\"",
                ":1:13: must be a line of JSON, got 'syntax error while parsing object - unexpected end of input"},
        BadFile{"ErrorInsideACharacter", "a.jsonl", "{\"text\":\xE6\x9C\xAC}",
                ":1:9: must be a line of JSON, got 'syntax error while parsing value - invalid literal'"},
        BadFile{"TwoObjects", "a.jsonl", R"({"text": "a", "label": "x"} {})", ":1:29: must be a line of JSON, got"},
        BadFile{"List", "a.json", "[\n{}\n]", ":1: must be a JSON object on each line, got a list"},
        BadFile{"Scalar", "a.jsonl", "3\n", ":1: must be a JSON object on each line, got an integer"},
        BadFile{"NoText", "a.jsonl", R"({"txt": "a", "label": "x"})",
                ":1: must have a field 'text', got an object with"},
        BadFile{"NoLabel", "a.jsonl", R"({"text": "a", "lable": 1})",
                ":1: must have a field 'label', got an object wi"},
        BadFile{"TextIsANumber", "a.jsonl", R"({"text": 1, "label": "x"})",
                ":1: the field 'text' must be a string, got an integer"},
        BadFile{"TextIsNull", "a.jsonl", R"({"text": null, "label": "x"})",
                ":1: the field 'text' must be a string, got null"},
        BadFile{"TextIsAList", "a.jsonl", R"({"text": ["a"], "label": "x"})",
                ":1: the field 'text' must be a string, got a list"},
        BadFile{"LabelIsReal", "a.jsonl", R"({"text": "a", "label": 1.5})",
                ":1: the field 'label' must be a string, an integer or a boolean, got a number"},
        BadFile{"LabelIsAnObject", "a.jsonl", R"({"text": "a", "label": {}})",
                ":1: the field 'label' must be a string, an integer or a boolean, got an object"},
        BadFile{"TextTwice", "a.jsonl", R"({"text": "a", "label": "x", "text": "b"})",
                ":1: the field 'text' must stand once in the object, got it twice"},
        BadFile{"EscapedNul", "a.jsonl", R"({"text": "a\u0000", "label": "x"})",
                ":1: the field 'text' must hold no NUL, got one"},
        BadFile{
            "LoneSurrogate", "a.jsonl", R"({"text": "\ud800", "label": "x"})",
            ":1:17: must be a line of JSON, got 'syntax error while parsing value - invalid string: surrogate U+D800"},
        BadFile{"TooDeep", "a.jsonl", nested(128), ":1: must be nested at most 128 levels deep, got more"},
        BadFile{"BadByteInAString", "a.jsonl", "{\"text\": \"\xFF\", \"label\": \"x\"}", ":1:11: must be UTF-8"},
        BadFile{"LongLine", "a.jsonl", kLong, ":1: must be at most 2000 bytes a line, got more"}));

INSTANTIATE_TEST_SUITE_P(
    OfGzip, BadData,
    ::testing::Values(
        BadFile{"Truncated", "a.csv.gz", gzip(kRows).substr(0, 20), ": must be whole gzip data, got its end inside"},
        BadFile{"WithoutItsChecksum", "a.csv.gz", gzip(kRows).substr(0, gzip(kRows).size() - 8),
                ": must be whole gzip data, got its end inside"},
        BadFile{"MagicOnly", "a.csv.gz", "\x1f\x8b", ": must be whole gzip data, got its end inside"},
        BadFile{"TrailingBytes", "a.csv.gz", gzip(kRows) + "more",
                ": must end where its gzip data end, got other bytes behind them"},
        BadFile{"HalfASecondMember", "a.csv.gz", gzip(kRows) + gzip(kRows).substr(0, 5), ": must be whole gzip data"},
        BadFile{"Damaged", "a.csv.gz", damaged(gzip(kRows)), ": must be sound gzip data, got incorrect data check"},
        BadFile{"LongLineInside", "a.jsonl.gz", gzip(std::string(100 * kMaxBytes, 'a')),
                ":1: must be at most 2000 bytes a line"}));

TEST(DeepNesting, IsRefusedWithoutUsingTheStack) {
  const DataFolder folder;
  for (const char* open : {"[", "{\"a\":"}) {
    std::string line = R"({"x": )";
    for (int i = 0; i < 3'000'000; ++i) line += open;
    const std::string path = folder.write("a.jsonl", line);
    EXPECT_THAT(error_of<std::runtime_error>([&] { text::load_corpus(path); }), HasSubstr("at most 128 levels"));
  }
  const std::string path = folder.write("b.jsonl", nested(127));
  EXPECT_THAT(error_of<std::runtime_error>([&] { text::load_corpus(path); }), HasSubstr("two labels or more"));
}

TEST(AbsentFile, IsNamed) {
  const DataFolder folder;
  const std::string path = folder.path("nowhere.csv");
  for (const auto& call :
       {std::function<void()>([&] { text::load_corpus(path); }), std::function<void()>([&] { text::load_texts(path); }),
        std::function<void()>([&] { text::read_text_file(path); })})
    EXPECT_EQ(error_of<std::runtime_error>(call), path + ": must be readable, got No such file or directory");
  EXPECT_EQ(error_of<std::runtime_error>([&] { text::read_text_file(folder.root()); }),
            folder.root() + ": must be readable, got Is a directory");
}

TEST(TextFile, IsRefusedWithTheLineWhenItIsNotText) {
  const DataFolder folder;
  const std::string path = folder.write("a.txt", "one\ntwo \xFF\n");
  EXPECT_EQ(error_of<std::runtime_error>([&] { text::read_text_file(path); }),
            path + ":2:5: must be UTF-8, got the byte 0xff");
  EXPECT_EQ(error_of<std::runtime_error>([&] { text::read_text_file(folder.write("b.txt", "a\nb\nc\n"), 5); }),
            folder.path("b.txt") + ": must be at most 5 bytes of text, got more");
}

struct BadOption {
  const char* name;
  std::function<void(CorpusOptions&)> change;
  const char* error;
};

TEST(BadOptions, AreNamed) {
  const DataFolder folder;
  const std::string path = folder.write("a.csv", kRows);
  for (const BadOption& bad : {
           BadOption{"negative", [](auto& o) { o.valid_fraction = -0.1; },
                     "valid_fraction must be in [0, 1), got -0.1"},
           BadOption{"nan", [](auto& o) { o.test_fraction = 0.0 / 0.0; }, "test_fraction must be in [0, 1), got"},
           BadOption{"sum", [](auto& o) { o.valid_fraction = o.test_fraction = 0.5; },
                     "valid_fraction + test_fraction must be below 1, got 1"},
           BadOption{"no text", [](auto& o) { o.text_field = ""; }, "text_field must be a name, got ''"},
           BadOption{"no label", [](auto& o) { o.label_field = ""; }, "label_field must be a name, got ''"},
           BadOption{"same", [](auto& o) { o.label_field = "text"; }, "text_field and label_field must differ"},
           BadOption{"same id", [](auto& o) { o.id_field = "label"; }, "id_field must differ from"},
           BadOption{"no bytes", [](auto& o) { o.max_bytes = 0; }, "max_bytes must be positive, got 0"},
       }) {
    CorpusOptions options;
    bad.change(options);
    EXPECT_THAT(error_of<std::invalid_argument>([&] { text::load_corpus(path, options); }),
                StartsWith(std::string("load_corpus: ") + bad.error))
        << bad.name;
  }
}

}  // namespace
}  // namespace rotary::testing
