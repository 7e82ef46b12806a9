// Where the same facts may stand in a configuration, and which place counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/reading.h"

namespace rotary::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Json kLlama3 = parse(R"({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                               "original_max_position_embeddings": 8192})");

Json with_base(Json dictionary, double base) {
  dictionary["rope_theta"] = base;
  return dictionary;
}

TEST(Spellings, OldAndNewHaveEqualFingerprints) {
  const Json old_spelling = llama({{"rope_theta", 500000}, {"rope_scaling", kLlama3}});
  const Json new_spelling = llama({{"rope_parameters", with_base(kLlama3, 500000)}});
  EXPECT_EQ(fingerprints_of(old_spelling), fingerprints_of(new_spelling));
  EXPECT_EQ(fingerprints_of(old_spelling), fingerprints_of(new_spelling, kOriginal));
  EXPECT_EQ(read(new_spelling).warnings.size(), 0u);
}

TEST(Spellings, TheOldNameTypeIsRopeType) {
  const Json scaling{{"factor", 2.0}};
  EXPECT_EQ(fingerprints_of(llama({{"rope_scaling", with(scaling, {{"type", "linear"}})}})),
            fingerprints_of(llama({{"rope_scaling", with(scaling, {{"rope_type", "linear"}})}})));
}

TEST(Spellings, ABaseBesideTheDictionaryIsLostToTransformersAndAnErrorInTheOriginal) {
  const Json both = llama({{"rope_theta", 10000}, {"rope_parameters", with_base(kLlama3, 500000)}});
  EXPECT_EQ(spec_of(both).base, 500000);
  EXPECT_THAT(warnings_of(both), AllOf(HasSubstr("rope_theta: ignored by transformers 5"), HasSubstr("500000.0 wins"),
                                       HasSubstr("lost: 10000")));
  EXPECT_THAT(
      error_of(both, kOriginal),
      HasSubstr("rope_parameters.rope_theta must agree with rope_theta, got 500000.0 at rope_parameters.rope_theta "
                "and 10000 at rope_theta"));
}

TEST(Spellings, NullBesideTheDictionaryIsAbsent) {
  const Json config = llama({{"rope_theta", nullptr}, {"rope_parameters", with_base(kLlama3, 500000)}});
  for (Reference reference : {kTransformers, kOriginal}) {
    EXPECT_EQ(spec_of(config, reference).base, 500000);
    EXPECT_THAT(warnings_of(config, reference), IsEmpty());
  }
}

TEST(Spellings, AnAbsentBaseIsTheFamilysDefaultAndSaysSo) {
  const auto assumed_base = [](const char* model_type) {
    const ModelConfig config = read({{"model_type", model_type}});
    for (const Source& source : config.rotations.at(0).sources)
      if (source.field == "base") return std::pair(source.value, source.assumed);
    return std::pair(std::string("no source"), false);
  };
  EXPECT_EQ(assumed_base("llama"), std::pair(std::string("10000"), true));
  EXPECT_EQ(assumed_base("mixtral"), std::pair(std::string("1000000.0"), true));
}

TEST(Spellings, RopeScalingBeatsRopeParameters) {
  const Json config = llama({{"rope_scaling", {{"rope_type", "linear"}, {"factor", 2.0}}},
                             {"rope_parameters", {{"rope_type", "linear"}, {"factor", 4.0}, {"rope_theta", 5e5}}}});
  EXPECT_EQ(std::get<LinearScaling>(spec_of(config).scaling).factor, 2);
  EXPECT_EQ(spec_of(config).base, 10000) << "the base inside the losing dictionary is lost too";
  EXPECT_THAT(warnings_of(config), HasSubstr("rope_parameters: ignored by transformers 5: rope_scaling is given too"));
  EXPECT_THAT(error_of(config, kOriginal), HasSubstr("rope_scaling.factor must agree with rope_parameters.factor"));
}

TEST(Spellings, TwoDictionariesThatAgreeAreMergedByTheOriginal) {
  const Json config = llama({{"rope_scaling", {{"rope_type", "linear"}, {"factor", 2.0}}},
                             {"rope_parameters", {{"rope_type", "linear"}, {"factor", 2.0}, {"rope_theta", 5e5}}}});
  EXPECT_EQ(spec_of(config, kOriginal).base, 5e5);
}

TEST(Spellings, ContradictingTypeNamesWarnOrFail) {
  const Json config = llama({{"rope_scaling", {{"type", "linear"}, {"rope_type", "dynamic"}, {"factor", 2.0}}}});
  EXPECT_TRUE(std::holds_alternative<DynamicNtkScaling>(spec_of(config).scaling));
  EXPECT_THAT(warnings_of(config), HasSubstr("rope_scaling.type: ignored: rope_scaling.rope_type"));
  EXPECT_THAT(error_of(config, kOriginal), HasSubstr("rope_scaling.rope_type must agree with rope_scaling.type"));
}

TEST(ScalingState, TheDefaultTypeIsNoScaling) {
  const Json block =
      llama({{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 1e6}, {"partial_rotary_factor", 1.0}}}});
  for (Reference reference : {kTransformers, kOriginal}) {
    EXPECT_EQ(fingerprints_of(block, reference), fingerprints_of(llama({{"rope_theta", 1e6}}), reference));
    EXPECT_THAT(warnings_of(block, reference), IsEmpty());
  }
}

TEST(ScalingState, NullAndEmptyDictionariesAreNoScaling) {
  const auto plain = fingerprints_of(llama());
  EXPECT_EQ(fingerprints_of(llama({{"rope_scaling", nullptr}})), plain);
  EXPECT_EQ(fingerprints_of(llama({{"rope_scaling", Json::object()}})), plain);
  EXPECT_EQ(fingerprints_of(llama({{"rope_parameters", nullptr}})), plain);
}

TEST(ScalingState, ALongerWindowAloneNeverChangesTheFrequencies) {
  const Json scaled = llama({{"rope_theta", 500000}, {"rope_scaling", kLlama3}});
  const Json longer = with(scaled, {{"max_position_embeddings", 262144}});
  EXPECT_EQ(fingerprints_of(longer), fingerprints_of(scaled));
  EXPECT_EQ(spec_of(longer).max_position, 262144);
}

TEST(ScalingState, ABlockWithoutABaseKeepsTheBaseBesideIt) {
  const Json config = llama({{"rope_theta", 5e5}, {"rope_scaling", {{"type", "linear"}, {"factor", 2.0}}}});
  EXPECT_EQ(spec_of(config).base, 5e5);
}

TEST(Bases, AreReadExactly) {
  for (double base : {1e4, 150000.0, 500000.0, 1e6, 8e6, 1e7, 11158840.0, 5e7, 1e8, 1e11, 1000000.5})
    EXPECT_EQ(spec_of(llama({{"rope_theta", base}})).base, base);
}

TEST(Bases, AsIntegerAndAsDecimalAreOneNumber) {
  EXPECT_EQ(fingerprints_of(llama({{"rope_theta", 10000000}})), fingerprints_of(llama({{"rope_theta", 1e7}})));
}

TEST(Bases, OfOneAndBelowAreRefused) {
  for (double base : {0.0, -1.0, 1.0, 0.5})
    for (Reference reference : {kTransformers, kOriginal})
      EXPECT_THAT(error_of(llama({{"rope_theta", base}}), reference),
                  HasSubstr("config.json: rope_theta must be finite and above 1"));
}

TEST(PartialWidths, AreFoundInEveryHome) {
  const Json glm{{"model_type", "glm"}, {"head_dim", 128}};
  for (const Json& patch : {Json::object(), parse(R"({"partial_rotary_factor": 0.5})"),
                            parse(R"({"rope_parameters": {"partial_rotary_factor": 0.5}})")})
    EXPECT_EQ(rotary_dim(map_of(with(glm, patch))), 64) << patch;
  const Json neox{{"model_type", "gpt_neox"}, {"hidden_size", 512}, {"num_attention_heads", 4}, {"rotary_pct", 0.25}};
  EXPECT_EQ(rotary_dim(map_of(neox)), 32);
  EXPECT_EQ(rotary_dim(map_of({{"model_type", "no_such"}, {"head_dim", 256}, {"rotary_dim", 64}})), 64);
}

TEST(PartialWidths, OfTheFamilysDefaultAreMarkedAsAssumed) {
  const ModelConfig config = read({{"model_type", "glm"}, {"head_dim", 128}});
  const auto& sources = config.rotations.at(0).sources;
  const auto is_partial = [](const Source& s) { return s.field == "partial_rotary_factor"; };
  const auto found = std::find_if(sources.begin(), sources.end(), is_partial);
  ASSERT_NE(found, sources.end());
  EXPECT_EQ(found->value, "0.5");
  EXPECT_TRUE(found->assumed);
}

TEST(PartialWidths, ThatContradictAnAbsoluteWidthWarnOrFail) {
  const Json config =
      parse(R"({"model_type": "minimax_m2", "head_dim": 256, "rotary_dim": 64, "partial_rotary_factor": 0.5})");
  EXPECT_EQ(rotary_dim(map_of(config)), 128);
  EXPECT_THAT(warnings_of(config), HasSubstr("rotary_dim: ignored: partial_rotary_factor = 0.5 wins; lost: 64"));
  EXPECT_THAT(error_of(config, kOriginal), AllOf(HasSubstr("rotary_dim must agree with partial_rotary_factor = 0.5 of "
                                                           "head_dim 256"),
                                                 HasSubstr("got 64")));
}

TEST(PartialWidths, AreIgnoredByTransformersLlamaWithTheDefaultType) {
  const Json config = llama({{"partial_rotary_factor", 0.5}});
  EXPECT_EQ(rotary_dim(map_of(config)), 128);
  EXPECT_THAT(warnings_of(config), HasSubstr("partial_rotary_factor: ignored by transformers 5 for this family"));
  EXPECT_EQ(rotary_dim(map_of(config, kOriginal)), 64);
  EXPECT_THAT(warnings_of(config, kOriginal), IsEmpty());
}

TEST(PartialWidths, AreTruncatedAsThePythonReferenceDoes) {
  const auto stablelm = [](int head_dim, double share) {
    return Json{{"model_type", "stablelm"},
                {"hidden_size", 8 * head_dim},
                {"num_attention_heads", 8},
                {"partial_rotary_factor", share}};
  };
  EXPECT_EQ(rotary_dim(map_of(stablelm(96, 0.4))), 38);
  EXPECT_EQ(rotary_dim(map_of(stablelm(100, 0.29))), 28) << "100 * 0.29 is 28.999999999999996";
  for (const Json& odd : {stablelm(100, 0.25), stablelm(4, 0.75)})
    EXPECT_THAT(error_of(odd, kOriginal), HasSubstr("partial_rotary_factor must give an even rotary width")) << odd;
}

TEST(PartialWidths, ThatAreOddAreRoundedUpByTransformersWithAWarning) {
  const Json config = parse(R"({"model_type": "glm4_moe", "head_dim": 90})");
  EXPECT_EQ(spec_of(config).rotary_dim, 46);
  EXPECT_EQ(spec_of(config).frequency_dim, 45) << "the odd number stays in the exponent";
  EXPECT_THAT(warnings_of(config), HasSubstr("gives the odd rotary width 45: transformers 5 rounds up to 46 channels"));
  EXPECT_THAT(error_of(config, kOriginal), HasSubstr("must give an even rotary width, got 45"));
}

TEST(HeadDim, ThatIsOddIsRefused) {
  const Json config = parse(R"({"model_type": "llama", "hidden_size": 520, "num_attention_heads": 8})");
  EXPECT_THAT(error_of(config), HasSubstr("head_dim must give an even rotary width, got 65"));
}

TEST(HeadDim, BeatsTheQuotientOfHiddenSizeAndHeads) {
  const Json config =
      parse(R"({"model_type": "llama", "hidden_size": 2560, "num_attention_heads": 32, "head_dim": 128})");
  EXPECT_EQ(map_of(config).channels, 128);
  EXPECT_EQ(rotary_dim(map_of(config)), 128);
}

TEST(HeadDim, NullIsTheQuotientUnderEveryScalingType) {
  const Json list = Json::array_t(64, 1.5);
  for (const Json& scaling :
       {parse(R"({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768})"),
        parse(R"({"rope_type": "dynamic", "factor": 4.0})"),
        Json{{"rope_type", "longrope"},
             {"short_factor", list},
             {"long_factor", list},
             {"original_max_position_embeddings", 4096}}})
    EXPECT_EQ(map_of(llama({{"head_dim", nullptr}, {"rope_scaling", scaling}})).channels, 128) << scaling;
}

}  // namespace
}  // namespace rotary::testing
