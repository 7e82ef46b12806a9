// Each key of a GGUF file that says something about the rotation.
#include "formats/gguf_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/scaled_frequencies.h"
#include "formats/gguf_model.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(GgufConfig, DefaultsAreLlamaCpps) {
  const ModelConfig config = read(GgufModel{});
  EXPECT_EQ(config.reference, Reference::kLlamaCpp);
  EXPECT_EQ(config.model_type, "llama");
  ASSERT_EQ(config.rotations.size(), 1U);
  const ModelRotation& r = config.rotations[0];
  EXPECT_TRUE(r.all_layers);
  EXPECT_EQ(r.head_dim, 16);
  EXPECT_EQ(r.spec->rotary_dim, 16);
  EXPECT_EQ(r.spec->pairing, Pairing::kInterleaved);
  EXPECT_EQ(r.spec->base, 10000);
  EXPECT_EQ(r.spec->max_position, 4096);
  EXPECT_EQ(r.spec->scaling, Scaling(DefaultScaling{}));
  EXPECT_EQ(r.rotation.query.attention_factor, 1);
  EXPECT_THAT(r.note, HasSubstr("rows of q and k permuted from halves to adjacent pairs"));
  EXPECT_EQ(warnings_of(config), "");
  ASSERT_EQ(config.files.size(), 1U);
  EXPECT_EQ(config.files[0].format, "GGUF");
}

TEST(GgufConfig, WidthsAndBaseAreRead) {
  const ModelRotation r =
      rotation_of({.architecture = "qwen2",
                   .keys = {key_u32("qwen2.attention.key_length", 64), key_u32("qwen2.rope.dimension_count", 32),
                            key_f32("qwen2.rope.freq_base", 1e6F)}});
  EXPECT_EQ(r.head_dim, 64);
  EXPECT_EQ(r.spec->rotary_dim, 32);
  EXPECT_EQ(r.spec->base, 1e6);
  EXPECT_EQ(r.spec->pairing, Pairing::kHalf);
  EXPECT_EQ(source_number(r, "base"), 1e6);
  EXPECT_EQ(source_number(r, "rotary_dim"), 32);
}

TEST(GgufConfig, LinearScalingIsTheDefaultType) {
  const std::vector<std::vector<std::string>> spellings{
      {key_f32("llama.rope.scaling.factor", 4)},
      {key_f32("llama.rope.scale_linear", 4)},
      {key_str("llama.rope.scaling.type", "linear"), key_f32("llama.rope.scaling.factor", 4)},
      {key_f32("llama.rope.scale_linear", 2), key_f32("llama.rope.scaling.factor", 4)}};
  for (const auto& keys : spellings) EXPECT_EQ(rotation_of({.keys = keys}).spec->scaling, Scaling(LinearScaling{4}));
  EXPECT_EQ(rotation_of({.keys = {key_f32("llama.rope.scaling.factor", 0)}}).spec->scaling, Scaling(DefaultScaling{}));
}

TEST(GgufConfig, TypeNoneScalesNothing) {
  const ModelRotation r =
      rotation_of({.keys = {key_str("llama.rope.scaling.type", "none"), key_f32("llama.rope.scaling.factor", 4)}});
  EXPECT_EQ(r.spec->scaling, Scaling(DefaultScaling{}));
}

GgufModel yarn(const std::string& architecture, const std::vector<std::string>& more = {}) {
  GgufModel out{.architecture = architecture};
  out.keys = {key_str(out.name("rope.scaling.type"), "yarn"), key_f32(out.name("rope.scaling.factor"), 4),
              key_u32(out.name("rope.scaling.original_context_length"), 1024)};
  out.keys.insert(out.keys.end(), more.begin(), more.end());
  return out;
}

const YarnScaling& yarn_of(const ModelRotation& r) { return std::get<YarnScaling>(r.spec->scaling); }

TEST(GgufConfig, YarnHasTheMagnitudeOfTransformers) {
  const ModelRotation r = rotation_of(yarn("llama"));
  EXPECT_EQ(yarn_of(r).factor, 4);
  EXPECT_EQ(yarn_of(r).original_max_position, 1024);
  EXPECT_TRUE(yarn_of(r).truncate);
  EXPECT_NEAR(r.rotation.query.attention_factor, 0.1 * std::log(4.0) + 1, 1e-15);
}

TEST(GgufConfig, YarnTakesTheContextLengthForTheOriginalOne) {
  const ModelRotation r =
      rotation_of({.keys = {key_str("llama.rope.scaling.type", "yarn"), key_f32("llama.rope.scaling.factor", 4)}});
  EXPECT_EQ(yarn_of(r).original_max_position, 4096);
}

TEST(GgufConfig, AttentionFactorMultiplies) {
  const ModelRotation with_yarn = rotation_of(yarn("llama", {key_f32("llama.rope.scaling.attn_factor", 0.5F)}));
  EXPECT_NEAR(with_yarn.rotation.query.attention_factor, 0.5 * (0.1 * std::log(4.0) + 1), 1e-15);
  const ModelRotation without = rotation_of({.keys = {key_f32("llama.rope.scaling.attn_factor", 0.5F)}});
  EXPECT_EQ(without.rotation.query.attention_factor, 0.5);
  const RotationMap plain = rotation_of(GgufModel{}).rotation.query;
  for (std::size_t i = 0; i < plain.frequency.size(); ++i)
    EXPECT_DOUBLE_EQ(without.rotation.query.frequency[i].hi, plain.frequency[i].hi);
}

TEST(GgufConfig, BetasCountWhereTheLoaderReadsThem) {
  const auto with_betas = [](const std::string& a) {
    return yarn(a, {key_f32(a + ".rope.scaling.yarn_beta_fast", 16), key_f32(a + ".rope.scaling.yarn_beta_slow", 2)});
  };
  EXPECT_EQ(yarn_of(rotation_of(with_betas("llama"))).beta_fast, 32);
  EXPECT_EQ(yarn_of(rotation_of(with_betas("llama"), kOriginal)).beta_fast, 16);
  EXPECT_EQ(yarn_of(rotation_of(with_betas("llama"), kOriginal)).beta_slow, 2);
  EXPECT_EQ(yarn_of(rotation_of(with_betas("mistral3"))).beta_fast, 16);
  EXPECT_EQ(yarn_of(rotation_of(yarn("grok"))).beta_fast, 8);
  EXPECT_EQ(warnings_of(with_betas("mistral3")), "");
  EXPECT_EQ(warnings_of(with_betas("llama"), kOriginal), "");
  EXPECT_THAT(
      warnings_of(with_betas("llama")),
      HasSubstr("llama.rope.scaling.yarn_beta_fast: llama.cpp does not read it here and takes 32.0; lost: 16.0"));
}

TEST(GgufConfig, ExtFactorOfGrokTurnsTheRampOff) {
  const ModelRotation r = rotation_of(yarn(
      "grok", {key_f32("grok.rope.scaling.yarn_ext_factor", 0), key_f32("grok.rope.scaling.yarn_attn_factor", 2)}));
  EXPECT_EQ(r.rotation.query.attention_factor, 2);
  EXPECT_NEAR(r.rotation.query.frequency[0].hi, 0.25, 1e-15);
  EXPECT_THAT(error_of(yarn("grok", {key_f32("grok.rope.scaling.yarn_ext_factor", 0.5F)})),
              HasSubstr("grok.rope.scaling.yarn_ext_factor must be 0 or 1 (or negative: 1), got 0.5"));
}

// mscale_all_dim k: m(s, 1) / m(s, k) on cos and sin; DeepSeek-V2 counts mscale = k, and both put m(s, k)^2 into the
// softmax, with the magnitude of cos and sin in it.
TEST(GgufConfig, LogMultiplierIsTheRatioOfTransformers) {
  const double m1 = 0.1 * std::log(4.0) + 1, mk = 0.1 * 0.7 * std::log(4.0) + 1;
  const ModelRotation mistral =
      rotation_of(yarn("mistral3", {key_f32("mistral3.rope.scaling.yarn_log_multiplier", 0.7F)}));
  EXPECT_NEAR(mistral.rotation.query.attention_factor, m1 / mk, 1e-8);
  EXPECT_EQ(mistral.rotation.softmax_factor, 1);
  const ModelRotation deepseek =
      rotation_of(yarn("deepseek2", {key_f32("deepseek2.rope.scaling.yarn_log_multiplier", 0.07F)}));
  EXPECT_NEAR(deepseek.rotation.query.attention_factor, 1, 1e-8);
  EXPECT_NEAR(deepseek.rotation.softmax_factor, mk * mk, 1e-7);
  const ModelRotation v3 =
      rotation_of(yarn("deepseek2", {key_f32("deepseek2.rope.scaling.yarn_log_multiplier", 0.1F)}));
  EXPECT_NEAR(v3.rotation.query.attention_factor, 1, 1e-8);
  EXPECT_NEAR(v3.rotation.softmax_factor, m1 * m1, 1e-7);
  const ModelRotation other =
      rotation_of(yarn("mistral4", {key_f32("mistral4.rope.scaling.yarn_log_multiplier", 0.07F)}));
  EXPECT_NEAR(other.rotation.query.attention_factor, m1 / mk, 1e-7);
  EXPECT_THAT(warnings_of(yarn("llama", {key_f32("llama.rope.scaling.yarn_log_multiplier", 0.1F)})),
              HasSubstr("yarn_log_multiplier: llama.cpp does not read it here and takes 0.0; lost: 0.1"));
}

TEST(GgufConfig, SliceStandsAtTheEndOfTheHead) {
  const ModelRotation r = rotation_of(
      {.architecture = "deepseek2",
       .keys = {key_u32("deepseek2.attention.key_length", 576), key_u32("deepseek2.attention.key_length_mla", 192),
                key_u32("deepseek2.rope.dimension_count", 64)}});
  EXPECT_EQ(r.head_dim, 192);
  EXPECT_EQ(r.spec->rotary_dim, 64);
  EXPECT_EQ(r.spec->rotary_offset, 128);
  EXPECT_EQ(r.spec->pairing, Pairing::kInterleaved);
}

TEST(GgufConfig, FrequencyFactorsAreDivisors) {
  const GgufModel model{.factors = {{"rope_freqs.weight", {1, 2, 4, 1, 1, 3, 1e30F, INFINITY}}}};
  const std::vector<double> plain = frequencies_of(rotation_of(GgufModel{}).rotation.query);
  const std::vector<double> got = frequencies_of(rotation_of(model).rotation.query);
  EXPECT_THAT(got, ElementsAre(plain[0], plain[1] / 2, plain[2] / 4, plain[3], plain[4], plain[5] / 3, 0, 0));
  EXPECT_TRUE(std::holds_alternative<GivenFrequencies>(rotation_of(model).spec->scaling));
  GgufModel scaled = model;
  scaled.keys = {key_f32("llama.rope.scaling.factor", 2)};
  EXPECT_DOUBLE_EQ(frequencies_of(rotation_of(scaled).rotation.query)[1], plain[1] / 4);
  GgufModel magnified = model;
  magnified.keys = {key_f32("llama.rope.scaling.attn_factor", 0.5F)};
  EXPECT_DOUBLE_EQ(frequencies_of(rotation_of(magnified).rotation.query)[5], plain[5] / 3);
  EXPECT_EQ(rotation_of(magnified).rotation.query.attention_factor, 0.5);
  GgufModel other = model;
  other.architecture = "qwen2";
  EXPECT_THAT(warnings_of(other), HasSubstr("rope_freqs.weight: a tensor that llama.cpp does not use here"));
}

TEST(GgufConfig, LongRopeSwitchesBeyondTheOriginalLength) {
  const GgufModel model{.architecture = "phi3",
                        .keys = {key_u32("phi3.rope.scaling.original_context_length", 1024),
                                 key_f32("phi3.rope.scaling.attn_factor", 1.25F)},
                        .factors = {{"rope_factors_long.weight", {2, 2, 2, 2, 2, 2, 2, 8}},
                                    {"rope_factors_short.weight", {1, 1, 1, 1, 1, 1, 1, 2}}}};
  const std::vector<double> plain = frequencies_of(rotation_of(GgufModel{}).rotation.query);
  for (const std::int64_t length : {std::int64_t{0}, std::int64_t{1024}})
    EXPECT_DOUBLE_EQ(frequencies_of(rotation_of(model, {}, length).rotation.query)[7], plain[7] / 2);
  const RotationMap beyond = rotation_of(model, {}, 1025).rotation.query;
  EXPECT_DOUBLE_EQ(frequencies_of(beyond)[7], plain[7] / 8);
  EXPECT_EQ(beyond.attention_factor, 1.25);
  EXPECT_EQ(warnings_of(model), "");
  // A llama takes the lists with the type only.
  GgufModel llama{.keys = {}, .factors = model.factors};
  EXPECT_THAT(warnings_of(llama), HasSubstr("rope_factors_long.weight: a tensor that llama.cpp does not use here"));
  llama.keys = {key_str("llama.rope.scaling.type", "longrope")};
  EXPECT_DOUBLE_EQ(frequencies_of(rotation_of(llama, {}, 4097).rotation.query)[0], plain[0] / 2);
}

TEST(GgufConfig, AlphaOfHunyuanRaisesTheBase) {
  const ModelRotation r =
      rotation_of({.architecture = "hunyuan_vl", .keys = {key_f32("hunyuan_vl.rope.scaling.alpha", 1000)}});
  EXPECT_NEAR(r.spec->base, 10000 * std::pow(1000.0, 16.0 / 14), 1e-6);
  EXPECT_THAT(warnings_of(GgufModel{.keys = {key_f32("llama.rope.scaling.alpha", 1000)}}),
              HasSubstr("llama.rope.scaling.alpha: llama.cpp does not read it here"));
}

TEST(GgufConfig, OtherReferencesAreRefused) {
  EXPECT_EQ(error_of(GgufModel{}, Reference::kVllm),
            "x.gguf: --as must be llama.cpp or original for a GGUF file, got vllm");
}

TEST(GgufConfig, UnknownArchitecturesAreNotGuessed) {
  const ModelRotation r = rotation_of({.architecture = "llama99"});
  EXPECT_THAT(r.unknown, HasSubstr("the architecture is not in the table"));
  EXPECT_FALSE(r.spec.has_value());
  EXPECT_THAT(rotation_of({.architecture = "gptj"}).unknown, HasSubstr("cannot run it"));
}

TEST(GgufConfig, UnknownRopeKeysAreWarnedOf) {
  EXPECT_THAT(
      warnings_of(GgufModel{.keys = {key_f32("llama.rope.scaling.new", 2), key_f32("qwen2.rope.freq_base", 2)}}),
      "llama.rope.scaling.new: unknown key, ignored: 2.0\nqwen2.rope.freq_base: unknown key, ignored: 2.0\n");
  EXPECT_THAT(warnings_of(GgufModel{.keys = {key_f32("llama.rope.freq_base_swa", 2)}}),
              HasSubstr("llama.rope.freq_base_swa: not used for this architecture; lost: 2.0"));
}

struct BadKey {
  const char* name;
  GgufModel model;
  const char* error;
};

void PrintTo(const BadKey& bad, std::ostream* out) { *out << bad.name; }

class BadGgufKey : public ::testing::TestWithParam<BadKey> {};

TEST_P(BadGgufKey, IsAnErrorByFileAndKey) {
  EXPECT_THAT(error_of(GetParam().model),
              ::testing::AllOf(::testing::StartsWith("x.gguf: "), HasSubstr(GetParam().error)));
}

GgufModel llama_with(const std::string& k) { return {.keys = {k}}; }

INSTANTIATE_TEST_SUITE_P(
    All, BadGgufKey,
    ::testing::Values(
        BadKey{"BaseIsAnInteger", llama_with(key_u32("llama.rope.freq_base", 10000)),
               "llama.rope.freq_base must be a finite f32, got 10000"},
        BadKey{"BaseIsNaN", llama_with(key_f32("llama.rope.freq_base", NAN)),
               "llama.rope.freq_base must be a finite f32"},
        BadKey{"BaseIsOne", llama_with(key_f32("llama.rope.freq_base", 1)), "llama.rope.freq_base must be above 1"},
        BadKey{"WidthIsText", llama_with(key_str("llama.rope.dimension_count", "16")),
               R"(llama.rope.dimension_count must be a whole number in 0 .. 2^31 - 1, got "16")"},
        BadKey{"WidthIsOdd",
               {.architecture = "qwen2", .keys = {key_u32("qwen2.rope.dimension_count", 7)}},
               "qwen2.rope.dimension_count must give an even rotary width in 2 .. 16, got 7"},
        BadKey{"WidthIsZero", llama_with(key_u32("llama.rope.dimension_count", 0)), "in 2 .. 16, got 0"},
        BadKey{"WidthIsAboveTheHeads", llama_with(key_u32("llama.rope.dimension_count", 32)), "in 2 .. 16, got 32"},
        BadKey{"WidthOfALlamaIsNotTheHeads", llama_with(key_u32("llama.rope.dimension_count", 8)),
               "must be the head's width in this architecture, 16, got 8"},
        BadKey{"TypeIsUnknown", llama_with(key_str("llama.rope.scaling.type", "dynamic")),
               R"(llama.rope.scaling.type must be none, linear, yarn or longrope, got "dynamic")"},
        BadKey{"TypeIsANumber", llama_with(key_u32("llama.rope.scaling.type", 1)), "must be a string, got 1"},
        BadKey{"FactorIsNegative", llama_with(key_f32("llama.rope.scaling.factor", -2)),
               "must not be negative, got -2"},
        BadKey{"FactorIsInfinite", llama_with(key_f32("llama.rope.scaling.factor", INFINITY)), "must be a finite f32"},
        BadKey{"FactorIsBelowOne", llama_with(key_f32("llama.rope.scaling.factor", 0.5F)),
               "llama.rope.scaling.factor must be finite and at least 1, got 0.5"},
        BadKey{"AttentionFactorIsZero", llama_with(key_f32("llama.rope.scaling.attn_factor", 0)), "must be positive"},
        BadKey{"HeadCountsAreTooFew",
               {.keys = {key_i32s("llama.attention.head_count", {8, 8})}, .has_head_counts = false},
               "llama.attention.head_count must be a whole number, or 4 of them, got [8,8]"},
        BadKey{"HeadsAreMissing",
               {.has_head_counts = false},
               "must be given, or embedding_length and attention.head_count"},
        BadKey{"NoLayers", {.num_layers = 0}, "llama.block_count must be given, in 1 .. 65536, got 0"},
        BadKey{"TooManyLayers", {.num_layers = 70000}, "must be given, in 1 .. 65536, got 70000"},
        BadKey{"SectionsAreMissing", {.architecture = "qwen2vl"}, "qwen2vl.rope.dimension_sections must be given"},
        BadKey{"SectionsAreEmpty",
               {.architecture = "qwen2vl", .keys = {key_i32s("qwen2vl.rope.dimension_sections", {0, 0, 0, 8})}},
               "must have a pair on one of the first three axes, got [0,0,0,8]"},
        BadKey{"SectionsAreThree",
               {.architecture = "qwen2vl", .keys = {key_i32s("qwen2vl.rope.dimension_sections", {2, 3, 3})}},
               "or 4 of them, got [2,3,3]"},
        BadKey{"FactorsAreTooFew",
               {.factors = {{"rope_freqs.weight", {1, 1}}}},
               R"(tensor "rope_freqs.weight" must have a number for each of the 8 pairs, got 2)"},
        BadKey{"AFactorIsZero",
               {.factors = {{"rope_freqs.weight", {1, 0, 1, 1, 1, 1, 1, 1}}}},
               R"(tensor "rope_freqs.weight", element 1, must be positive, got 0.0)"},
        BadKey{"AFactorIsNaN",
               {.factors = {{"rope_freqs.weight", {1, 1, 1, 1, 1, 1, 1, NAN}}}},
               "element 7, must be positive"},
        BadKey{"PatternIsMissing", {.architecture = "mimo2"}, "mimo2.attention.sliding_window_pattern must be given"}),
    [](const auto& info) { return info.param.name; });

TEST(GgufConfig, AFileWithoutArchitectureIsAnError) {
  const std::string bytes = gguf({});
  EXPECT_THROW(
      try { detail::read_gguf_config(GgufFile(gguf_bytes(bytes), "x.gguf"), {}); } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "x.gguf: general.architecture must be a string, got nothing");
        throw;
      },
      std::runtime_error);
}

}  // namespace
}  // namespace rotary::testing
