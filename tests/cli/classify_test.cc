// `rotary classify`: documents by file, on the standard input, line by line, and what it refuses.
#ifdef ROTARY_HAS_MODEL_VERBS
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/classifier.h"

namespace rotary::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Classify : public Classifier {
 protected:
  void SetUp() override {
    Classifier::SetUp();
    train("--epochs 8 --max-length 16");
    write("the gull and the tide on the wave", "sea.txt");
    write("a rose and a worm, a leaf and a spade", "garden.txt");
  }
  std::string model() const { return "classify " + file("model") + " "; }
  static std::vector<json> lines_of(const Finished& run) {
    std::vector<json> out;
    std::istringstream in(run.out);
    for (std::string line; std::getline(in, line);) out.push_back(json::parse(line));
    return out;
  }
};

TEST_F(Classify, NamesTheLabelsMostLikelyFirst) {
  const Finished run = rotary(model() + file("sea.txt") + " " + file("garden.txt"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("sea.txt: sea "));
  EXPECT_THAT(run.out, HasSubstr("garden.txt: garden "));
  EXPECT_EQ(rotary(model() + file("sea.txt") + " --top 1").out.find(','), std::string::npos);
}

TEST_F(Classify, WritesJsonLinesWithAllProbabilities) {
  const auto lines = lines_of(rotary(model() + file("sea.txt") + " " + file("garden.txt") + " --json"));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at("id"), file("sea.txt"));
  EXPECT_EQ(lines[0].at("label"), "sea");
  EXPECT_EQ(lines[1].at("label"), "garden");
  double sum = 0;
  for (const auto& [label, probability] : lines[0].at("probabilities").items()) sum += probability.get<double>();
  EXPECT_EQ(lines[0].at("probabilities").size(), 3u);
  EXPECT_NEAR(sum, 1, 3 * 0x1p-24);  // three roundings to float32
}

TEST_F(Classify, ReadsTheStandardInputWholeOrLineByLine) {
  const std::string text = "the gull and the tide\nthe oven and the butter\n";
  EXPECT_EQ(lines_of(rotary_reading(text, model() + "- --json")).size(), 1u);
  const auto lines = lines_of(rotary_reading(text + "\nthe rose and the worm", model() + "- --lines --json"));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].at("label"), "sea");
  EXPECT_EQ(lines[1].at("label"), "kitchen");
  EXPECT_EQ(lines[3].at("label"), "garden");
  EXPECT_EQ(lines[3].at("id"), "-:4");
}

TEST_F(Classify, ReadsADocumentAsItsLinesAlone) {
  const auto together = lines_of(rotary_reading("the gull\nthe oven\n", model() + "- --lines --json"));
  const auto alone = lines_of(rotary_reading("the gull\n", model() + "- --lines --json"));
  ASSERT_EQ(together.size(), 2u);
  for (const auto& [label, probability] : alone.at(0).at("probabilities").items())
    EXPECT_NEAR(together[0].at("probabilities").at(label).get<double>(), probability.get<double>(), 1e-5);
}

TEST_F(Classify, ReadsLongDocumentsAsTold) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "the gull and the tide ";
  for (int i = 0; i < 60; ++i) text += "the oven and the butter ";
  const auto label = [&](const std::string& options) {
    return lines_of(rotary_reading(text, model() + "- --json " + options)).at(0).at("label");
  };
  EXPECT_EQ(label(""), "sea");
  EXPECT_EQ(label("--truncation tail"), "kitchen");
  EXPECT_EQ(label("--truncation windows"), "kitchen");
  EXPECT_EQ(label("--truncation windows --stride 16"), "kitchen");
  EXPECT_EQ(label("--scaling yarn --factor 4"), "sea");
}

TEST_F(Classify, WarnsOfDocumentsWithoutText) {
  for (const char* input : {"", " \n\t "}) {
    const Finished run = rotary_reading(input, model() + "-");
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "rotary: warning: - has no text\n");
  }
  const Finished none = rotary_reading("", model() + "- --lines");
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(none.out + none.err, "");
}

TEST_F(Classify, SaysWhatIsWrongWithADocument) {
  write("bad \xff", "bad.txt");
  write(std::string("\x7f"
                    "ELF\0",
                    5),
        "program");
  expect_failure(rotary(model() + file("bad.txt")), 1, "bad.txt:1:5: must be UTF-8");
  expect_failure(rotary(model() + file("program")), 1, "program:1:5: must be text, got a NUL byte");
  expect_failure(rotary(model() + file("missing")), 1, "missing: must be readable");
  expect_failure(rotary(model() + file("sea.txt") + " " + file("model")), 1, "model: must be readable, got Is a dir");
  expect_failure(rotary(model() + "/dev/zero"), 1, "must be at most 67108864 bytes");
}

TEST_F(Classify, NamesTheOptionThatIsOutOfRange) {
  for (const char* option : {"--max-length 0", "--stride 5", "--truncation foo", "--scaling foo", "--scaling yarn",
                             "--factor 2", "--top 0", "--threads 0", "--dtype foo"}) {
    SCOPED_TRACE(option);
    const std::string words = option;
    expect_failure(rotary(model() + file("sea.txt") + " " + words), 2, words.substr(0, words.find(' ')));
  }
  expect_failure(rotary(model() + file("sea.txt") + " --truncation windows --max-length 4 --stride 5"), 2, "--stride");
  expect_failure(rotary("classify " + file("model")), 2, "files is required");
  expect_failure(rotary("classify '' " + file("sea.txt")), 2, "model: must be a path");
}

TEST_F(Classify, SaysWhatIsWrongWithAModel) {
  for (const char* name : {"config.json", "model.safetensors", "tokenizer.json"}) {
    SCOPED_TRACE(name);
    const std::string path = std::string("model/") + name, whole = bytes(path);
    for (const std::string& damaged :
         {std::string(), whole.substr(0, whole.size() / 2), std::string("[]"), std::string(3000, '\xfe')}) {
      write(damaged, path);
      expect_failure(rotary(model() + file("sea.txt")), 1, std::string(name) + ": ");
    }
    std::filesystem::remove(file(path));
    expect_failure(rotary(model() + file("sea.txt")), 1, "model");
    write(whole, path);
  }
  expect_failure(rotary("classify " + file("nothing") + " " + file("sea.txt")), 1, "nothing/config.json: must be");
}

TEST_F(Classify, SaysWhatIsWrongWithTheFactsOfTraining) {
  for (const char* facts : {"", "[]", "{\"max_length\": \"x\"}", "{\"max_length\": 0}", "{\"max_length\": -5}",
                            "{\"max_length\": 1e30}", "{\"data\": 5}", "{\"split_seed\": -1}"}) {
    SCOPED_TRACE(facts);
    write(facts, "model/training.json");
    expect_failure(rotary(model() + file("sea.txt")), 1, "training.json: ");
  }
}

TEST_F(Classify, NeedsAClassifier) {
  ASSERT_EQ(rotary("pretrain --data " + file("data.csv") + " --output " + file("words") + small("--epochs 1 --heads 2"))
                .status,
            0);
  expect_failure(rotary("classify " + file("words") + " " + file("sea.txt")), 1,
                 "must be a classifier, got one without");
}

}  // namespace
}  // namespace rotary::testing

#endif  // ROTARY_HAS_MODEL_VERBS
