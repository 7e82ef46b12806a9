// `rotary explain`: released models word for word, hand-checked numbers, the ideas, bad usage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/workbench.h"

namespace rotary::testing {
namespace {

using nlohmann::json;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

const PublishedCase kPublished[] = {{"llama-2-7b", "--target-length 32768"},
                                    {"llama-3-8b", "--target-length 32768"},
                                    {"llama-3.1-8b", "--target-length 262144"},
                                    {"qwen2-7b", "--target-length 131072"},
                                    {"qwen2.5-vl-7b", "--target-length 256000"},
                                    {"qwen3-vl-2b-embedding-build", "--target-length 262144"},
                                    {"gpt-oss-20b", "--target-length 262144"},
                                    {"gemma-3-4b-12b-27b", "--target-length 262144"},
                                    {"gemma-4-26b-31b-e2b-e4b"},
                                    {"deepseek-v2-236b", "--target-length 100000"},
                                    {"kimi-k2-instruct-0905", "--target-length 524288"},
                                    {"ministral-3-3b-2512", "--target-length 524288"},
                                    {"llama-4-maverick-17b-128e", "--target-length 2000000"},
                                    {"gpt-neox-20b", "--target-length 8192"},
                                    {"modernbert-base-large", "--target-length 32768"},
                                    {"together-llama-2-7b-32k", "--target-length 65536"}};

class ExplainPublished : public Workbench, public ::testing::WithParamInterface<PublishedCase> {};

TEST_P(ExplainPublished, IsAsRecorded) { expect_goldens(GetParam(), "explain"); }

INSTANTIATE_TEST_SUITE_P(Models, ExplainPublished, ::testing::ValuesIn(kPublished), published_label);

class Explain : public Workbench {
 protected:
  json facts(const std::string& name) const {
    write(published(name));
    return json_of("explain config.json").at("rotations").at(0).at("facts");
  }
  // [begin, end, effect] of each band.
  static json bands(const json& facts) {
    json out = json::array();
    for (const json& b : facts.at("bands")) out.push_back({b.at("begin"), b.at("end"), b.at("effect")});
    return out;
  }
  json recommended(const std::string& config, const std::string& target) const {
    write(config);
    return json_of("explain config.json --target-length " + target).at("recommendation");
  }
};

TEST_F(Explain, SaysWhichPairsLlama31KeepsBlendsAndDivides) {
  const json of = facts("llama-3.1-8b");
  EXPECT_EQ(bands(of), json::parse(R"([[0, 29, "kept"], [29, 35, "blended"], [35, 64, "divided"]])"));
  EXPECT_EQ(of.at("bands")[2].at("divisors"), json::array({8.0, 8.0}));
  EXPECT_EQ(of.at("bands")[2].at("turns_in_training"), false);
}

TEST_F(Explain, SaysTheRangesOfYarn) {
  // d ln(L0 / (2 pi r)) / (2 ln base), rounded outwards: the first index is kept still, the last divided already.
  write(published("qwen2-7b"));
  const json qwen = json_of("explain config.json --target-length 131072").at("recommendation");
  EXPECT_EQ(bands(qwen), json::parse(R"([[0, 24, "kept"], [24, 40, "blended"], [40, 64, "divided"]])"));
  const json llama = recommended(R"({"model_type": "llama", "max_position_embeddings": 4096})", "32768");
  EXPECT_EQ(bands(llama), json::parse(R"([[0, 21, "kept"], [21, 46, "blended"], [46, 64, "divided"]])"));
  // Not rounded: 8.093 to 17.398, so that 8 is kept, 9-17 are blended.
  EXPECT_EQ(bands(facts("gpt-oss-20b")), json::parse(R"([[0, 9, "kept"], [9, 18, "blended"], [18, 32, "divided"]])"));
}

TEST_F(Explain, SaysWhereFactorsAct) {
  const json yarn = facts("gpt-oss-20b");  // 0.1 ln 32 + 1
  EXPECT_NEAR(yarn.at("attention_factor"), 1.34657, 1e-5);
  EXPECT_NEAR(yarn.at("logit_factor"), 1.34657 * 1.34657, 1e-4);
  const json kimi = facts("kimi-k2-instruct-0905");  // (0.1 ln 64 + 1)^2 in the softmax
  EXPECT_EQ(kimi.at("attention_factor"), 1.0);
  EXPECT_NEAR(kimi.at("softmax_factor"), 1.41589 * 1.41589, 1e-4);
}

TEST_F(Explain, SaysWhatDoesNotRotate) {
  write(R"({"model_type": "smollm3", "num_hidden_layers": 2, "no_rope_layers": [1, 0]})");
  EXPECT_THAT(verb("explain config.json --layer 1").out, HasSubstr("these layers rotate neither queries nor keys"));
  write(R"({"model_type": "vjepa2"})");
  EXPECT_THAT(verb("explain config.json").out, HasSubstr("no set of plane rotations"));
}

TEST_F(Explain, FollowsTheReferenceAndTheFilters) {
  write(published("gpt-oss-20b"));
  EXPECT_THAT(verb("explain config.json --as llama.cpp").out, HasSubstr("rounded outwards"));
  EXPECT_THAT(verb("explain config.json").out, HasSubstr("not rounded"));
  write(published("qwen2.5-vl-7b"));
  const Finished vision = verb("explain config.json --component vision_config");
  EXPECT_THAT(vision.out, HasSubstr("== vision_config"));
  EXPECT_THAT(vision.out, Not(HasSubstr("== text_config")));
}

TEST_F(Explain, WrapsAtAHundredColumnsWithoutColour) {
  write(published("llama-3.1-8b"));
  const Finished run = verb("explain config.json");
  EXPECT_THAT(run.out, Not(HasSubstr("\x1b")));
  for (std::size_t begin = 0; begin < run.out.size();) {
    const std::size_t end = run.out.find('\n', begin);
    EXPECT_LE(end - begin, 100u) << run.out.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST_F(Explain, FitsATerminalAndMarksHeadings) {
  write(published("llama-2-7b"));
  std::string out = on_terminal("explain config.json", 50);
  EXPECT_THAT(out, HasSubstr("\x1b[1mWhat turns\x1b[0m\n"));
  for (const std::string mark : {"\x1b[1m", "\x1b[0m"})
    for (std::size_t at; (at = out.find(mark)) != std::string::npos;) out.erase(at, mark.size());
  EXPECT_THAT(out, Not(HasSubstr("\x1b")));
  for (std::size_t begin = 0; begin < out.size();) {
    const std::size_t end = out.find('\n', begin);
    EXPECT_LE(end - begin, 50u) << out.substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_THAT(on_terminal("pairs config.json", 60), HasSubstr("channel  0               16              32\n"));
}

TEST_F(Explain, RecommendsYarnWithTheFactorOfTheLengths) {
  const json out = recommended(published("qwen2-7b"), "131072");
  EXPECT_EQ(out.at("advice"), "extend");
  EXPECT_EQ(out.at("factor"), 4.0);
  EXPECT_EQ(out.at("original"), 32768.0);
  EXPECT_THAT(out.at("settings")[2].at("text").get<std::string>(),
              HasSubstr(R"(--hf-overrides '{"rope_parameters":{"rope_theta":1000000,"rope_type":"yarn","factor":4.0,)"
                        R"("original_max_position_embeddings":32768}}' --max-model-len 131072)"));
  EXPECT_THAT(out.at("settings")[3].at("text").get<std::string>(),
              HasSubstr("-c 131072 --rope-scaling yarn --rope-scale 4 --yarn-orig-ctx 32768"));
  for (const json& s : out.at("settings")) EXPECT_EQ(s.at("outcome"), "") << s;
}

TEST_F(Explain, UP35_ALongerWindowNeverChangesTheMethod) {
  const json out = recommended(published("llama-3.1-8b"), "262144");
  EXPECT_EQ(out.at("advice"), "keep_method");
  EXPECT_EQ(out.at("settings")[0].at("text"), "\"max_position_embeddings\": 262144");
  EXPECT_THAT(out.dump(), Not(HasSubstr("yarn")));
  EXPECT_EQ(recommended(published("llama-3.1-8b"), "131072").at("advice"), "nothing");
}

TEST_F(Explain, UP35_DefaultIsNoScaling) {
  const json out = recommended(R"({"model_type": "llama", "max_position_embeddings": 4096, "rope_parameters":
      {"rope_type": "default", "rope_theta": 1e6}})",
                               "8192");
  EXPECT_EQ(out.at("advice"), "extend");
  EXPECT_EQ(out.at("factor"), 2.0);
}

TEST_F(Explain, UP38_EachKindOfLayerIsExplained) {
  write(published("gemma-3-4b-12b-27b"));
  const json rotations = json_of("explain config.json").at("rotations");
  ASSERT_EQ(rotations.size(), 2u);
  EXPECT_EQ(rotations[0].at("facts").at("base"), 10000.0);
  EXPECT_EQ(rotations[1].at("facts").at("base"), 1000000.0);
  EXPECT_EQ(rotations[1].at("facts").at("bands")[0].at("divisors"), json::array({8.0, 8.0}));
}

TEST_F(Explain, LayersThatSeeAChunkNeedNoSetting) {
  const json out = recommended(published("llama-4-maverick-17b-128e"), "2000000");
  EXPECT_EQ(out.at("advice"), "nothing");
  EXPECT_THAT(out.at("summary").get<std::string>(), HasSubstr("a window or a chunk only"));
}

TEST_F(Explain, UP40_SaysWhichWidthIsAssumed) {
  write(R"({"model_type": "glm", "head_dim": 128, "num_hidden_layers": 1})");
  EXPECT_EQ(json_of("explain config.json").at("rotations")[0].at("facts").at("rotary_dim"), 64);
  EXPECT_THAT(verb("explain config.json").out, HasSubstr("copied as they are and carry no position"));
}

// --- Ideas

class ExplainTopic : public Workbench, public ::testing::WithParamInterface<PublishedCase> {};

TEST_P(ExplainTopic, IsAsRecordedInPublishedForm) {
  expect_golden(std::string("topic-") + GetParam().name + ".txt", std::string("explain --topic ") + GetParam().name);
  const json out = json_of(std::string("explain --topic ") + GetParam().name);
  EXPECT_EQ(out.at("topic"), GetParam().name);
  EXPECT_THAT(out.at("passages"), Each(::testing::Truly([](const json& p) { return p.contains("heading"); })));
}

INSTANTIATE_TEST_SUITE_P(Ideas, ExplainTopic,
                         ::testing::Values(PublishedCase{"relative-property"}, PublishedCase{"pairing"},
                                           PublishedCase{"frequencies"}, PublishedCase{"scaling"},
                                           PublishedCase{"precision"}, PublishedCase{"cache"}),
                         published_label);

TEST_F(Explain, TheRelativePropertyIsTheCosineOfTheDistance) {
  const std::string out = verb("explain --topic relative-property").out;
  const std::string score = "q . k = -0.41615\n";  // cos 2
  const std::size_t first = out.find(score);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(out.find(score, first + 1), std::string::npos);
}

TEST_F(Explain, UP01_UP71_ThePairingTopicShowsTheFaultsOfReports) {
  const std::string out = verb("explain --topic pairing").out;
  for (const char* number : {"27.22513", "22.91316", "29.17308", "25.50287", "13.08237"})
    EXPECT_THAT(out, HasSubstr(number));
}

// --- Bad usage

TEST_F(Explain, FailsWithOneLineAndTheRightStatus) {
  write(published("llama-2-7b"));
  expect_failure(verb("explain /no/such/config.json"), 1, "/no/such/config.json");
  expect_failure(verb("explain config.json --target-length 0"), 2, "--target-length");
  expect_failure(verb("explain config.json --target-length many"), 2, "must be a whole number");
  expect_failure(verb("explain --topic everything"), 2, "--topic");
  expect_failure(verb("explain config.json --topic cache"), 2, "--topic");
  expect_failure(verb("explain"), 2, "path: must be a file, or --topic an idea, got neither");
  expect_failure(verb("explain config.json --layer 99"), 1, "--layer must be one of 0-31, got 99");
  expect_failure(verb("explain config.json --as nobody"), 2, "--as");
  write("{");
  expect_failure(verb("explain config.json --target-length 9"), 1, "must be JSON");
}

TEST_F(Explain, HelpHasTwoExamples) {
  for (const char* name : {"explain", "pairs", "precision"}) {
    const std::string out = verb(std::string(name) + " --help").out;
    const std::string example = std::string("\n  rotary ") + name + " ";
    const std::size_t first = out.find(example);
    ASSERT_NE(first, std::string::npos) << name;
    EXPECT_NE(out.find(example, first + 1), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace rotary::testing
