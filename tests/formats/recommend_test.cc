// What to set for longer texts, and that it means what it says.
#include "rotary/formats/recommend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "formats/reading.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Recommendation recommend(const Json& config, std::int64_t target, Reference reference = kTransformers) {
  return recommend_setting(config.dump(), "config.json", target, {.reference = reference});
}

std::string caveats(const Recommendation& r) {
  std::string out;
  for (const std::string& c : r.caveats) out += c + "\n";
  return out;
}

// The configuration with the first setting pasted in.
Json pasted(const Json& config, const Recommendation& r, std::size_t setting = 0) {
  return with(config, Json::parse("{" + r.settings.at(setting).text + "}"));
}

TEST(Recommend, NothingWithinTheLimit) {
  const Recommendation r = recommend(llama(), 131072);
  EXPECT_EQ(r.advice, Advice::kNothing);
  EXPECT_THAT(r.settings, IsEmpty());
  EXPECT_EQ(recommend(llama(), 131073).advice, Advice::kExtend);
}

TEST(Recommend, ThePastedBlockGivesTheRecommendedRotation) {
  const Json config = llama({{"rope_theta", 500000.0}, {"max_position_embeddings", 8192}});
  const Recommendation r = recommend(config, 20000);
  ASSERT_EQ(r.advice, Advice::kExtend);
  EXPECT_EQ(r.factor, 20000.0 / 8192);
  const Json pasted_config = pasted(config, r);
  EXPECT_EQ(fingerprints_of(pasted_config).at(0), fingerprint(make_rotation_map(r.after.value())));
  EXPECT_EQ(spec_of(pasted_config).max_position, 20000);
  EXPECT_EQ(recommend(pasted_config, 20000).advice, Advice::kNothing);
}

TEST(Recommend, Transformers4GetsItsSpelling) {
  const Json config = llama({{"rope_theta", 500000.0}, {"max_position_embeddings", 8192}});
  const Recommendation r = recommend(config, 16384);
  ASSERT_GE(r.settings.size(), 2u);
  EXPECT_EQ(r.settings[1].engine, "transformers 4");
  EXPECT_THAT(r.settings[1].text, Not(HasSubstr("rope_theta")));
  EXPECT_EQ(fingerprints_of(pasted(config, r, 1), Reference::kTransformers4).at(0),
            fingerprint(make_rotation_map(r.after.value())));
}

TEST(Recommend, YarnKeepsItsParameters) {
  const Json config = llama({{"max_position_embeddings", 4096},
                             {"rope_scaling",
                              {{"type", "yarn"},
                               {"factor", 4.0},
                               {"original_max_position_embeddings", 4096},
                               {"beta_fast", 16},
                               {"attention_factor", 1.5}}}});
  EXPECT_EQ(recommend(config, 16384).advice, Advice::kNothing);  // 4 * 4096 are within reach
  const Recommendation r = recommend(config, 32768);
  ASSERT_EQ(r.advice, Advice::kExtend);
  EXPECT_EQ(r.factor, 8);
  const auto yarn = std::get<YarnScaling>(r.after->scaling);
  EXPECT_EQ(yarn.beta_fast, 16);
  EXPECT_EQ(yarn.attention_factor, 1.5);
  EXPECT_THAT(r.settings[0].text, HasSubstr("\"beta_fast\": 16"));
  EXPECT_THAT(caveats(r), HasSubstr("attention_factor is kept from the file (1.5)"));
  EXPECT_THAT(r.settings[2].outcome, HasSubstr("attention factor"));  // vLLM ignores it
}

TEST(Recommend, UP35_OtherMethodsKeepEveryFrequency) {
  const Json scaled = {{"llama3",
                        {{"rope_type", "llama3"},
                         {"factor", 8.0},
                         {"low_freq_factor", 1.0},
                         {"high_freq_factor", 4.0},
                         {"original_max_position_embeddings", 8192}}},
                       {"linear", {{"rope_type", "linear"}, {"factor", 4.0}}}};
  for (const auto& [name, scaling] : scaled.items()) {
    const Json config = llama({{"rope_theta", 500000.0}, {"rope_scaling", scaling}});
    const Recommendation r = recommend(config, 262144);
    EXPECT_EQ(r.advice, Advice::kKeepMethod) << name;
    EXPECT_FALSE(r.after.has_value());
    EXPECT_EQ(fingerprints_of(pasted(config, r)), fingerprints_of(config)) << name;
    EXPECT_EQ(spec_of(pasted(config, r)).max_position, 262144);
    EXPECT_THAT(caveats(r), HasSubstr("Not past what was trained"));
  }
}

TEST(Recommend, DynamicNtkIsLeftAlone) {
  const Json config =
      llama({{"max_position_embeddings", 2048}, {"rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2.0}}}});
  const Recommendation r = recommend(config, 8192);
  EXPECT_EQ(r.advice, Advice::kKeepMethod);
  for (const EngineSetting& s : r.settings) EXPECT_THAT(s.text, Not(HasSubstr("max_position_embeddings")));
  EXPECT_THAT(caveats(r), HasSubstr("Leave config.json as it is"));
}

TEST(Recommend, SectionsStayInTheBlock) {
  const Json config = parse(R"({"model_type": "qwen2_5_vl", "hidden_size": 3584, "num_attention_heads": 28,
      "num_hidden_layers": 2, "max_position_embeddings": 32768,
      "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}})");
  const Recommendation r = recommend(config, 65536);
  ASSERT_EQ(r.advice, Advice::kExtend);
  EXPECT_EQ(r.component, "text_config");
  EXPECT_THAT(r.settings[0].text, HasSubstr("\"mrope_section\": [16,24,24]"));
  EXPECT_EQ(r.settings[0].outcome, "");
  EXPECT_THAT(r.settings[2].outcome, HasSubstr("turns otherwise"));  // four times the original length in vLLM
}

TEST(Recommend, LayerTypesGetADictionaryEach) {
  const Json config = parse(R"({"model_type": "gemma3_text", "head_dim": 64, "num_hidden_layers": 6,
      "max_position_embeddings": 32768, "sliding_window_pattern": 6})");
  const Recommendation r = recommend(config, 65536);
  ASSERT_EQ(r.advice, Advice::kExtend) << r.summary;
  EXPECT_EQ(r.layer_type, "full_attention");
  EXPECT_EQ(r.settings[0].outcome, "");
  const auto before = fingerprints_of(config), after = fingerprints_of(pasted(config, r));
  EXPECT_EQ(after.at(0), before.at(0));  // the sliding layers
  EXPECT_EQ(after.at(1), fingerprint(make_rotation_map(r.after.value())));
}

TEST(Recommend, SaysWhereNoSettingExists) {
  const Recommendation fixed = recommend({{"model_type", "roformer"}}, 65536);
  EXPECT_EQ(fixed.advice, Advice::kNotPossible);
  EXPECT_THAT(fixed.settings, IsEmpty());
  EXPECT_THAT(fixed.summary, HasSubstr("No key of this family's configuration"));
  EXPECT_EQ(recommend({{"model_type", "vjepa2"}}, 65536).advice, Advice::kNotPossible);
}

TEST(Recommend, NestsTheBlockInItsComponent) {
  const Json config = {{"model_type", "llava"},
                       {"text_config", llama({{"max_position_embeddings", 4096}})},
                       {"vision_config", {{"model_type", "clip_vision_model"}}}};
  const Recommendation r = recommend(config, 8192);
  ASSERT_EQ(r.advice, Advice::kExtend) << r.summary;
  EXPECT_EQ(r.settings[0].place, "config.json, text_config");
  EXPECT_THAT(r.settings[2].text, HasSubstr(R"(--hf-overrides '{"text_config":{"rope_parameters":)"));
}

// Every model type and every released configuration that is recorded.
class RecommendGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(RecommendGolden, IsReadBackAsMeantByTransformersOrNotGivenAtAll) {
  std::ifstream in(std::string(ROTARY_TEST_DATA "/rope/") + GetParam() + ".jsonl");
  int extended = 0;
  for (std::string line; std::getline(in, line);) {
    const Json record = Json::parse(line);
    if (!record.contains("config")) continue;
    const std::string text = record.at("json").dump(), name = record.at("config");
    const Recommendation near = recommend_setting(text, name, 1, {.reference = kTransformers});
    EXPECT_TRUE(near.advice == Advice::kNothing || near.advice == Advice::kNotPossible) << name;
    const Recommendation far = recommend_setting(text, name, 1 << 24, {.reference = kTransformers});
    if (far.advice != Advice::kExtend) continue;
    ++extended;
    EXPECT_TRUE(far.settings[0].outcome.empty() || far.settings[1].outcome.empty())
        << name << ": " << far.settings[0].outcome;
    EXPECT_EQ(far.factor * far.original, 1 << 24) << name;
  }
  EXPECT_GT(extended, 15);
}

INSTANTIATE_TEST_SUITE_P(Files, RecommendGolden, ::testing::Values("published", "models", "scaling"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Recommend, RefusesLengthsOutOfRange) {
  for (std::int64_t target : {std::int64_t{0}, std::int64_t{-5}, (std::int64_t{1} << 40) + 1})
    EXPECT_THROW(recommend(llama(), target), std::invalid_argument);
  EXPECT_THROW(recommend_setting("[]", "config.json", 5), std::runtime_error);
}

}  // namespace
}  // namespace rotary::testing
