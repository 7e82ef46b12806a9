// The built program, run as users run it: `rotary plot`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/program.h"
#include "report/markup.h"

namespace rotary::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string published(const std::string& name) {
  return std::string(ROTARY_TEST_DATA) + "/../../examples/configs/" + name + ".json";
}

class Plot : public Program {
 protected:
  // What `rotary plot ARGUMENTS -o NAME` wrote.
  std::string plot(const std::string& arguments, const std::string& name = "out.svg") const {
    const Finished run = rotary("plot " + arguments + " -o " + file(name));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, ::testing::StartsWith(file(name) + ": "));
    return bytes_of(name);
  }

  std::string bytes_of(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::size_t num_files() const {
    std::size_t out = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      out += entry.path().filename() != "out" && entry.path().filename() != "err";
    return out;
  }
};

TEST_F(Plot, DrawsEveryKindAsOnePictureWithoutAnythingFromElsewhere) {
  for (const char* kind : {"mechanism", "wavelength", "decay", "angles", "yarn", "precision"}) {
    const std::string svg = plot(std::string(kind) + " " + published("llama-3.1-8b"));
    EXPECT_EQ(xml_fault(svg), "") << kind;
    EXPECT_EQ(count(svg, "http"), 1) << kind;  // the name space
    EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark")) << kind;
    EXPECT_EQ(svg, plot(std::string(kind) + " " + published("llama-3.1-8b"))) << kind;
  }
}

TEST_F(Plot, NamesAxesLinesAndTheFilesThatShareThem) {
  const auto texts = texts_in(plot("wavelength " + published("llama-3-8b") + " " + published("llama-3.1-8b")));
  for (const char* text : {"Wavelength of each pair", "pair", "positions per full turn", "llama-3-8b", "llama-3.1-8b",
                           "8,192 trained", "131,072 limit"})
    EXPECT_THAT(texts, Contains(text));
}

// 4096 positions, a factor of 32: 0.1 ln 32 + 1 = 1.3466 times the plain score; -0.5465 is that of the two vectors.
TEST_F(Plot, WritesTheNumbersOfAPublishedModel) {
  EXPECT_THAT(texts_in(plot("mechanism " + published("llama-3-8b"))), Contains("score −0.547"));
  EXPECT_THAT(texts_in(plot("mechanism " + published("gpt-oss-20b"))), Contains("score −0.991"));
  EXPECT_THAT(texts_in(plot("yarn " + published("gpt-oss-20b"))), Contains("scaling factor"));
}

TEST_F(Plot, AnHtmlFileIsAPageWithTheCommand) {
  const std::string html = plot("decay " + published("roformer-base"), "out.html");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(count(html, "http"), count(html, "http://www.w3.org/2000/svg"));
  EXPECT_THAT(html, HasSubstr("rotary plot decay " + published("roformer-base")));
  EXPECT_THAT(html, HasSubstr("1,536 trained"));
  EXPECT_THAT(plot("angles " + published("gemma-3-4b-text") + " --layer 5 --as vllm", "out.html"),
              HasSubstr("gemma-3-4b-text.json --as vllm --layer 5 -o " + file("out.html")));
}

TEST_F(Plot, TakesTheFirstThatRotatesUnlessOneIsChosen) {
  const std::string gemma = published("gemma-3-4b-text");
  EXPECT_THAT(plot("wavelength " + gemma), HasSubstr("gemma-3-4b-text, sliding_attention"));
  EXPECT_THAT(plot("wavelength " + gemma + " --layer 5"), HasSubstr("gemma-3-4b-text, full_attention"));
  const Finished run = rotary("plot angles " + gemma + " --layer 5 -o " + file("out.svg"));
  EXPECT_THAT(run.out, HasSubstr("full_attention (layers 5, 11, 17, 23, 29)"));
  write(R"({"model_type": "smollm3", "num_hidden_layers": 2, "no_rope_layers": [0, 1]})");
  EXPECT_EQ(rotary("plot angles " + file() + " -o " + file("out.svg")).status, 0);
  expect_failure(rotary("plot angles " + file() + " --layer 0 -o " + file("out.svg")), 1,
                 "must rotate, got no rotation");
}

TEST_F(Plot, FilesOfOneNameAreToldApartByTheirPaths) {
  std::filesystem::create_directories(folder_ / "a" / "m");
  std::filesystem::create_directories(folder_ / "b" / "m");
  write(R"({"model_type": "llama"})", "a/m/config.json");
  write(R"({"model_type": "llama", "rope_theta": 5e5})", "b/m/config.json");
  const std::string svg = plot("wavelength " + file("a/m") + " " + file("b/m"));
  EXPECT_THAT(texts_in(svg), Contains("m"));
  EXPECT_THAT(svg, HasSubstr("/b/m"));
}

TEST_F(Plot, ReadsAsTheReferenceDoesAtTheLengthAskedFor) {
  EXPECT_NE(plot("wavelength " + published("gpt-oss-20b")),
            plot("wavelength " + published("gpt-oss-20b") + " --as llama.cpp"));
  write(R"({"model_type": "llama", "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}})");
  EXPECT_NE(plot("wavelength " + file()), plot("wavelength " + file() + " --seq-len 8192"));
}

TEST_F(Plot, FailsWithOneLineOnWhatIsNoRotation) {
  write(R"({"model_type": "vjepa2"})");
  expect_failure(rotary("plot angles " + file() + " -o " + file("x.svg")), 1, "what it does is no rotation");
  expect_failure(rotary("plot yarn " + published("llama-3-8b") + " -o " + file("x.svg")), 1,
                 "spec of 'llama-3-8b' must have a scaling method, got default");
  expect_failure(rotary("plot angles " + published("llama-3-8b") + " --layer 99 -o " + file("x.svg")), 1,
                 "--layer must be one of 0-31, got 99");
  expect_failure(rotary("plot angles /no/such/config.json -o " + file("x.svg")), 1, "/no/such/config.json");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.svg"));
}

TEST_F(Plot, AFailureLeavesTheOldFileAndNoOther) {
  write("old", "out.svg");
  expect_failure(rotary("plot yarn " + published("llama-3-8b") + " -o " + file("out.svg")), 1, "scaling method");
  EXPECT_EQ(bytes_of("out.svg"), "old");
  expect_failure(rotary("plot angles " + published("llama-3-8b") + " -o " + file("no/such/out.svg")), 1, "no/such");
  EXPECT_EQ(num_files(), 1U);
}

TEST_F(Plot, FailsWithTwoOnBadUsage) {
  const std::string model = published("llama-3-8b");
  expect_failure(rotary("plot"), 2, "kind is required");
  expect_failure(rotary("plot pie " + model + " -o " + file("x.svg")), 2,
                 "kind: must be one of mechanism, wavelength, decay, angles, yarn, precision, got 'pie'");
  expect_failure(rotary("plot decay " + model), 2, "--output is required");
  expect_failure(rotary("plot decay -o " + file("x.svg")), 2, "path");
  expect_failure(rotary("plot decay " + model + " -o " + file("x.png")), 2, "must end in .svg or .html, got '");
  expect_failure(rotary("plot angles " + model + " " + model + " -o " + file("x.svg")), 2,
                 "path: must be one file for angles, got 2");
  EXPECT_EQ(num_files(), 0U);
}

TEST_F(Plot, HelpHasTwoExamples) {
  const Finished run = rotary("plot --help");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(count(run.out, "\n  rotary plot "), 2);
  EXPECT_THAT(run.err, IsEmpty());
}

TEST_F(Plot, DrawsAModelOfOnePosition) {
  write(R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 1})");
  for (const char* kind : {"precision", "angles", "decay", "wavelength"}) {
    const Finished run = rotary(std::string("plot ") + kind + " " + file() + " -o " + file("one.svg"));
    EXPECT_EQ(run.status, 0) << kind << run.err;
  }
}

}  // namespace
}  // namespace rotary::testing
