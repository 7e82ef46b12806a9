// Arguments of Megatron-LM and GPT-NeoX, in JSON so that no YAML is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "formats/dialect_files.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Json megatron(const Json& patch = Json::object()) {
  return with({{"num_layers", 4},
               {"hidden_size", 512},
               {"num_attention_heads", 4},
               {"position_embedding_type", "rope"},
               {"max_position_embeddings", 4096}},
              patch);
}

ModelRotation first_of(const Json& config) { return read(config, kOriginal).rotations.at(0); }

TEST(MegatronArguments, TurnTheWholeHeadInHalvesOfBase10000ByDefault) {
  const ModelRotation r = first_of(megatron());
  EXPECT_EQ(r.head_dim, 128);
  EXPECT_EQ(r.spec->pairing, Pairing::kHalf);
  EXPECT_EQ(r.spec->base, 10000);
  EXPECT_EQ(r.spec->rotary_dim, 128);
}

TEST(MegatronArguments, TurnNothingUnlessTheyAskForIt) {
  for (const char* type : {"learned_absolute", "none", "relative"})
    EXPECT_FALSE(first_of(megatron({{"position_embedding_type", type}})).rotation.rotates) << type;
  EXPECT_FALSE(first_of(megatron({{"position_embedding_type", nullptr}, {"rotary_base", 10000}})).rotation.rotates);
  EXPECT_TRUE(first_of(megatron({{"position_embedding_type", "none"}, {"use_rotary_position_embeddings", true}}))
                  .rotation.rotates);
}

TEST(MegatronArguments, MayBeSpelledAsOnTheCommandLine) {
  const Json dashed{{"--num-layers", 4},      {"--hidden-size", 512},    {"--num-attention-heads", 4},
                    {"--rotary-base", 50000}, {"--rotary-percent", 0.5}, {"--position-embedding-type", "rope"}};
  const ModelRotation r = first_of(dashed);
  EXPECT_EQ(r.spec->base, 50000);
  EXPECT_EQ(r.spec->rotary_dim, 64);
  EXPECT_EQ(first_of({{"model", megatron({{"rotary_base", 7000}})}}).spec->base, 7000) << "NeMo's nesting";
}

TEST(MegatronArguments, DividePositionsAndScaleAsLlama3) {
  const ModelRotation linear = first_of(megatron({{"rotary_seq_len_interpolation_factor", 4}}));
  EXPECT_EQ(std::get<LinearScaling>(linear.spec->scaling).factor, 4);
  const ModelRotation both =
      first_of(megatron({{"rotary_seq_len_interpolation_factor", 4}, {"use_rope_scaling", true}}));
  EXPECT_EQ(std::get<Llama3Scaling>(both.spec->scaling), Llama3Scaling{});
  EXPECT_EQ(both.rotation.query.at(0, 0, 0).hi, 0.25);
}

TEST(MegatronArguments, SkipLayersByNumberOrList) {
  const auto turning = [](const Json& freq) {
    std::vector<int> out;
    for (const ModelRotation& r : read(megatron({{"no_rope_freq", freq}}), kOriginal).rotations)
      if (r.rotation.rotates) out.insert(out.end(), r.layers.begin(), r.layers.end());
    return out;
  };
  EXPECT_THAT(turning(2), ElementsAre(0, 2));
  EXPECT_THAT(turning(1), ElementsAre());
  EXPECT_THAT(turning({1, 0, 0, 1}), ElementsAre(1, 2));
}

TEST(MegatronArguments, OfYarnMultiplyByTheRatioOfMagnitudes) {
  const Json yarn{{"position_embedding_type", "yarn"},
                  {"yarn_rotary_scaling_factor", 32.0},
                  {"yarn_original_max_position_embeddings", 4096}};
  EXPECT_DOUBLE_EQ(first_of(megatron(yarn)).rotation.query.attention_factor, 0.1 * std::log(32.0) + 1);
  const ModelRotation r = first_of(megatron(with(yarn, {{"yarn_mscale", 0.707}, {"yarn_mscale_all_dim", 0.5}})));
  EXPECT_DOUBLE_EQ(r.rotation.query.attention_factor, (0.0707 * std::log(32.0) + 1) / (0.05 * std::log(32.0) + 1));
}

TEST(MegatronArguments, OfLatentAttentionTurnTheTailAsDeepseekDoes) {
  const Json config = megatron(
      {{"multi_latent_attention", true}, {"rotary_scaling_factor", 40}, {"mscale", 1.0}, {"mscale_all_dim", 1.0}});
  const Json deepseek = parse(R"({"model_type": "deepseek_v3", "hidden_size": 512, "num_attention_heads": 4,
      "num_hidden_layers": 4, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "max_position_embeddings": 163840,
      "rope_scaling": {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "beta_fast": 32,
                       "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0}})");
  const ModelRotation own = first_of(config), theirs = first_of(deepseek);
  EXPECT_EQ(fingerprint(own.rotation.query), fingerprint(theirs.rotation.query));
  EXPECT_EQ(own.rotation.softmax_factor, theirs.rotation.softmax_factor);
}

TEST(MegatronArguments, OfSeveralAxesHaveSections) {
  const ModelRotation r = first_of(megatron({{"position_embedding_type", "mrope"}, {"mrope_section", {16, 24, 24}}}));
  EXPECT_EQ(r.spec->axes.rule, AxisRule::kSections);
  EXPECT_THAT(r.spec->axes.sections, ElementsAre(16, 24, 24));
}

// UP-40: what an absent share means is the program's default, which is not transformers' for the same family.
TEST(NeoxArguments, TurnTheWholeHeadUnlessTheySayOtherwise) {
  const Json neox{{"num-layers", 2}, {"hidden-size", 512}, {"num-attention-heads", 8}, {"pos-emb", "rotary"}};
  EXPECT_EQ(first_of(neox).spec->rotary_dim, 64);
  EXPECT_EQ(first_of(with(neox, {{"rotary_pct", 0.25}})).spec->rotary_dim, 16);
  EXPECT_EQ(first_of(with(neox, {{"rotary-pct", 0.25}})).spec->rotary_dim, 16);
}

TEST(NeoxArguments, WithoutPosEmbTurnNothingWithAWarning) {
  const Json neox{{"num-layers", 2}, {"hidden-size", 512}, {"num-attention-heads", 8}, {"rotary_pct", 0.25}};
  EXPECT_FALSE(first_of(neox).rotation.rotates);
  EXPECT_THAT(warnings_of(neox, kOriginal), HasSubstr("rotary_pct: without effect: pos_emb is absent"));
}

}  // namespace
}  // namespace rotary::testing
