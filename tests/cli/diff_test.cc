// `rotary diff`: what counts as a difference, and what it is called.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "cli/program.h"

namespace rotary::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

struct DiffCase {
  const char* name;
  std::string first, second;
  std::vector<std::string> causes;  // one per row; "": the same
  const char* options = "";

  friend void PrintTo(const DiffCase& c, std::ostream* out) { *out << c.name; }
};

std::string llama(const std::string& more) { return R"({"model_type": "llama", "num_hidden_layers": 2)" + more + "}"; }
std::string qwen(const std::string& base, double factor) {
  return R"({"model_type": "qwen2", "num_hidden_layers": 2, "rope_theta": )" + base +
         R"(, "rope_scaling": {"type": "yarn", "original_max_position_embeddings": 32768, "factor": )" +
         std::to_string(factor) + "}}";
}
std::string dynamic(int factor) {
  return llama(R"(, "max_position_embeddings": 2048, "rope_scaling": {"type": "dynamic", "factor": )" +
               std::to_string(factor) + "}");
}
std::string smollm(const std::string& layers) {
  return R"({"model_type": "smollm3", "num_hidden_layers": 4, "no_rope_layers": )" + layers + "}";
}
std::string llama4(const std::string& scale) {
  return R"({"model_type": "llama4_text", "num_hidden_layers": 4, "no_rope_layers": [1, 1, 1, 0], "attn_scale": )" +
         scale + "}";
}
std::string deepseek(const std::string& mscale) {
  return R"({"model_type": "deepseek_v3", "rope_scaling": {"type": "yarn", "factor": 40,
             "original_max_position_embeddings": 4096, "mscale": )" +
         mscale + R"(, "mscale_all_dim": )" + mscale + "}}";
}
const char* const kVision = R"({"model_type": "qwen2_vl"})";
const char* const kLinear = R"(, "rope_scaling": {"type": "linear", "factor": 2.0})";

const DiffCase kCases[] = {
    {"Same", llama(""), llama(R"(, "rope_theta": 10000.0)"), {""}},
    {"Base", llama(""), llama(R"(, "rope_theta": 500000)"), {"base 10000 / 500000"}},
    {"BaseUnderTheSameScaling", qwen("1000000", 4), qwen("10000", 4), {"base 1000000 / 10000"}},
    {"ParametersOfTheScaling", qwen("1000000", 4), qwen("1000000", 2), {"yarn parameters"}},
    {"BaseAndScaling", llama(""), qwen("1000000", 4), {"base 10000 / 1000000, scaling default / yarn"}},
    {"HeadWidth", llama(R"(, "head_dim": 64)"), llama(R"(, "head_dim": 128, "rope_theta": 5000)"), {"head width"}},
    {"FactorOfDynamic", dynamic(2), dynamic(4), {"dynamic parameters, in sequences of 131072"}},
    {"DynamicOrNot", llama(""), dynamic(2), {"scaling default / dynamic, in sequences of 131072"}},
    {"DynamicWithinItsLength", dynamic(2), dynamic(4), {""}, "--seq-len 2048"},
    {"DynamicAtAPositionWithinItsLength", dynamic(2), dynamic(4), {""}, "--position 2047"},
    {"SoftmaxFactor", deepseek("1.0"), deepseek("0.5"), {"softmax factor"}},
    {"Temperature", llama4("0.1"), llama4("0.5"), {"", "temperature"}},
    {"LayersWithout",
     smollm("[1, 1, 1, 0]"),
     smollm("[0, 1, 1, 1]"),
     {"rotation present in one only", "", "rotation present in one only"}},
    {"AnotherDepth", llama(""), R"({"model_type": "llama", "num_hidden_layers": 80})", {"", "only in the second"}},
    {"ComponentOfAnotherName",
     R"({"model_type": "qwen2", "num_hidden_layers": 2, "rope_theta": 5.0})",
     R"({"model_type": "llava", "text_config": {"model_type": "qwen2", "num_hidden_layers": 2, "rope_theta": 5.0},
         "vision_config": {"model_type": "clip_vision_model"}})",
     {""}},
    {"ComponentInTheSecondOnly",
     R"({"model_type": "qwen2", "rope_theta": 1000000.0})",
     kVision,
     {"axis assignment", "only in the second", "only in the second"}},
    {"ComponentInTheFirstOnly",
     kVision,
     R"({"model_type": "qwen2", "rope_theta": 1000000.0})",
     {"axis assignment", "only in the first", "only in the first"}},  // 80 layers and 32, and a tower
    {"ReadAnotherWay", llama(kLinear), llama(kLinear), {""}, "--as original --arithmetic ggml"},
};

class Diff : public Program {
 protected:
  Finished diff(const DiffCase& c, const std::string& options = "") const {
    write(c.first, "first.json");
    write(c.second, "second.json");
    return rotary("diff " + file("first.json") + " " + file("second.json") + " " + c.options + " " + options);
  }
};

class DiffOf : public Diff, public ::testing::WithParamInterface<DiffCase> {};

TEST_P(DiffOf, NamesTheCauseOfEveryRow) {
  const Finished run = diff(GetParam(), "--json");
  const json out = json::parse(run.out, nullptr, false);
  ASSERT_TRUE(out.is_object()) << run.err;
  std::vector<std::string> causes;
  bool same = true;
  for (const json& row : out.at("rotations")) {
    causes.push_back(row.at("cause"));
    EXPECT_EQ(row.at("same").get<bool>(), causes.back().empty());
    same &= causes.back().empty();
  }
  EXPECT_EQ(causes, GetParam().causes) << run.out;
  EXPECT_EQ(out.at("same").get<bool>(), same);
  EXPECT_EQ(run.status, same ? 0 : 1);
}

TEST_P(DiffOf, IsSilentAboutAFileAndItself) {
  DiffCase twice = GetParam();
  twice.second = twice.first;
  EXPECT_EQ(diff(twice).status, 0) << diff(twice).out;
}

INSTANTIATE_TEST_SUITE_P(Files, DiffOf, ::testing::ValuesIn(kCases), [](const auto& info) { return info.param.name; });

TEST_F(Diff, SaysWhichLayersAndHowFarApart) {
  const Finished layers = diff({"", smollm("[1, 1, 1, 0]"), smollm("[0, 1, 1, 1]"), {}});
  EXPECT_THAT(layers.out, HasSubstr("model, layers 1-2: same rotation\n"));
  EXPECT_THAT(layers.out, HasSubstr("model, layer 0: differ: rotation present in one only\n"));
  const Finished angles = diff({"", llama(""), llama(kLinear), {}}, "--position 100");
  EXPECT_THAT(angles.out, HasSubstr("up to 50 rad apart at position 100 (pair 0), factor ratio 1\n"));
}

TEST_F(Diff, FailsWithTwoSinceOneSaysThatTheyDiffer) {
  write(llama(""));
  expect_failure(rotary("diff " + file() + " /no/such/file"), 2, "/no/such/file: must be a readable file");
  expect_failure(rotary("diff " + file()), 2, "second");
  expect_failure(rotary("diff " + file() + " " + file() + " --position -1"), 2, "--position");
  expect_failure(rotary("diff " + file() + " " + file() + " --position nan"), 2, "position must be finite, got nan");
  EXPECT_EQ(WEXITSTATUS(std::system(
                (std::string(ROTARY_PROGRAM) + " diff " + file() + " " + file() + " >/dev/full 2>/dev/null").c_str())),
            2);
}

}  // namespace
}  // namespace rotary::testing
