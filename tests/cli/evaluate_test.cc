// `rotary evaluate`: the figures it prints, their JSON, its page, and what it refuses.
#ifdef ROTARY_HAS_MODEL_VERBS
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "cli/classifier.h"

namespace rotary::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class Evaluate : public Classifier {
 protected:
  void SetUp() override {
    Classifier::SetUp();
    train("--epochs 8");
  }
  Finished evaluate(const std::string& options = "") const {
    return rotary("evaluate " + file("model") + " --dtype float32 " + options);
  }
  json figures(const std::string& options) const {
    const Finished run = evaluate("--json " + options);
    EXPECT_EQ(run.status, 0) << run.err;
    return json::parse(run.out, nullptr, false);
  }
};

TEST_F(Evaluate, PrintsTheFiguresAndWritesAPage) {
  const Finished run = evaluate("--lengths 4,12");
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* part : {"accuracy 100.0 % (standard error 0.0), macro F1 1.000 on 12 documents", "truth \\ said",
                           "tokens read", "document's tokens", "evaluation.html"})
    EXPECT_THAT(run.out, HasSubstr(part));
  const std::string page = bytes("model/evaluation.html");
  for (const char* part : {"<html", "</html>", "<svg", "garden", "kitchen", "100.0 %", "Loss in training"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_FALSE(std::regex_search(page, std::regex("(src|href)\\s*=\\s*\"?[^#\"]|@import|url\\(|<script[^>]*src|<link")))
      << "the page must need nothing beside it";
}

TEST_F(Evaluate, WritesItsFiguresAsJson) {
  const json out = figures("--lengths 4,12 --baseline");
  EXPECT_EQ(out.at("documents"), 12);
  EXPECT_EQ(out.at("accuracy"), 1.0);
  EXPECT_EQ(out.at("macro_f1"), 1.0);
  EXPECT_EQ(out.at("labels"), json({"garden", "kitchen", "sea"}));
  EXPECT_EQ(out.at("confusion"), json({{4, 0, 0}, {0, 4, 0}, {0, 0, 4}}));
  ASSERT_EQ(out.at("by_length").size(), 2u);
  EXPECT_EQ(out.at("by_length")[0].at("length"), 4);
  EXPECT_EQ(out.at("by_length")[1].at("accuracy"), 1.0);
  EXPECT_GT(out.at("by_length")[1].at("baseline_accuracy").get<double>(), 0.5);
  ASSERT_EQ(out.at("by_document_length").size(), 1u);
  EXPECT_EQ(out.at("by_document_length")[0].at("documents"), 12);
  EXPECT_FALSE(std::filesystem::exists(file("model/evaluation.html")));
}

TEST_F(Evaluate, TakesOtherDataAndOtherSplits) {
  EXPECT_EQ(figures("--split train").at("documents"), 42);
  EXPECT_EQ(figures("--split valid").at("documents"), 6);
  const std::string other = "--data " + write_csv("other.csv", 30);
  EXPECT_EQ(figures(other).at("documents"), 30) << "none of them was for training";
  EXPECT_EQ(figures(other + " --split test").at("documents"), 6);
  EXPECT_EQ(figures(other + " --baseline").at("documents"), 30);
  write("said,kind\nthe gull on the wave,sea\nthe tide,sea\na rose and a leaf,garden\nthe worm,garden\n", "named.csv");
  EXPECT_EQ(figures("--text-field said --label-field kind --data " + file("named.csv")).at("documents"), 4);
  write("text,label\nfire,forge\niron,forge\nsteel,forge\nwave,sea\ntide,sea\ngull,sea\n", "unknown.csv");
  expect_failure(evaluate("--data " + file("unknown.csv")), 1, "the label must be one of the model's, got 'forge'");
}

TEST_F(Evaluate, LeavesNoPageAndNoFiguresWhereItFails) {
  expect_failure(evaluate("--page " + file("none/page.html")), 1, "none/page.html: must be a file that can be written");
  expect_failure(evaluate("--page " + file("model")), 1, "model: must be a file that can be written");
  expect_failure(evaluate("--lengths 0"), 2, "--lengths");
  expect_failure(evaluate("--split best"), 2, "--split");
  expect_failure(evaluate("--json --page " + file("page.html")), 2, "--page");
  expect_failure(evaluate("--data " + file("missing.csv")), 1, "missing.csv: must be readable");
  std::filesystem::remove(file("data.csv"));
  expect_failure(evaluate(), 1, "data.csv: must be readable");
  std::filesystem::remove(file("model/training.json"));
  expect_failure(evaluate(), 1, "--data must be given");
}

TEST_F(Evaluate, ReadsALogThatIsDamaged) {
  write("{\"step\": \"one\", \"mean_loss\": 1}\nnothing\n{\"step\": 1}\n{\"step\": 2, \"mean_loss\": {}}\n",
        "model/log.jsonl");
  EXPECT_EQ(evaluate().status, 0);
  EXPECT_THAT(bytes("model/evaluation.html"), Not(HasSubstr("Loss in training")));
}

TEST_F(Evaluate, KeepsToThePositionsThatAModelHas) {
  train("--epochs 1 --encoding learned --max-length 8 --max-position 8");
  EXPECT_EQ(
      figures("").at("by_length"),
      json::parse(rotary("evaluate " + file("model") + " --dtype float32 --json --lengths 8").out).at("by_length"));
  expect_failure(evaluate("--max-length 9"), 2, "--max-length: must be at most the 8 positions of the model, got 9");
  expect_failure(evaluate("--lengths 16"), 2, "--lengths: must be at most the 8 positions");
  expect_failure(evaluate("--scaling linear --factor 2"), 2, "--scaling: must be given for a model that rotates");
}

}  // namespace
}  // namespace rotary::testing

#endif  // ROTARY_HAS_MODEL_VERBS
