// What is wrong in a params.json or a file of arguments is one line that names the file and the key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/dialect_files.h"

namespace rotary::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct BadFile {
  const char* name;
  const char* file;  // its name
  std::string text;
  const char* error;
};

void PrintTo(const BadFile& bad, std::ostream* out) { *out << bad.name; }

class BadDialect : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadDialect, IsOneLineThatNamesFileAndKey) {
  const std::string error = text_error(GetParam().text, GetParam().file);
  EXPECT_THAT(error, AllOf(StartsWith(std::string(GetParam().file) + ": "), HasSubstr(GetParam().error)));
  EXPECT_THAT(error, Not(HasSubstr("\n")));
}

std::string meta(const std::string& more) { return R"({"dim": 4096, "n_layers": 2, "n_heads": 32, )" + more + "}"; }

std::string mistral(const std::string& more) {
  return R"({"dim": 4096, "n_layers": 2, "n_heads": 32, "head_dim": 128, "hidden_dim": 64, )" + more + "}";
}

std::string neox(const std::string& more) {
  return "num-layers: 2\nhidden-size: 512\nnum-attention-heads: 8\npos-emb: rotary\n" + more;
}

std::string megatron(const std::string& more) {
  return "num_layers: 2\nhidden_size: 512\nnum_attention_heads: 8\nposition_embedding_type: rope\n" + more;
}

std::string repeated(int times, const std::string& what) {
  std::string out;
  for (int i = 0; i < times; ++i) out += what;
  return out;
}

INSTANTIATE_TEST_SUITE_P(
    Meta, BadDialect,
    ::testing::Values(
        BadFile{"Truncated", "params.json", R"({"dim": 4096, "n_lay)", "must be JSON"},
        BadFile{"DimIsText", "params.json", R"({"dim": "4096", "n_layers": 2, "n_heads": 32})",
                "dim must be an integer"},
        BadFile{"DimIsHuge", "params.json", R"({"dim": 1e300, "n_layers": 2, "n_heads": 32})",
                "dim must be an integer"},
        BadFile{"NoHeads", "params.json", R"({"dim": 4096, "n_layers": 2, "n_heads": null})", "n_heads must be given"},
        BadFile{"Indivisible", "params.json", R"({"dim": 100, "n_layers": 2, "n_heads": 3})",
                "dim must divide by n_heads = 3"},
        BadFile{"OddHead", "params.json", R"({"dim": 66, "n_layers": 2, "n_heads": 2})",
                "dim must give an even rotary width"},
        BadFile{"BaseIsNan", "params.json", meta(R"("rope_theta": NaN)"),
                "rope_theta must be a finite number, got NaN"},
        BadFile{"BaseIsText", "params.json", meta(R"("rope_theta": "1e6")"), "rope_theta must be a finite number"},
        BadFile{"BaseIsOne", "params.json", meta(R"("rope_theta": 1)"), "rope_theta must be"},
        BadFile{"BaseBeyondDouble", "params.json", meta(R"("rope_theta": 1e400)"), "after the key rope_theta"},
        BadFile{"SwitchIsANumber", "params.json", meta(R"("use_scaled_rope": 1)"),
                "use_scaled_rope must be true or false"},
        BadFile{"UnknownWidth", "params.json",
                R"({"dim": 2560, "n_layers": 2, "n_heads": 20, "use_scaled_rope": true})",
                "rope_scaling_factor must be given (use_scaled_rope is true, and no released model with dim = 2560"},
        BadFile{"FactorBelowOne", "params.json", meta(R"("use_scaled_rope": true, "rope_scaling_factor": 0.5)"),
                "rope_scaling_factor must be"},
        BadFile{"HighBelowLow", "params.json", meta(R"("use_scaled_rope": true, "rope_high_freq_factor": 0.5)"),
                "rope_high_freq_factor must be"},
        BadFile{"HeadDimContradicts", "params.json", meta(R"("head_dim": 64)"), "head_dim must be dim / n_heads"},
        BadFile{"IntervalIsZero", "params.json", meta(R"("nope_layer_interval": 0)"),
                "nope_layer_interval must be in 1"},
        BadFile{"VisionIsAList", "params.json", meta(R"("vision_args": [])"), "vision_args must be an object"},
        BadFile{"TooManyLayers", "params.json", R"({"dim": 64, "n_layers": 5000, "n_heads": 2})",
                "n_layers must be at most 4096"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Mistral, BadDialect,
    ::testing::Values(
        BadFile{"YarnIsAList", "params.json", mistral(R"("yarn": [1])"), "yarn must be an object or null"},
        BadFile{"YarnWithoutFactor", "params.json", mistral(R"("yarn": {"alpha": 1})"), "yarn.factor must be given"},
        BadFile{"YarnWithoutLength", "params.json", mistral(R"("yarn": {"factor": 4})"),
                "yarn.original_max_position_embeddings must be given"},
        BadFile{"FactorIsText", "params.json",
                mistral(R"("yarn": {"factor": "4", "original_max_position_embeddings": 8192})"),
                "yarn.factor must be a finite number"},
        BadFile{"ApplyScaleIsText", "params.json",
                mistral(R"("yarn": {"factor": 4, "original_max_position_embeddings": 8192, "apply_scale": "no"})"),
                "yarn.apply_scale must be true or false"},
        BadFile{"TemperatureWithoutBeta", "params.json",
                mistral(R"("llama_4_scaling": {"original_max_position_embeddings": 8192})"),
                "llama_4_scaling.beta must be given"},
        BadFile{"RotaryPartMissing", "params.json", mistral(R"("qk_nope_head_dim": 128)"),
                "qk_rope_head_dim must be given"},
        BadFile{"RotaryPartIsOdd", "params.json", mistral(R"("qk_nope_head_dim": 128, "qk_rope_head_dim": 63)"),
                "qk_rope_head_dim must give an even"},
        BadFile{"BaseIsNan", "params.json", mistral(R"("rope_theta": NaN)"), "rope_theta must be a finite number"},
        BadFile{"TowerIsText", "params.json", mistral(R"("vision_encoder": "x")"), "vision_encoder must be an object"}),
    [](const auto& info) { return info.param.name; });

#ifdef ROTARY_HAS_YAML
INSTANTIATE_TEST_SUITE_P(
    Arguments, BadDialect,
    ::testing::Values(
        BadFile{"Unclosed", "x.yml", "{\"num-layers\": 2,\n", "must be YAML, got an error at line 2"},
        BadFile{"OtherKeys", "x.yml", "a: 1\n", "must hold the arguments of Megatron-LM or GPT-NeoX"},
        BadFile{"Empty", "x.yaml", "", "must hold the arguments of Megatron-LM or GPT-NeoX"},
        BadFile{"TwoDocuments", "x.yml", "a: 1\n---\nb: 1\n", "a second document"},
        BadFile{"Anchor", "x.yml", neox("a: &x 1\n"), "an anchor, which is not read"},
        BadFile{"Alias", "x.yml", neox("a: *x\n"), "an alias, which is not read"},
        BadFile{"Tag", "x.yml", neox("rotary_pct: !!str 0.25\n"), "a tag, which is not read"},
        BadFile{"MergeKey", "x.yml", neox("<<: {a: 1}\n"), "a merge key, which is not read"},
        BadFile{"KeyIsAList", "x.yml", "? [a]\n: 1\n", "a key that is no scalar"},
        BadFile{"Deep", "x.yml", repeated(200, "["), "must be nested at most 128 levels deep"},
        BadFile{"InvalidUtf8", "x.yml", neox("a: \xff\n"), "must be YAML"},
        BadFile{"ShareIsText", "x.yml", neox("rotary_pct: 25e-2\n"),
                "rotary_pct must be a finite number, got \"25e-2\""},
        BadFile{"BaseIsText", "x.yml", neox("rotary-emb-base: 1e4\n"), "rotary-emb-base must be a finite number"},
        BadFile{"BaseIsNan", "x.yml", neox("rotary-emb-base: .nan\n"),
                "rotary-emb-base must be a finite number, got NaN"},
        BadFile{"BaseBeyondDouble", "x.yml", neox("rotary-emb-base: 1.0e+400\n"),
                "rotary-emb-base must be a finite number, got Infinity"},
        BadFile{"ShareAboveOne", "x.yml", neox("rotary_pct: 1.5\n"), "rotary_pct must give a rotary width"},
        BadFile{"TwoSpellings", "x.yml", neox("rotary_pct: 0.5\nrotary-pct: 0.25\n"),
                "must be given in one spelling, got it also as"},
        BadFile{"NoRopeFreqIsAnExpression", "x.yaml", megatron("no_rope_freq: \"([0]*3+[1]*1)*3\"\n"),
                "no_rope_freq must be an integer or a list"},
        BadFile{"NoRopeFreqIsShort", "x.yaml", megatron("no_rope_freq: [1]\n"),
                "no_rope_freq must have one entry per layer"},
        BadFile{"InterpolationIsZero", "x.yaml", megatron("rotary_seq_len_interpolation_factor: 0\n"),
                "rotary_seq_len_interpolation_factor must be a number above 0"},
        BadFile{"SectionsMissing", "x.yaml",
                "num_layers: 2\nhidden_size: 512\nnum_attention_heads: 8\nposition_embedding_type: mrope\n",
                "mrope_section must be given"},
        BadFile{"LatentWithoutFactor", "x.yaml", megatron("multi_latent_attention: true\n"),
                "rotary_scaling_factor must be given"},
        BadFile{"LatentInterleaved", "x.yaml", megatron("multi_latent_attention: true\nrotary_interleaved: true\n"),
                "rotary_interleaved must be false"}),
    [](const auto& info) { return info.param.name; });
#endif

TEST(DialectReference, OfAnotherProgramIsRefusedByName) {
  EXPECT_EQ(text_error(meta(R"("norm_eps": 0)"), "p/params.json", {.reference = Reference::kVllm}),
            "p/params.json: --as must be original for a params.json of Meta, got vllm");
  EXPECT_EQ(text_error(mistral(R"("norm_eps": 0)"), "params.json", {.reference = Reference::kTransformers}),
            "params.json: --as must be original for a params.json of Mistral, got transformers");
  EXPECT_EQ(text_error(meta(R"("norm_eps": 0)"), "params.json", {.reference = kOriginal}), "");
}

// UP-37: a base is a double, whole and exact, however it is spelled.
TEST(DialectBase, IsReadExactly) {
  for (const char* base :
       {"10000", "150000", "500000", "1e6", "8e6", "10000000", "1e7", "11158840", "5e7", "1e8", "1e11", "1000000.5"})
    EXPECT_EQ(
        parse_model_config(meta(std::string("\"rope_theta\": ") + base), "params.json").rotations.at(0).spec->base,
        std::stod(base))
        << base;
  for (const char* base : {"0", "-1", "1", "0.5"})
    EXPECT_THAT(text_error(meta(std::string("\"rope_theta\": ") + base), "params.json"),
                HasSubstr("rope_theta must be"))
        << base;
}

// UP-34: the base of a file without one is that of the program that the file is for, and is said to be assumed.
TEST(DialectBase, ThatIsAbsentIsTheProgramsOwn) {
  const auto base = [](const std::string& text) {
    const ModelConfig config = parse_model_config(text, "params.json");
    for (const Source& s : config.rotations.at(0).sources) EXPECT_TRUE(s.field != "base" || s.assumed);
    return config.rotations.at(0).spec->base;
  };
  EXPECT_EQ(base(meta(R"("norm_eps": 0)")), 10000);
  EXPECT_EQ(base(meta(R"("rope_theta": null)")), 10000);
  EXPECT_EQ(base(meta(R"("use_scaled_rope": true)")), 500000);
  EXPECT_EQ(base(meta(R"("nope_layer_interval": 4)")), 500000);
  EXPECT_EQ(base(mistral(R"("norm_eps": 0)")), 1000000);
  EXPECT_EQ(base(mistral(R"("sliding_window": 4096)")), 10000);
}

}  // namespace
}  // namespace rotary::testing
