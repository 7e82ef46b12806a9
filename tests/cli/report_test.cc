// The built program, run as users run it: `rotary report`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/program.h"
#include "report/markup.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string published(const std::string& name) {
  return std::string(ROTARY_TEST_DATA) + "/../../examples/configs/" + name + ".json";
}

class Report : public Program {
 protected:
  std::string report(const std::string& path, const std::string& options = "") const {
    const Finished run = rotary("report " + path + " -o " + file("report.html") + " " + options);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, file("report.html") + ": " + path + "\n");
    std::ifstream in(folder_ / "report.html", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

// The cells of the table row that begins with `name`, as they stand.
std::string row(const std::string& html, const std::string& name) {
  const std::size_t begin = html.find("<tr><th scope=\"row\">" + name + "</th>");
  return begin == html.npos ? "" : html.substr(begin, html.find("</tr>", begin) - begin);
}

TEST_F(Report, IsOnePageWithoutAnythingFromElsewhere) {
  const std::string html = report(published("llama-3.1-8b"));
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  const std::size_t begin = html.find("<body>"), end = html.find("</html>");
  EXPECT_EQ(xml_fault(html.substr(begin, end - begin)), "");
  EXPECT_EQ(count(html, "http"), count(html, "http://www.w3.org/2000/svg"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_EQ(count(html, "<figure"), 6);
  EXPECT_EQ(html, report(published("llama-3.1-8b")));
}

TEST_F(Report, HasTheFactsOfThePublishedModel) {
  const std::string html = report(published("llama-3.1-8b"));
  for (const char* text :
       {"<h1>Rotation of llama-3.1-8b</h1>", "read as transformers 5.24 does", "<dd>500,000</dd>",
        "llama3, factor 8 of 8192, low 1, high 4", "131,072 positions, 8,192 before it was extended", "layers 0-31"})
    EXPECT_THAT(html, HasSubstr(text));
  // 2 pi and 2 pi 500000^(126/128) = 2,559,195.5, times 8.
  EXPECT_THAT(html, HasSubstr("6.283 to 1,956"));
  EXPECT_THAT(row(html, "llama-3.1-8b"), HasSubstr("20,473,564"));
  EXPECT_THAT(row(html, "without scaling"), HasSubstr("2,559,196"));
}

TEST_F(Report, HasTheCommandOfEachFigure) {
  const std::string path = published("gpt-oss-20b"), html = report(path, "--as vllm");
  for (const char* kind : {"mechanism", "wavelength", "decay", "angles", "yarn", "precision"})
    EXPECT_THAT(html, HasSubstr("rotary plot " + std::string(kind) + " " + path + " --as vllm -o " + kind + ".svg"));
  EXPECT_THAT(html, HasSubstr("rotary inspect " + path + " --as vllm"));
}

TEST_F(Report, EachRotationOfTheModelHasItsWavelengths) {
  const std::string html = report(published("gemma-3-4b-text"));
  EXPECT_THAT(html, HasSubstr("What follows is about model sliding_attention"));
  EXPECT_THAT(row(html, "gemma-3-4b-text, full_attention"), HasSubstr("45,122,677"));  // 8 2 pi 10^(6 254/256)
  EXPECT_THAT(html, HasSubstr("gemma-3-4b-text.json --layer 5 -o wavelength.svg"));
  EXPECT_EQ(count(html, "<figure"), 5);  // the first is not scaled
}

TEST_F(Report, SaysWhatOtherReadersMakeOfTheFile) {
  const std::string html = report(published("gpt-oss-20b"));
  EXPECT_THAT(row(html, "transformers"), HasSubstr("this page"));
  EXPECT_THAT(row(html, "original"), HasSubstr("the same"));
  EXPECT_THAT(row(html, "llama.cpp"), HasSubstr("differs"));
  EXPECT_THAT(row(html, "llama.cpp"), HasSubstr("rad apart at position 131,071"));
  EXPECT_THAT(html, HasSubstr("gpt-oss-20b.json --as llama.cpp"));
  EXPECT_THAT(row(report(published("gemma-3-4b-text")), "onnxruntime-genai"), HasSubstr("not known"));
}

// transformers 5 scales from the length on, vLLM without max_trained_positions never.
TEST_F(Report, ReadersAreComparedInLongSequencesToo) {
  write(R"({"model_type": "llama", "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}})");
  EXPECT_THAT(row(report(file()), "vllm"), HasSubstr("in sequences of 4096"));
  EXPECT_THAT(row(report(file(), "--seq-len 1000"), "vllm"), HasSubstr("the same"));
}

TEST_F(Report, SaysWhereValuesCameFromAndWhatIsLost) {
  write(R"({"model_type": "llama", "rope_theta": 5, "rope_parameters": {"rope_theta": 7, "rope_type": "default"}})");
  const std::string html = report(file());
  EXPECT_THAT(row(html, "base"), HasSubstr("rope_parameters.rope_theta"));
  EXPECT_THAT(row(html, "num_attention_heads"), HasSubstr("assumed: no num_attention_heads in the file"));
  EXPECT_THAT(row(html, "rope_theta"), HasSubstr("lost: 5"));
  EXPECT_THAT(row(html, "original"), HasSubstr("refuses the file"));
  EXPECT_THAT(report(published("llama-3-8b")), Not(HasSubstr("Warnings")));
}

TEST_F(Report, QuotesAPathThatAShellWouldDivide) {
  std::filesystem::create_directories(folder_ / "my model");
  write(R"({"model_type": "llama"})", "my model/config.json");
  const std::string path = file("my model/config.json");
  EXPECT_EQ(rotary("report '" + path + "' -o " + file("r.html")).status, 0);
  std::ifstream in(folder_ / "r.html", std::ios::binary);
  const std::string html{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(html, HasSubstr("rotary inspect &#39;" + path + "&#39;"));
  EXPECT_THAT(html, HasSubstr("<h1>Rotation of my model</h1>"));
}

TEST_F(Report, FailsWithOneLineAndLeavesTheOldFile) {
  write("old", "report.html");
  write(R"({"model_type": "vjepa2"})");
  expect_failure(rotary("report " + file() + " -o " + file("report.html")), 1, "what it does is no rotation");
  expect_failure(rotary("report /no/such.json -o " + file("report.html")), 1, "/no/such.json");
  std::ifstream in(folder_ / "report.html");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "old");
}

TEST_F(Report, FailsWithTwoOnBadUsage) {
  expect_failure(rotary("report"), 2, "path");
  expect_failure(rotary("report " + published("llama-3-8b")), 2, "--output is required");
  expect_failure(rotary("report " + published("llama-3-8b") + " -o " + file("r.svg")), 2, "must end in .html, got '");
  EXPECT_EQ(count(rotary("report --help").out, "\n  rotary report "), 2);
}

}  // namespace
}  // namespace rotary::testing
