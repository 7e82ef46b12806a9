// `rotary precision`: what narrow formats lose, in the words and numbers of the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/workbench.h"

namespace rotary::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class PrecisionPublished : public Workbench, public ::testing::WithParamInterface<PublishedCase> {};

TEST_P(PrecisionPublished, IsAsRecorded) { expect_goldens(GetParam(), "precision"); }

INSTANTIATE_TEST_SUITE_P(Models, PrecisionPublished,
                         ::testing::Values(PublishedCase{"llama-2-7b"}, PublishedCase{"llama-3.1-8b"},
                                           PublishedCase{"gpt-oss-20b"}, PublishedCase{"gpt-neox-20b"}),
                         published_label);

class PrecisionVerb : public Workbench {
 protected:
  void SetUp() override {
    Workbench::SetUp();
    write(R"({"model_type": "llama", "head_dim": 16, "num_hidden_layers": 1})");
  }
  static json loss(const json& out, const std::string& part, const std::string& format) {
    for (const json& row : out.at("rotations").at(0).at("losses"))
      if (row.at("part") == part && row.at("format") == format) return row;
    return {};
  }
};

TEST_F(PrecisionVerb, KnowsWhereNeighboursMeet) {
  const json out = json_of("precision config.json");
  EXPECT_EQ(out.at("first_equal_positions"),
            json::parse(R"({"bfloat16": 256, "float16": 2048, "float32": 16777216, "tfloat32": 2048})"));
  EXPECT_EQ(loss(out, "positions", "bfloat16").at("first_equal_row"), 256);
  EXPECT_TRUE(loss(out, "tables", "bfloat16").at("first_equal_row").is_null());
  EXPECT_EQ(loss(out, "positions", "float16").at("at")[4].at("error"), "overflow");  // 65537
}

TEST_F(PrecisionVerb, UP11_UP13_OrdersTheDamage) {
  const json out = json_of("precision config.json");
  const auto error = [&](const char* part, const char* format, int at) {
    return loss(out, part, format).at("at").at(static_cast<std::size_t>(at)).at("error").get<double>();
  };
  EXPECT_NEAR(error("positions", "bfloat16", 3), 1, 1e-9);  // 8191 becomes 8192, pair 0
  EXPECT_GT(error("frequencies", "bfloat16", 3), 0.5);
  EXPECT_LT(error("tables", "bfloat16", 3), 0.003);
  EXPECT_LT(error("arithmetic", "exact", 6), 1e-7);
  EXPECT_GT(error("arithmetic", "transformers-float32", 6), 1e-4);
}

TEST_F(PrecisionVerb, SaysWhatAnArithmeticLacks) {
  write(R"({"model_type": "llama", "head_dim": 16, "num_hidden_layers": 1, "max_position_embeddings": 2048,
            "rope_scaling": {"type": "dynamic", "factor": 2.0}})");
  EXPECT_THAT(
      loss(json_of("precision config.json --seq-len 8192"), "arithmetic", "ggml").at("fails").get<std::string>(),
      HasSubstr("ggml"));
}

TEST_F(PrecisionVerb, FailsWithOneLine) {
  expect_failure(verb("precision"), 2, "path");
  expect_failure(verb("precision /no/such/config.json"), 1, "/no/such/config.json");
  expect_failure(verb("precision config.json --layer 3"), 1, "--layer");
  expect_failure(verb("precision config.json --as nobody"), 2, "--as");
}

}  // namespace
}  // namespace rotary::testing
