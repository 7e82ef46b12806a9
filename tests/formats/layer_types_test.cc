// Sets of rope parameters per layer type, and layers without rotation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/reading.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Json kLinear8 = parse(R"({"rope_type": "linear", "factor": 8.0})");

Json gemma3(const Json& patch) {
  return with(parse(R"({"model_type": "gemma3_text", "hidden_size": 2560, "num_attention_heads": 8, "head_dim": 256,
                        "num_hidden_layers": 6, "max_position_embeddings": 131072})"),
              patch);
}

const ModelRotation& of_type(const ModelConfig& config, const std::string& type) {
  for (const ModelRotation& r : config.rotations)
    if (r.layer_type == type) return r;
  throw std::runtime_error("no rotation of type " + type);
}

const RopeSpec& spec_of_type(const ModelConfig& config, const std::string& type) {
  return of_type(config, type).spec.value();
}

TEST(LayerTypes, InNestedAndOldSpellingHaveEqualFingerprints) {
  const Json old_spelling = gemma3({{"rope_theta", 1e6}, {"rope_local_base_freq", 1e4}, {"rope_scaling", kLinear8}});
  const Json nested = gemma3({{"rope_parameters",
                               {{"full_attention", with(kLinear8, {{"rope_theta", 1e6}})},
                                {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 1e4}}}}}});
  for (Reference reference : {kTransformers, kOriginal})
    EXPECT_EQ(fingerprints_of(old_spelling, reference), fingerprints_of(nested, reference));
  const ModelConfig config = read(nested);
  EXPECT_THAT(of_type(config, "sliding_attention").layers, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(of_type(config, "full_attention").layers, ElementsAre(5));
}

TEST(LayerTypes, TheOlderKeyOfTheMethodIsLostWhereTheFamilySetsTheNewOne) {
  const Json older = gemma3({{"rope_scaling", {{"type", "linear"}, {"factor", 8.0}}}}),
             newer = gemma3({{"rope_scaling", kLinear8}});
  const ModelConfig config = read(older);
  EXPECT_EQ(scaling_name(spec_of_type(config, "full_attention").scaling), "default");
  EXPECT_THAT(warnings_of(config), HasSubstr("rope_scaling.type"));
  for (Reference reference : {kOriginal, Reference::kTransformers4})
    EXPECT_EQ(fingerprints_of(older, reference), fingerprints_of(newer, reference)) << to_string(reference);
  EXPECT_THAT(read(newer).warnings, IsEmpty());
}

TEST(LayerTypes, TheLastLayerOfAListIsForcedWhereTransformersDoes) {
  const Json list{{"model_type", "gemma4_text"},
                  {"num_hidden_layers", 2},
                  {"layer_types", {"full_attention", "sliding_attention"}}};
  EXPECT_THAT(of_type(read(list), "full_attention").layers, ElementsAre(0, 1));
  EXPECT_THAT(warnings_of(list), HasSubstr("makes the last layer full_attention"));
  EXPECT_THAT(of_type(read(list, kOriginal), "sliding_attention").layers, ElementsAre(1));
}

TEST(LayerTypes, AFlatDictionaryIsIgnoredByTransformersGemma3WithAWarning) {
  const Json flat = gemma3({{"rope_parameters", with(kLinear8, {{"rope_theta", 5e5}})}});
  const ModelConfig config = read(flat);
  EXPECT_EQ(spec_of_type(config, "full_attention").base, 1e6);
  EXPECT_TRUE(std::holds_alternative<DefaultScaling>(spec_of_type(config, "full_attention").scaling));
  EXPECT_THAT(warnings_of(config), HasSubstr("rope_parameters: ignored by transformers 5: this family reads one "
                                             "dictionary per layer type; lost: {\"factor\":8.0"));
}

TEST(LayerTypes, AFlatDictionaryIsHonouredByTheOriginalWhereTheOldSpellingWouldBe) {
  const ModelConfig config = read(
      gemma3({{"rope_local_base_freq", 2e4}, {"rope_parameters", with(kLinear8, {{"rope_theta", 5e5}})}}), kOriginal);
  EXPECT_EQ(spec_of_type(config, "full_attention").base, 5e5);
  EXPECT_EQ(std::get<LinearScaling>(spec_of_type(config, "full_attention").scaling).factor, 8);
  EXPECT_EQ(spec_of_type(config, "sliding_attention").base, 2e4);
  EXPECT_TRUE(std::holds_alternative<DefaultScaling>(spec_of_type(config, "sliding_attention").scaling));
  EXPECT_THAT(warnings_of(config), IsEmpty());
}

TEST(LayerTypes, AFlatDictionaryOfOlmo3IsIgnoredOrScalesFullAttentionOnly) {
  const Json flat = parse(R"({"model_type": "olmo3", "num_hidden_layers": 4, "rope_parameters": {"rope_type": "yarn",
    "factor": 8.0, "rope_theta": 1000000, "original_max_position_embeddings": 8192,
    "attention_factor": 1.2079441541679836}})");
  EXPECT_EQ(of_type(read(flat), "full_attention").rotation.query.attention_factor, 1);
  EXPECT_EQ(spec_of_type(read(flat), "full_attention").base, 500000);
  EXPECT_THAT(warnings_of(flat), HasSubstr("rope_parameters: ignored by transformers 5"));
  const ModelConfig original = read(flat, kOriginal);
  EXPECT_EQ(of_type(original, "full_attention").rotation.query.attention_factor, 1.2079441541679836);
  EXPECT_TRUE(std::holds_alternative<DefaultScaling>(spec_of_type(original, "sliding_attention").scaling));
  EXPECT_EQ(spec_of_type(original, "sliding_attention").base, 1e6) << "both types share the base";
}

TEST(LayerTypes, AFlatDictionaryReachesAllTypesOfAFamilyThatMakesNoDifference) {
  const Json flat = parse(R"({"model_type": "modernbert", "num_hidden_layers": 4,
                              "rope_parameters": {"rope_type": "linear", "factor": 8.0, "rope_theta": 500000}})");
  for (const char* type : {"full_attention", "sliding_attention"}) {
    EXPECT_EQ(spec_of_type(read(flat, kOriginal), type).base, 5e5);
    EXPECT_EQ(std::get<LinearScaling>(spec_of_type(read(flat, kOriginal), type).scaling).factor, 8);
  }
}

TEST(LayerTypes, WithoutASetOfItsOwnIsAnErrorInFamiliesOfTheNewSpelling) {
  const Json config = parse(R"({"model_type": "gemma4_text", "num_hidden_layers": 6,
                                "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1000000}}})");
  for (Reference reference : {kTransformers, kOriginal})
    EXPECT_THAT(error_of(config, reference), HasSubstr("rope_parameters.sliding_attention must be given"));
}

TEST(LayerTypes, AListOfBasesIsTheNestedForm) {
  const Json common = parse(R"({"model_type": "step3p5", "num_hidden_layers": 4, "hidden_size": 4096,
      "num_attention_heads": 32, "layer_types": ["full_attention", "sliding_attention", "full_attention", "sliding_attention"]})");
  const Json list = with(common, parse(R"({"rope_theta": [1000000, 10000]})"));
  const Json nested = with(common, parse(R"({"rope_parameters": {"full_attention": {"rope_theta": 1000000},
                                                                 "sliding_attention": {"rope_theta": 10000}}})"));
  EXPECT_EQ(fingerprints_of(list), fingerprints_of(nested));
}

TEST(LayerTypes, AListOfBasesIsRefusedWhereTheFamilyHasOneSet) {
  EXPECT_THAT(error_of(llama({{"rope_theta", {1e6, 1e4}}})), HasSubstr("rope_theta must be a finite number"));
}

TEST(LayerTypes, TruncateIsLostInANestedSetOfTransformers) {
  const Json config = parse(R"({"model_type": "laguna", "num_hidden_layers": 2,
      "layer_types": ["full_attention", "sliding_attention"], "rope_parameters": {
        "full_attention": {"rope_type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4096,
                           "truncate": false, "rope_theta": 150000, "partial_rotary_factor": 0.5},
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000}}})");
  EXPECT_TRUE(std::get<YarnScaling>(spec_of_type(read(config), "full_attention").scaling).truncate);
  EXPECT_THAT(warnings_of(config),
              HasSubstr("rope_parameters.full_attention.truncate: ignored by transformers 5 in a set per layer type"));
  EXPECT_FALSE(std::get<YarnScaling>(spec_of_type(read(config, kOriginal), "full_attention").scaling).truncate);
  EXPECT_THAT(warnings_of(config, kOriginal), IsEmpty());
}

TEST(LayerTypes, SetsPerTypeOnAFamilyWithOneAreAnErrorOfTransformersAndReadByTheOriginal) {
  const Json config = parse(R"({"model_type": "qwen3", "num_hidden_layers": 2, "head_dim": 128,
      "layer_types": ["full_attention", "sliding_attention"], "rope_parameters": {
        "full_attention": {"rope_theta": 1000000}, "sliding_attention": {"rope_theta": 10000}}})");
  EXPECT_THAT(error_of(config), HasSubstr("rope_parameters must be one flat dictionary for this family"));
  EXPECT_EQ(spec_of_type(read(config, kOriginal), "full_attention").base, 1e6);
  EXPECT_EQ(spec_of_type(read(config, kOriginal), "sliding_attention").base, 1e4);
}

TEST(LayerTypes, ThatAttendWithoutPositionsAreReportedAsNotRotating) {
  const ModelConfig config = read(parse(R"({"model_type": "cohere2", "num_hidden_layers": 8})"));
  EXPECT_FALSE(of_type(config, "full_attention").rotation.rotates);
  EXPECT_TRUE(of_type(config, "sliding_attention").rotation.rotates);
  EXPECT_THAT(of_type(config, "full_attention").layers, ElementsAre(3, 7));
}

TEST(LayerTypes, OfAListSwitchTheRotationWhereTheListIsOne) {
  const ModelConfig config =
      read(parse(R"({"model_type": "smollm3", "num_hidden_layers": 4, "no_rope_layers": [1, 0, 1, 1]})"));
  for (const ModelRotation& r : config.rotations)
    EXPECT_EQ(r.rotation.rotates, r.layers != std::vector<int>{1}) << "1 means that the layer rotates";
}

}  // namespace
}  // namespace rotary::testing
