// Same configuration, different numbers: who computes what, and how far apart (one test per known difference), and what
// is not known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "formats/golden_records.h"
#include "formats/reading.h"
#include "rotary/cos_sin_table.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;

ModelRotation rotation_of(const std::string& config, Reference reference, std::int64_t seq_len = 0) {
  const ModelConfig all = parse_model_config(config, "config.json", {.reference = reference, .seq_len = seq_len});
  for (const ModelRotation& r : all.rotations)
    if (r.component.empty() || r.component == "text_config") return r;
  throw std::runtime_error("no text");
}

RotationMap map_as(const std::string& config, Reference reference, std::int64_t seq_len = 0) {
  const ModelRotation r = rotation_of(config, reference, seq_len);
  EXPECT_EQ(r.unknown + r.fails, "");
  return r.rotation.query;
}

// A published configuration of tests/golden/rope.
std::string published(const std::string& name) {
  std::ifstream in(std::string(ROTARY_TEST_DATA) + "/rope/published.jsonl");
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line);
    if (json.value("config", "") == name) return json.at("json").dump();
  }
  throw std::runtime_error("no published configuration " + name);
}

std::string yarn(const Json& more) {
  Json scaling{{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 32768}};
  scaling.update(more);
  return llama({{"rope_theta", 1e6}, {"rope_scaling", scaling}}).dump();
}

double frequency(const RotationMap& map, int pair) {
  double sum = 0;
  for (int axis = 0; axis < map.num_axes; ++axis) sum += map.at(0, pair, axis).hi;
  return sum;
}

TEST(References, RoundTheCorrectionRangeOfGptOssWhereTheyDoNotKnowTruncate) {
  const std::string config = published("gpt-oss-20b");
  const RotationMap hf = map_as(config, kTransformers), vllm = map_as(config, Reference::kVllm),
                    ggml = map_as(config, Reference::kLlamaCpp);
  EXPECT_EQ(vllm, hf);
  EXPECT_NEAR(frequency(ggml, 17) / frequency(hf, 17), 1.76, 0.005);
}

TEST(References, IgnoreAttentionFactor) {
  const std::string config = yarn({{"attention_factor", 1.0}});
  EXPECT_EQ(map_as(config, kTransformers).attention_factor, 1);
  EXPECT_EQ(map_as(config, Reference::kTransformers4).attention_factor, 1);
  for (Reference other : {Reference::kVllm, Reference::kSglang, Reference::kLlamaCpp, Reference::kMlxLm}) {
    const double factor = map_as(config, other).attention_factor;
    EXPECT_NEAR(factor, 1.1386, 5e-5) << to_string(other);
    EXPECT_NEAR(factor * factor, 1.296, 5e-4) << to_string(other);  // on the logits
  }
}

TEST(References, DisagreeAboutBothMscalesOutsideDeepSeek) {
  const std::string config = yarn({{"mscale", 1.0}, {"mscale_all_dim", 1.0}});
  EXPECT_EQ(map_as(config, kTransformers).attention_factor, 1);
  EXPECT_EQ(map_as(config, Reference::kSglang).attention_factor, 1);
  EXPECT_EQ(map_as(config, Reference::kMlxLm).attention_factor, 1);
  EXPECT_NEAR(map_as(config, Reference::kVllm).attention_factor, 1.1386, 5e-5);
  EXPECT_THAT(rotation_of(config, Reference::kLlamaCpp).unknown, HasSubstr("mscale"));
}

TEST(References, TakeFourTimesTheLengthForScaledMropeInVllm) {
  Json json = Json::parse(published("qwen2.5-vl-7b"));
  Json& holder = json.contains("text_config") ? json["text_config"] : json;
  Json scaling{{"rope_type", "yarn"},
               {"factor", 4.0},
               {"original_max_position_embeddings", 32768},
               {"mrope_section", {16, 24, 24}}};
  holder["rope_scaling"] = scaling;
  const RotationMap hf = map_as(json.dump(), kTransformers), vllm = map_as(json.dump(), Reference::kVllm);
  EXPECT_NEAR(frequency(vllm, 40) / frequency(hf, 40), 2.24, 0.01);
  EXPECT_EQ(map_as(json.dump(), Reference::kLlamaCpp), hf);
}

TEST(References, GrowTheBaseOfDynamicScalingOrDoNot) {
  const std::string config =
      llama({{"max_position_embeddings", 4096}, {"rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2.0}}}}).dump();
  const auto base = [&](Reference reference, std::int64_t seq_len) {
    return std::pow(frequency(map_as(config, reference, seq_len), 1), -64.0);
  };
  EXPECT_NEAR(base(kTransformers, 4097), 10005.0, 0.1);
  EXPECT_NEAR(base(kTransformers, 8192), 30527.7, 0.1);
  EXPECT_NEAR(base(kTransformers, 16384), 72195.9, 0.1);
  for (std::int64_t length : {1, 4097, 16384}) {
    EXPECT_NEAR(base(Reference::kVllm, length), 10000, 1e-6);
    EXPECT_NEAR(base(Reference::kLlamaCpp, length), 10000, 1e-6);
    EXPECT_NEAR(base(Reference::kSglang, length), 30527.7, 0.1);
  }
  EXPECT_THAT(rotation_of(config, Reference::kMlxLm).fails, HasSubstr("dynamic"));
}

TEST(References, SwitchTheListOfLongropeAtDifferentLengths) {
  const std::string config = llama({{"rope_scaling",
                                     {{"rope_type", "longrope"},
                                      {"original_max_position_embeddings", 4096},
                                      {"short_factor", std::vector<double>(64, 1.0)},
                                      {"long_factor", std::vector<double>(64, 2.0)}}}})
                                 .dump();
  const auto is_long = [&](Reference reference, std::int64_t seq_len) {
    return frequency(map_as(config, reference, seq_len), 0) == 0.5;
  };
  for (Reference r : {kTransformers, Reference::kLlamaCpp}) {
    EXPECT_FALSE(is_long(r, 4096));
    EXPECT_TRUE(is_long(r, 4097));
  }
  EXPECT_TRUE(is_long(Reference::kVllm, 1));
  EXPECT_FALSE(is_long(Reference::kSglang, 4097));
  EXPECT_TRUE(is_long(Reference::kSglang, 4098));
}

TEST(References, TurnTheTailOfInterleavedSectionsByAFourthIdInLlamaCpp) {
  Json json = Json::parse(published("qwen3-vl-2b-embedding-build"));
  const RotationMap hf = map_as(json.dump(), kTransformers), ggml = map_as(json.dump(), Reference::kLlamaCpp);
  EXPECT_EQ(map_as(json.dump(), Reference::kVllm), hf);
  std::vector<int> fourth;
  for (int i = 0; i < static_cast<int>(ggml.pairs.size()); ++i)
    if (axis_of(ggml, i) == 3) fourth.push_back(i);
  EXPECT_EQ(fourth, (std::vector{61, 62}));
  EXPECT_EQ(axis_of(hf, 61), 0);
  // Text stands at (m, m, m, 0): what pair 61 loses at 200,000.
  EXPECT_NEAR(2e5 * hf.at(0, 61, 0).hi, 0.0824, 5e-4);
}

TEST(References, LoseDigitsInTablesOfBfloat16AndInRepeatedProducts) {
  const RopeSpec spec = *rotation_of(llama().dump(), kTransformers).spec;
  // The largest error of a cosine or sine in the 1,024 positions up to the last.
  const auto largest = [&](Arithmetic arithmetic, std::int64_t last) {
    std::vector<std::int64_t> positions(1024);
    std::iota(positions.begin(), positions.end(), last + 1 - static_cast<std::int64_t>(positions.size()));
    const CosSinTable table = CosSinTable::by_token(spec, positions, arithmetic);
    const CosSinTable exact = CosSinTable::by_token(spec, positions, Arithmetic::kExact);
    double out = 0;
    for (std::int64_t row = 0; row < exact.num_rows(); ++row)
      for (std::size_t i = 0; i < 64; ++i) {
        out = std::max(out, std::abs(double{table.cos(row)[i]} - double{exact.cos(row)[i]}));
        out = std::max(out, std::abs(double{table.sin(row)[i]} - double{exact.sin(row)[i]}));
      }
    return out;
  };
  EXPECT_NEAR(largest(Arithmetic::kTransformersBfloat16, 1023), 2e-3, 1e-4);  // half an ulp below 1
  EXPECT_NEAR(largest(Arithmetic::kTransformersFloat32, 131071), 7.6e-3, 4e-4);
  EXPECT_NEAR(largest(Arithmetic::kGgml, 131071), 2.0e-2, 1e-3);
}

TEST(References, AreDefinedWhereTheBlendedBandOfLlama3IsEmpty) {
  const std::string config = llama({{"rope_scaling",
                                     {{"rope_type", "llama3"},
                                      {"factor", 8.0},
                                      {"low_freq_factor", 2.0},
                                      {"high_freq_factor", 2.0},
                                      {"original_max_position_embeddings", 8192}}}})
                                 .dump();
  const RotationMap map = map_as(config, Reference::kVllm);
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(std::isfinite(frequency(map, i)));
  EXPECT_THAT(rotation_of(config, Reference::kLlamaCpp).fails, HasSubstr("low_freq_factor = high_freq_factor"));
}

TEST(References, DifferInTheLastBitsOfLinearScaling) {
  const RopeSpec spec =
      *rotation_of(llama({{"rope_scaling", {{"rope_type", "linear"}, {"factor", 3.0}}}}).dump(), kTransformers).spec;
  const std::vector<std::int64_t> positions{1003};
  const CosSinTable hf = CosSinTable::by_token(spec, positions, Arithmetic::kTransformersFloat32),
                    ggml = CosSinTable::by_token(spec, positions, Arithmetic::kGgml);
  double largest = 0;
  for (std::size_t i = 0; i < 64; ++i)
    largest = std::max(largest, std::abs(double{hf.sin(0)[i]} - double{ggml.sin(0)[i]}));
  EXPECT_GT(largest, 0);
  EXPECT_LT(largest, 334.4 * 64 * 0x1p-24);  // at most 64 products of an angle of 334, each rounded
}

TEST(References, ReadNoRopeParametersBeforeTransformers5) {
  const std::string config =
      llama({{"rope_parameters", {{"rope_type", "linear"}, {"rope_theta", 5e5}, {"factor", 4.0}}}}).dump();
  const ModelRotation r = rotation_of(config, Reference::kTransformers4);
  EXPECT_EQ(r.spec->base, 10000);
  EXPECT_EQ(scaling_name(r.spec->scaling), "default");
  EXPECT_THAT(warnings_of(parse_model_config(config, "config.json", {.reference = Reference::kTransformers4})),
              HasSubstr("rope_parameters: not known to transformers 4.57"));
  EXPECT_THAT(rotation_of(config, Reference::kMlxLm).unknown, HasSubstr("rope_parameters"));
  EXPECT_EQ(map_as(config, Reference::kVllm), map_as(config, kTransformers));
}

TEST(References, AreUnknownWhereNobodyLooked) {
  const Json strange{{"model_type", "never_heard_of"}, {"head_dim", 64}, {"rope_theta", 1e6}};
  for (Reference r : all_references()) {
    const ModelRotation rotation = read(strange, r).rotations.at(0);
    const bool reading_of_the_file = r == kTransformers || r == kOriginal;
    EXPECT_EQ(rotation.unknown.empty() && rotation.fails.empty(), reading_of_the_file) << to_string(r);
    EXPECT_EQ(rotation.spec.has_value(), reading_of_the_file);
  }
  const std::string nanochat = R"({"model_type": "nanochat"})";
  EXPECT_THAT(rotation_of(nanochat, Reference::kVllm).unknown, HasSubstr("negate_angle"));
}

TEST(References, SayWhichModelsTheyHaveNot) {
  const std::string config = R"({"model_type": "cwm"})";  // new in transformers 5
  EXPECT_THAT(rotation_of(config, Reference::kTransformers4).fails, HasSubstr("has no model of type cwm"));
  EXPECT_THAT(rotation_of(config, Reference::kMlxLm).fails, HasSubstr("has no model of type cwm"));
}

TEST(References, HaveNamesThatAreReadBack) {
  for (Reference r : all_references()) {
    EXPECT_EQ(parse_reference(to_string(r)), r);
    EXPECT_EQ(release_of(r).empty(), r == kOriginal);
  }
  try {
    parse_reference("vLLM");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("one of transformers, original, transformers-4, llama.cpp, vllm"));
  }
}

}  // namespace
}  // namespace rotary::testing
