// Scaling dictionaries as released files have them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfloat>

#include "formats/golden_records.h"
#include "formats/reading.h"

namespace rotary::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct FrequencyCase {
  std::string name;
  Json line;
};

std::vector<FrequencyCase> frequency_cases() {
  std::ifstream in(std::string(ROTARY_TEST_DATA) + "/dialects/frequencies.jsonl");
  std::vector<FrequencyCase> out;
  for (std::string text; std::getline(in, text);) {
    const Json line = Json::parse(text);
    out.push_back({line.at("case"), line});
    for (char& c : out.back().name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return out;
}

class ConfigFrequenciesGolden : public ::testing::TestWithParam<FrequencyCase> {};

TEST_P(ConfigFrequenciesGolden, AreThoseOfTheCase) {
  const RotationMap map = map_of(GetParam().line.at("config"));
  for (const auto& [pair, want] : GetParam().line.at("frequencies").items()) {
    const double got = map.at(0, std::stoi(pair), 0).hi;
    EXPECT_NEAR(got, want, DBL_EPSILON * std::abs(got)) << pair;  // the figures are rounded to double
  }
  const double factor = GetParam().line.at("attention_factor");
  EXPECT_NEAR(map.attention_factor, factor, DBL_EPSILON * factor);
}

INSTANTIATE_TEST_SUITE_P(, ConfigFrequenciesGolden, ::testing::ValuesIn(frequency_cases()),
                         [](const auto& info) { return info.param.name; });

Json qwen2(const Json& scaling, int limit) {
  return with(parse(R"({"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28, "num_hidden_layers": 2,
                        "rope_theta": 1000000})"),
              {{"max_position_embeddings", limit}, {"rope_scaling", scaling}});
}

TEST(YarnDictionary, OfQwen25WithoutBetasIsYarnWithTheDefaultBetas) {
  const Json block = parse(R"({"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"})");
  for (Reference reference : {kTransformers, kOriginal}) {
    const auto yarn = std::get<YarnScaling>(spec_of(qwen2(block, 32768), reference).scaling);
    EXPECT_EQ(yarn.beta_fast, 32);
    EXPECT_EQ(yarn.beta_slow, 1);
    EXPECT_EQ(yarn.original_max_position, 32768);
    EXPECT_THAT(warnings_of(qwen2(block, 32768), reference), IsEmpty());
  }
}

TEST(YarnDictionary, WithoutOriginalLengthTakesThePresentLimitWithAWarningOrFails) {
  const Json config = qwen2(parse(R"({"factor": 4.0, "type": "yarn"})"), 131072);
  EXPECT_EQ(std::get<YarnScaling>(spec_of(config).scaling).original_max_position, 131072);
  EXPECT_THAT(warnings_of(config), AllOf(HasSubstr("rope_scaling.original_max_position_embeddings: absent"),
                                         HasSubstr("wrong if that is already the extended limit")));
  EXPECT_THAT(error_of(config, kOriginal), HasSubstr("rope_scaling.original_max_position_embeddings must be given"));
}

TEST(YarnDictionary, BothMscalesZeroIsNamedAndDependsOnTheReference) {
  const Json config =
      llama({{"rope_scaling", parse(R"({"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 4096,
                                        "mscale": 0, "mscale_all_dim": 0})")}});
  EXPECT_NEAR(map_of(config).attention_factor, 0.1 * std::log(16.0) + 1, 4 * DBL_EPSILON);
  EXPECT_THAT(warnings_of(config), HasSubstr("DeepSeek's own code and vLLM take 1"));
  EXPECT_EQ(map_of(config, kOriginal).attention_factor, 1);
}

TEST(YarnDictionary, OriginalLengthBesideTheDictionaryWinsInTransformersAndFailsInTheOriginal) {
  const Json config =
      llama({{"original_max_position_embeddings", 8192}, {"rope_scaling", parse(R"({"rope_type": "yarn", "factor": 4.0,
                                                        "original_max_position_embeddings": 4096})")}});
  EXPECT_EQ(std::get<YarnScaling>(spec_of(config).scaling).original_max_position, 8192);
  EXPECT_THAT(warnings_of(config), HasSubstr("transformers 5 reads original_max_position_embeddings = 8192 instead"));
  EXPECT_THAT(error_of(config, kOriginal),
              HasSubstr("must agree with original_max_position_embeddings, got 4096 and 8192"));
}

TEST(DynamicDictionary, OriginalLengthIsLostInTransformersAndCountsInTheOriginal) {
  const Json config = llama({{"rope_scaling", parse(R"({"type": "dynamic", "factor": 2.0,
                                                        "original_max_position_embeddings": 4096})")}});
  EXPECT_EQ(std::get<DynamicNtkScaling>(spec_of(config).scaling).original_max_position, 131072);
  EXPECT_THAT(warnings_of(config), HasSubstr("max_position_embeddings counts; lost: 4096"));
  EXPECT_EQ(std::get<DynamicNtkScaling>(spec_of(config, kOriginal).scaling).original_max_position, 4096);
}

TEST(DynamicDictionary, OfAWidthOfTwoIsRefused) {
  const Json config = parse(R"({"model_type": "stablelm", "hidden_size": 64, "num_attention_heads": 8,
      "partial_rotary_factor": 0.25, "rope_scaling": {"type": "dynamic", "factor": 2.0}})");
  EXPECT_THAT(error_of(config), HasSubstr("NTK-aware scaling needs a rotary width above 2"));
}

TEST(ScalingTypes, ThatAreUnknownListTheKnownOnes) {
  for (Reference reference : {kTransformers, kOriginal})
    EXPECT_THAT(
        error_of(llama({{"rope_scaling", {{"rope_type", "foo"}, {"factor", 2.0}}}}), reference),
        AllOf(HasSubstr("rope_scaling.rope_type must be one of default, linear, dynamic, yarn, longrope, llama3, "
                        "proportional"),
              HasSubstr("got 'foo'")));
}

TEST(Sections, OfAPartialWidthMustSumToItsPairs) {
  const auto qwen35 = [](const Json& sections) {
    return with(parse(R"({"model_type": "qwen3_5_text", "head_dim": 256, "num_hidden_layers": 4})"),
                {{"rope_parameters",
                  {{"rope_type", "default"},
                   {"rope_theta", 1e7},
                   {"partial_rotary_factor", 0.25},
                   {"mrope_section", sections}}}});
  };
  EXPECT_EQ(rotary_dim(map_of(qwen35({11, 11, 10}))), 64);
  EXPECT_THAT(warnings_of(qwen35({11, 11, 10})), IsEmpty());
  EXPECT_THAT(warnings_of(qwen35({16, 24, 24})),
              HasSubstr("rope_parameters.mrope_section: does not sum to the 32 pairs"));
  EXPECT_THAT(error_of(qwen35({16, 24, 24}), kOriginal),
              HasSubstr("rope_parameters.mrope_section must sum to rotary_dim / 2 = 32, got 64"));
}

TEST(Sections, ThatDoNotSumAreRefusedWhereTheyAreChunks) {
  const Json config = parse(R"({"model_type": "qwen2_vl", "text_config": {"model_type": "qwen2_vl_text",
      "hidden_size": 1024, "num_attention_heads": 8, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 20]}}})");
  EXPECT_THAT(error_of(config),
              HasSubstr("text_config.rope_scaling.mrope_section must sum to rotary_dim / 2 = 64, got 60"));
}

TEST(GptNeox, ReadsRotaryEmbBaseAndNeverRopeTheta) {
  const Json ignored = parse(R"({"model_type": "gpt_neox", "rope_theta": 500000.0})");
  EXPECT_EQ(spec_of(ignored).base, 10000);
  EXPECT_THAT(warnings_of(ignored), HasSubstr("rope_theta: ignored by transformers 5"));
  EXPECT_EQ(spec_of(parse(R"({"model_type": "gpt_neox", "rotary_emb_base": 500000})")).base, 500000);
}

TEST(ScalingReading, TheOriginalLengthThatPhi3HasByDefaultWinsOverTheDictionary) {
  const std::vector<double> ones(48, 1);
  const Json phi{{"model_type", "phi3"},
                 {"rope_scaling",
                  {{"type", "longrope"},
                   {"short_factor", ones},
                   {"long_factor", ones},
                   {"original_max_position_embeddings", 1024}}}};
  const auto original_of = [&](Reference reference) {
    return std::get<LongRopeScaling>(read(phi, reference).rotations.at(0).spec.value().scaling).original_max_position;
  };
  EXPECT_EQ(original_of(kTransformers), 4096);
  EXPECT_EQ(original_of(kOriginal), 1024);
  EXPECT_THAT(warnings_of(phi), ::testing::HasSubstr("original_max_position_embeddings = 4096 instead; lost: 1024"));
}

}  // namespace
}  // namespace rotary::testing
