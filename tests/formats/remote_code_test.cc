// Families whose code comes with the checkpoint: transformers cannot run them, so they follow the census of published
// configurations (research/census.md), as do published files that transformers 5.24 fails on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/reading.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct RemoteCase {
  const char* name;
  const char* config;
  int head_dim, rotary_dim;
  Pairing pairing;
  double base;
  const char* rope_type;
};

void PrintTo(const RemoteCase& c, std::ostream* out) { *out << c.name; }

constexpr Pairing kHalf = Pairing::kHalf, kInterleaved = Pairing::kInterleaved;

const RemoteCase kCases[]{
    {"Baichuan7B",
     R"({"model_type": "baichuan", "hidden_size": 4096, "max_position_embeddings": 4096, "num_attention_heads": 32,
         "num_hidden_layers": 32})",
     128, 128, kHalf, 10000, "default"},
    {"ChatGlm3",
     R"({"model_type": "chatglm", "hidden_size": 4096, "kv_channels": 128, "num_attention_heads": 32,
         "original_rope": true, "seq_length": 8192})",
     128, 64, kInterleaved, 10000, "default"},
    {"ChatGlmWithRopeRatio",
     R"({"model_type": "chatglm", "hidden_size": 4096, "kv_channels": 128, "num_attention_heads": 32,
         "rope_ratio": 500, "seq_length": 131072})",
     128, 64, kInterleaved, 5000000, "default"},
    {"DeepSeekMoe",
     R"({"model_type": "deepseek", "hidden_size": 2048, "max_position_embeddings": 4096, "num_attention_heads": 16,
         "num_hidden_layers": 28, "rope_scaling": null, "rope_theta": 10000})",
     128, 128, kHalf, 10000, "default"},
    {"InternLm2",
     R"({"model_type": "internlm2", "hidden_size": 4096, "max_position_embeddings": 32768, "num_attention_heads": 32,
         "num_hidden_layers": 32, "rope_scaling": null, "rope_theta": 1000000})",
     128, 128, kHalf, 1000000, "default"},
    {"InternLm25",
     R"({"model_type": "internlm2", "hidden_size": 4096, "max_position_embeddings": 32768, "num_attention_heads": 32,
         "num_hidden_layers": 32, "rope_scaling": {"type": "dynamic", "factor": 2.0}, "rope_theta": 1000000})",
     128, 128, kHalf, 1000000, "dynamic"},
    {"MiniCpmSft",
     R"({"model_type": "minicpm", "hidden_size": 2304, "max_position_embeddings": 4096, "num_attention_heads": 36,
         "num_hidden_layers": 40})",
     64, 64, kHalf, 10000, "default"},
    {"MiniCpm64k",
     R"({"model_type": "minicpm", "hidden_size": 2304, "max_position_embeddings": 65536, "num_attention_heads": 36,
         "num_hidden_layers": 40, "rope_scaling": {"type": "dynamic", "factor": 4.0}, "rope_theta": 1000000.0})",
     64, 64, kHalf, 1000000, "dynamic"},
    {"Orion14B",
     R"({"model_type": "orion", "hidden_size": 5120, "max_position_embeddings": 4096, "num_attention_heads": 40,
         "num_hidden_layers": 40, "rope_scaling": null, "rope_theta": 10000.0})",
     128, 128, kHalf, 10000, "default"},
    {"Phi15",
     R"({"model_type": "phi-msft", "n_embd": 2048, "n_head": 32, "n_layer": 24, "n_positions": 2048, "rotary_dim": 32})",
     64, 32, kHalf, 10000, "default"},
    {"Phi2",
     R"({"model_type": "phi-msft", "n_embd": 2560, "n_head": 32, "n_layer": 32, "n_positions": 2048, "rotary_dim": 32})",
     80, 32, kHalf, 10000, "default"},
    {"Qwen18B",
     R"({"model_type": "qwen", "hidden_size": 2048, "kv_channels": 128, "num_attention_heads": 16,
         "num_hidden_layers": 24, "rotary_emb_base": 10000, "rotary_pct": 1.0, "seq_length": 8192,
         "use_dynamic_ntk": true, "use_logn_attn": true})",
     128, 128, kHalf, 10000, "default"},
    {"Qwen72B", R"({"model_type": "qwen", "rotary_emb_base": 1000000})", 128, 128, kHalf, 1000000, "default"},
};

class RemoteCode : public ::testing::TestWithParam<RemoteCase> {};

TEST_P(RemoteCode, ReadsAsTheCensusSays) {
  const RemoteCase& want = GetParam();
  const Json config = Json::parse(want.config);
  const ModelRotation r = read(config).rotations.at(0);
  EXPECT_EQ(r.head_dim, want.head_dim);
  EXPECT_EQ(rotary_dim(r.rotation.query), want.rotary_dim);
  EXPECT_EQ(r.spec->pairing, want.pairing);
  EXPECT_EQ(r.spec->base, want.base);
  EXPECT_EQ(scaling_name(r.spec->scaling), want.rope_type);
  EXPECT_THAT(warnings_of(config),
              HasSubstr("not part of transformers 5: read as the family's own (remote) code does"));
  EXPECT_THAT(warnings_of(config, kOriginal), IsEmpty());
  EXPECT_EQ(fingerprints_of(config), fingerprints_of(config, kOriginal));
}

INSTANTIATE_TEST_SUITE_P(, RemoteCode, ::testing::ValuesIn(kCases), [](const auto& info) { return info.param.name; });

TEST(RemoteCodeOddities, Baichuan13BDoesNotRotate) {
  const ModelConfig config = read(parse(R"({"model_type": "baichuan", "hidden_size": 5120, "num_attention_heads": 40,
                                            "num_hidden_layers": 40, "model_max_length": 4096})"));
  ASSERT_EQ(config.rotations.size(), 1u);
  EXPECT_FALSE(config.rotations[0].rotation.rotates);
  EXPECT_EQ(config.rotations[0].layers.size(), 40u);
}

TEST(RemoteCodeOddities, QwenScalesLongQueriesByTheLogarithmIfAsked) {
  const auto rule = [](bool on) {
    return read(Json{{"model_type", "qwen"}, {"seq_length", 2048}, {"use_logn_attn", on}})
        .rotations.at(0)
        .rotation.query_scale_rule;
  };
  EXPECT_EQ(rule(true).kind, QueryScaleRule::Kind::kLogN);
  EXPECT_EQ(rule(true).floor_scale, 2048);
  EXPECT_EQ(rule(false).kind, QueryScaleRule::Kind::kNone);
}

TEST(RemoteCodeOddities, QwensGrowingBaseIsNamedInANote) {
  EXPECT_THAT(read(parse(R"({"model_type": "qwen", "use_dynamic_ntk": true})")).rotations.at(0).note,
              HasSubstr("use_dynamic_ntk"));
}

TEST(PublishedFilesThatTransformersFailsOn, Exaone4IsReadByItsLayerTypes) {
  Json config = parse(R"({"model_type": "exaone4", "rope_theta": 1000000, "head_dim": 128, "hidden_size": 5120,
      "num_attention_heads": 40, "num_hidden_layers": 8, "sliding_window": 4096, "sliding_window_pattern": "LLLG",
      "rope_scaling": {"rope_type": "llama3", "factor": 16.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                       "original_max_position_embeddings": 8192}})");
  config["layer_types"] = {"sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
                           "sliding_attention", "sliding_attention", "sliding_attention", "full_attention"};
  const ModelConfig model = read(config);
  ASSERT_EQ(model.rotations.size(), 2u);
  EXPECT_THAT(model.rotations[0].layers, ElementsAre(0, 1, 2, 4, 5, 6));
  EXPECT_EQ(std::get<Llama3Scaling>(model.rotations[0].spec->scaling).factor, 16);
  EXPECT_THAT(model.rotations[1].layers, ElementsAre(3, 7));
  EXPECT_FALSE(model.rotations[1].rotation.rotates);
}

TEST(PublishedFilesThatTransformersFailsOn, NemotronTurnsHalfOfTheHead) {
  const RotationMap map = map_of(parse(R"({"model_type": "nemotron", "partial_rotary_factor": 0.5})"));
  EXPECT_EQ(map.channels, 128);
  EXPECT_EQ(rotary_dim(map), 64);
}

TEST(PublishedFilesThatTransformersFailsOn, RoFormerTurnsAdjacentPairsOfQueriesAndKeysOnly) {
  const ModelRotation r = read(parse(R"({"model_type": "roformer", "max_position_embeddings": 1536,
      "rotary_value": false, "hidden_size": 768, "num_attention_heads": 12})"))
                              .rotations.at(0);
  EXPECT_EQ(layout_class(r.rotation.query).layout, Layout::kInterleaved);
  EXPECT_EQ(r.head_dim, 64);
  EXPECT_FALSE(r.rotation.rotates_values);
  EXPECT_TRUE(
      read(parse(R"({"model_type": "roformer", "rotary_value": true})")).rotations.at(0).rotation.rotates_values);
}

TEST(UnknownTypes, AreReadByTheGeneralRulesWithAWarning) {
  const Json config = parse(R"({"model_type": "llama_of_tomorrow", "n_embd": 1024, "n_head": 8, "n_layer": 4,
                                "rotary_emb_base": 500000})");
  EXPECT_EQ(map_of(config).channels, 128);
  EXPECT_EQ(spec_of(config).base, 500000);
  EXPECT_THAT(warnings_of(config), HasSubstr("model_type: unknown: 'llama_of_tomorrow'; read by the general rules"));
}

TEST(UnknownTypes, OfCompositesAreReadPartByPart) {
  const ModelConfig config = read(parse(R"({"model_type": "vision_of_tomorrow",
      "text_config": {"model_type": "qwen3", "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 2}})"));
  ASSERT_EQ(config.rotations.size(), 1u);
  EXPECT_EQ(config.rotations[0].component, "text_config");
  EXPECT_EQ(config.rotations[0].head_dim, 128) << "Qwen3's own default, not the quotient";
}

}  // namespace
}  // namespace rotary::testing
