// The built program, run as users run it: `rotary inspect`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"

namespace rotary::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A folder with a config.json in it.
class Inspect : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    write(R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 64,
              "num_attention_heads": 4, "head_dim": 16, "num_hidden_layers": 6, "sliding_window_pattern": 6}})");
  }

  json inspect(const std::string& options = "") const {
    const Finished run = rotary("inspect " + file() + " --json " + options);
    EXPECT_EQ(run.status, 0) << run.err;
    return json::parse(run.out);
  }
};

TEST_F(Inspect, PrintsForPeopleOnStdoutOnly) {
  const Finished run = rotary("inspect " + file());
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("gemma3"));
  EXPECT_THAT(run.out, HasSubstr("sliding_attention"));
  EXPECT_THAT(run.err, IsEmpty());
}

TEST_F(Inspect, ListsTheFilesOfAFolderThatHoldsSeveral) {
  EXPECT_THAT(rotary("inspect " + file()).out, Not(HasSubstr("files")));
  write(R"({"dim": 64, "n_layers": 6, "n_heads": 4})", "params.json");
  const Finished run = rotary("inspect " + folder_.string());
  EXPECT_THAT(run.out, HasSubstr("config.json   (config.json, read)\n"));
  EXPECT_THAT(run.out, HasSubstr("params.json   (params.json of Meta, compared)\n"));
  EXPECT_THAT(run.out, HasSubstr("rotate otherwise than"));
}

TEST_F(Inspect, PrintsTheKeysOfTheContractAsJson) {
  const json out = inspect();
  EXPECT_EQ(out.at("model_type"), "gemma3");
  EXPECT_EQ(out.at("reference"), "transformers");
  EXPECT_TRUE(out.at("warnings").is_array());
  ASSERT_EQ(out.at("rotations").size(), 2u);
  for (const json& r : out.at("rotations")) {
    EXPECT_EQ(r.at("component"), "text_config");
    EXPECT_TRUE(r.at("part").is_string());
    EXPECT_TRUE(r.at("layers").is_array());
    EXPECT_TRUE(r.at("layer_type").is_string());
    EXPECT_EQ(r.at("no_rotation"), false);
    EXPECT_EQ(r.at("head_dim"), 16);
    EXPECT_EQ(r.at("rotary_dim"), 16);
    ASSERT_EQ(r.at("pairs").size(), 8u);
    EXPECT_EQ(r.at("pairs")[0], json::array({0, 8, 1.0, 0}));
    EXPECT_TRUE(r.at("out_pairs").is_null());
    for (const char* key : {"attention_factor", "input_scale", "softmax_factor"})
      EXPECT_TRUE(r.at(key).is_number()) << key;
  }
}

TEST_F(Inspect, PrintsNumbersThatReadBackExactly) {
  const double frequency = inspect().at("rotations")[0].at("pairs")[1][2];
  EXPECT_NEAR(frequency, 0.31622776601683794, 1e-16);  // 10^-0.5, half a unit in the last place
}

TEST_F(Inspect, ListsWarningsWithKeyAndMessage) {
  write(R"({"model_type": "llama", "rope_theta": 5, "rope_parameters": {"rope_theta": 7, "rope_type": "default"}})");
  const json out = inspect();
  ASSERT_EQ(out.at("warnings").size(), 1u);
  EXPECT_EQ(out.at("warnings")[0].at("key"), "rope_theta");
  EXPECT_THAT(out.at("warnings")[0].at("message").get<std::string>(), HasSubstr("lost: 5"));
}

TEST_F(Inspect, ReportsALayerWithoutRotation) {
  write(R"({"model_type": "smollm3", "num_hidden_layers": 2, "no_rope_layers": [1, 0]})");
  const json r = inspect("--layer 1").at("rotations").at(0);
  EXPECT_EQ(r.at("no_rotation"), true);
  EXPECT_THAT(r.at("pairs"), IsEmpty());
}

TEST_F(Inspect, SaysNullPairsForWhatIsNoRotation) {
  write(R"({"model_type": "vjepa2"})");
  EXPECT_TRUE(inspect().at("rotations").at(0).at("pairs").is_null());
}

TEST_F(Inspect, FiltersByLayer) {
  const json out = inspect("--layer 5");
  ASSERT_EQ(out.at("rotations").size(), 1u);
  EXPECT_EQ(out.at("rotations")[0].at("layer_type"), "full_attention");
}

TEST_F(Inspect, FiltersByComponent) {
  write(R"({"model_type": "qwen2_vl"})");
  const json out = inspect("--component vision_config");
  ASSERT_EQ(out.at("rotations").size(), 1u);
  EXPECT_EQ(out.at("rotations")[0].at("component"), "vision_config");
}

TEST_F(Inspect, TakesAFolderThatHoldsAConfig) {
  EXPECT_EQ(rotary("inspect " + folder_.string()).out, rotary("inspect " + folder_.string() + "/").out);
  EXPECT_EQ(json::parse(rotary("inspect --json " + folder_.string()).out), inspect());
}

TEST_F(Inspect, FollowsTheReferenceTheArithmeticAndTheLength) {
  write(R"({"model_type": "llama", "partial_rotary_factor": 0.5, "max_position_embeddings": 2048,
            "rope_scaling": {"type": "dynamic", "factor": 2.0}})");
  EXPECT_EQ(inspect("--as original").at("reference"), "original");
  const auto last = [&](const std::string& options) {
    return inspect(options).at("rotations")[0].at("pairs").back()[2].get<double>();
  };
  EXPECT_LT(last("--seq-len 8192"), last("--seq-len 2048"));
  const double float32 = last("--arithmetic transformers-float32");
  EXPECT_EQ(float32, static_cast<double>(static_cast<float>(float32)));
  EXPECT_NE(float32, last(""));
}

TEST_F(Inspect, FailsWithOneOnABadFile) {
  expect_failure(rotary("inspect /no/such/config.json"), 1, "/no/such/config.json");
  write("{\n\"model_type\": \"llama\",\n\"rope_theta\": \"big\"\n}");
  expect_failure(rotary("inspect " + file()), 1, "config.json: rope_theta must be a finite number, got \"big\"");
  expect_failure(rotary("inspect " + file() + " --json"), 1, "rope_theta");
  write("{\n\n\"model_type\n");
  expect_failure(rotary("inspect " + file()), 1, "must be JSON");
}

TEST_F(Inspect, FailsWithOneWhenTheFilterLeavesNothing) {
  expect_failure(rotary("inspect " + file() + " --layer 6"), 1, "--layer must be one of 0-5, got 6");
  expect_failure(rotary("inspect " + file() + " --component vision_config"), 1,
                 "--component must be one of 'text_config', got 'vision_config'");
}

TEST_F(Inspect, FailsWithTwoOnBadUsage) {
  expect_failure(rotary("inspect"), 2, "path");
  expect_failure(rotary("inspect " + file() + " --nope"), 2, "--nope");
  expect_failure(rotary("inspect " + file() + " " + file()), 2, "config.json");
  expect_failure(rotary("inspect " + file() + " --as somebody"), 2, "--as");
  expect_failure(rotary("inspect " + file() + " --arithmetic quadruple"), 2, "--arithmetic");
  expect_failure(rotary("inspect " + file() + " --seq-len 0"), 2, "--seq-len");
  expect_failure(rotary("inspect " + file() + " --layer -1"), 2, "--layer");
  expect_failure(rotary("frobnicate"), 2, "got 'frobnicate'");
  expect_failure(rotary(""), 2, "got none");
}

TEST_F(Inspect, FailsWhenTheOutputCannotBeWritten) {
  const std::string command = std::string(ROTARY_PROGRAM) + " inspect --json " + file() + " >/dev/full 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
}

}  // namespace
}  // namespace rotary::testing
