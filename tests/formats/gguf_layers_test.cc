// Which layers of a GGUF model turn, and how: sliding windows, layers without rotation, sections, every architecture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "formats/gguf_data.h"
#include "formats/gguf_model.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// "SSFS" by layer: S and F sliding and full, s and f the same without rotation, - without attention.
std::string layers_of(const GgufModel& model, std::optional<Reference> reference = std::nullopt) {
  std::string out(model.num_layers, '-');
  for (const ModelRotation& r : read(model, reference).rotations) {
    const bool sliding = r.layer_type == "sliding_attention";
    const char kind = sliding ? (r.rotation.rotates ? 'S' : 's') : (r.rotation.rotates ? 'F' : 'f');
    if (r.all_layers) out.assign(out.size(), kind);
    for (const int layer : r.layers) out[static_cast<std::size_t>(layer)] = kind;
  }
  return out;
}

GgufModel model(const std::string& architecture, std::uint32_t num_layers, const std::vector<std::string>& keys = {}) {
  return {.architecture = architecture, .keys = keys, .num_layers = num_layers};
}

TEST(GgufLayers, SlideByThePeriodOfTheArchitecture) {
  const std::string w = ".attention.sliding_window";
  EXPECT_EQ(layers_of(model("gemma2", 4)), "SFSF");
  EXPECT_EQ(layers_of(model("gemma3", 7, {key_u32("gemma3" + w, 512)})), "SSSSSFS");
  EXPECT_EQ(layers_of(model("gemma3", 4)), "FFFF");
  EXPECT_EQ(layers_of(model("gemma3", 4, {key_u32("gemma3" + w, 512), key_u32("gemma3" + w + "_pattern", 2)})), "SFSF");
  EXPECT_EQ(layers_of(model("modern-bert", 6, {key_u32("modern-bert" + w, 128)})), "FSSFSS");
  EXPECT_EQ(layers_of(model("gpt-oss", 4)), "SFSF");
  EXPECT_EQ(layers_of(model("cohere2", 8)), "SSSfSSSf");
  EXPECT_EQ(layers_of(model("exaone4", 4)), "FFFF");
  EXPECT_EQ(layers_of(model("exaone4", 64)).substr(0, 8), "SSSfSSSf");
  EXPECT_EQ(layers_of(model("mimo2", 4, {key_bools("mimo2" + w + "_pattern", "0110")})), "FSSF");
  EXPECT_EQ(layers_of(model("cohere2moe", 5, {key_u32("cohere2moe.leading_dense_block_count", 1)})), "FSSSf");
}

TEST(GgufLayers, AListWhereANumberIsTakenIsIgnoredWithAWarning) {
  const GgufModel m = model("gemma2", 4, {key_bools("gemma2.attention.sliding_window_pattern", "1110")});
  EXPECT_EQ(layers_of(m), "SFSF");
  EXPECT_THAT(warnings_of(m), HasSubstr("takes one number here, not a list: it slides by the default period of 2"));
  EXPECT_EQ(layers_of(m, kOriginal), "SSSF");
}

TEST(GgufLayers, SomeDoNotTurn) {
  EXPECT_EQ(layers_of(model("smollm3", 8)), "FFFfFFFf");
  EXPECT_EQ(layers_of(model("llama4", 8)), "SSSfSSSf");
  EXPECT_EQ(layers_of(model("llama4", 4, {key_u32("llama4.attention.sliding_window", 0)})), "FFFF");
  EXPECT_EQ(layers_of(model("smallthinker", 4, {key_u32("smallthinker.attention.sliding_window", 8)})), "fSSS");
  EXPECT_EQ(layers_of(model("smallthinker", 4)), "FFFF");
  EXPECT_EQ(layers_of(model("granite_swa", 4, {key_bools("granite_swa.attention.rope_pattern", "1010")})), "FfFf");
  EXPECT_EQ(layers_of(model("granite", 2, {key_bool("granite.rope.scaling.finetuned", false)})), "ff");
  EXPECT_EQ(layers_of(model("granite", 2, {key_bool("granite.rope.scaling.finetuned", true)})), "FF");
  EXPECT_EQ(layers_of(model("llama", 2, {key_bool("llama.rope.scaling.finetuned", false)})), "FF");
}

TEST(GgufLayers, SomeDoNotAttend) {
  EXPECT_EQ(layers_of(model("lfm2", 4, {key_i32s("lfm2.attention.head_count_kv", {0, 8, 0, 8})})), "-F-F");
  EXPECT_EQ(layers_of(model("qwen3next", 8)), "---F---F");
  EXPECT_EQ(layers_of(model("qwen3next", 4, {key_u32("qwen3next.full_attention_interval", 2)})), "-F-F");
  EXPECT_EQ(layers_of(model("qwen3next", 4, {key_bools("qwen3next.attention.recurrent_layers", "1001")})), "-FF-");
  EXPECT_EQ(layers_of(model("llama", 4, {key_u32("llama.nextn_predict_layers", 1)})), "FFF-");
  GgufModel deci{.architecture = "deci",
                 .keys = {key_i32s("deci.attention.head_count", {8, 0, 8, 8}),
                          key_i32s("deci.attention.head_count_kv", {2, 0, 0, 4})},
                 .has_head_counts = false};
  EXPECT_EQ(layers_of(deci), "F--F");
}

ModelRotation of_type(const ModelConfig& config, const std::string& type) {
  for (const ModelRotation& r : config.rotations)
    if (r.layer_type == type) return r;
  return {};
}

TEST(GgufLayers, SlidingOnesHaveTheirOwnBaseAndNoScaling) {
  const ModelConfig gemma3 =
      read(model("gemma3", 6,
                 {key_u32("gemma3.attention.sliding_window", 512), key_f32("gemma3.rope.freq_base", 1e6F),
                  key_f32("gemma3.rope.scaling.factor", 8)}));
  EXPECT_EQ(of_type(gemma3, "full_attention").spec->base, 1e6);
  EXPECT_EQ(of_type(gemma3, "full_attention").spec->scaling, Scaling(LinearScaling{8}));
  EXPECT_EQ(of_type(gemma3, "sliding_attention").spec->base, 10000);
  EXPECT_EQ(of_type(gemma3, "sliding_attention").spec->scaling, Scaling(DefaultScaling{}));
  const ModelConfig gpt = read(model("gpt-oss", 2, {key_f32("gpt-oss.rope.freq_base", 150000)}));
  EXPECT_EQ(of_type(gpt, "sliding_attention").spec->base, 150000);
  const ModelConfig own = read(model("gemma2", 2, {key_f32("gemma2.rope.freq_base_swa", 500)}));
  EXPECT_EQ(of_type(own, "sliding_attention").spec->base, 500);
}

TEST(GgufLayers, SlidingOnesOfOlmoAreNotScaledByYarn) {
  const ModelConfig olmo =
      read(model("olmo2", 4,
                 {key_u32("olmo2.attention.sliding_window", 512), key_str("olmo2.rope.scaling.type", "yarn"),
                  key_f32("olmo2.rope.scaling.factor", 8)}));
  EXPECT_EQ(of_type(olmo, "sliding_attention").spec->scaling, Scaling(DefaultScaling{}));
  EXPECT_EQ(of_type(olmo, "sliding_attention").rotation.query.attention_factor, 1);
  EXPECT_TRUE(std::holds_alternative<YarnScaling>(of_type(olmo, "full_attention").spec->scaling));
}

TEST(GgufLayers, Gemma4HasWidthsAndStillPairsByLayer) {
  GgufModel m = model("gemma4", 2,
                      {key_bools("gemma4.attention.sliding_window_pattern", "10"),
                       key_u32("gemma4.attention.key_length", 32), key_u32("gemma4.attention.key_length_swa", 16),
                       key_u32("gemma4.rope.dimension_count", 32), key_u32("gemma4.rope.dimension_count_swa", 16)});
  m.factors = {{"rope_freqs.weight",
                {1, 1, 1, 1, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F}}};
  const ModelConfig config = read(m);
  const ModelRotation sliding = of_type(config, "sliding_attention"), full = of_type(config, "full_attention");
  EXPECT_EQ(sliding.head_dim, 16);
  EXPECT_EQ(rotary_dim(sliding.rotation.query), 16);
  EXPECT_EQ(full.head_dim, 32);
  EXPECT_EQ(full.spec->rotary_dim, 32);
  EXPECT_EQ(rotary_dim(full.rotation.query), 8);
}

TEST(GgufLayers, Llama4ScalesTheQueryWhereItDoesNotTurn) {
  const ModelConfig config = read(model("llama4", 4));
  EXPECT_EQ(of_type(config, "sliding_attention").rotation.query_scale_rule, QueryScaleRule{});
  const QueryScaleRule rule = of_type(config, "full_attention").rotation.query_scale_rule;
  EXPECT_EQ(rule, (QueryScaleRule{QueryScaleRule::Kind::kLogFloor, 0.1, 8192, 1}));
  const ModelRotation mistral =
      rotation_of(model("mistral3", 2, {key_f32("mistral3.attention.temperature_scale", 0.5F)}));
  EXPECT_EQ(mistral.rotation.query_scale_rule, (QueryScaleRule{QueryScaleRule::Kind::kLogFloor, 0.5, 4096, 0}));
}

std::string axes_of(const RotationMap& map) {
  std::string out;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) out += "thwe"[axis_of(map, i)];
  return out;
}

TEST(GgufSections, AreBandsOrTurns) {
  const auto axes = [](const std::string& a, const std::vector<std::int32_t>& sections, auto... reference) {
    return axes_of(
        rotation_of(model(a, 1, {key_i32s(a + ".rope.dimension_sections", sections)}), reference...).rotation.query);
  };
  EXPECT_EQ(axes("qwen2vl", {2, 3, 3, 0}), "tthhhwww");
  EXPECT_EQ(axes("qwen2vl", {1, 1, 1, 1}), "thwethwe");
  EXPECT_EQ(axes("qwen2vl", {1, 2, 0, 0}), "thhthhth");
  EXPECT_EQ(axes("qwen3vl", {3, 3, 2, 0}), "thwthwth");
  EXPECT_EQ(axes("qwen3vl", {4, 2, 2, 0}), "thwthwte");
  EXPECT_EQ(axes("qwen3vl", {4, 2, 2, 0}, kOriginal), "thwthwtt");
  EXPECT_EQ(axes("glm4", {2, 3, 3, 0}), "tthhhwww");
  EXPECT_EQ(axes("glm4moe", {0, 0, 0, 0}), "tttttttt");
}

TEST(GgufSections, OfTheTailAreWarnedOf) {
  const GgufModel m = model("qwen3vl", 1, {key_i32s("qwen3vl.rope.dimension_sections", {4, 2, 2, 0})});
  EXPECT_THAT(warnings_of(m),
              HasSubstr("1 of 8 pairs, the first of them pair 7, are turned by the fourth position id"));
  EXPECT_EQ(warnings_of(m, kOriginal), "");
  const ModelRotation r = rotation_of(m);
  ASSERT_EQ(r.rotation.axes.size(), 4U);
  EXPECT_EQ(r.rotation.axes[3].name, "extra");
  EXPECT_EQ(rotation_of(m, kOriginal).rotation.axes.size(), 3U);
}

TEST(GgufSections, PairHalvesAlsoWhereTheArchitectureElsePairsNeighbours) {
  const ModelRotation with = rotation_of(model("glm4", 1, {key_i32s("glm4.rope.dimension_sections", {2, 3, 3, 0})}));
  EXPECT_EQ(with.spec->pairing, Pairing::kHalf);
  EXPECT_EQ(rotation_of(model("glm4", 1)).spec->pairing, Pairing::kInterleaved);
}

TEST(GgufArchitectures, EveryOneIsReadOrSaysWhyNot) {
  const Json table = Json::parse(detail::gguf_architectures_json());
  int turning = 0, still = 0, unknown = 0;
  for (const Json& row : table.at("rows")) {
    const std::string name = row.at("name");
    GgufModel m = model(name, 8, {key_i32s(name + ".rope.dimension_sections", {3, 3, 2, 0})});
    if (row.contains("swa")) m.keys.push_back(key_bools(name + ".attention.sliding_window_pattern", "10101010"));
    const ModelRotation r = rotation_of(m);
    if (!r.unknown.empty())
      ++unknown;
    else if (r.spec.has_value())
      ++turning;
    else
      ++still;
    EXPECT_TRUE(r.spec.has_value() || !r.note.empty() || !r.unknown.empty()) << name;
  }
  EXPECT_EQ(turning, 122);
  EXPECT_EQ(still, 22);
  EXPECT_EQ(unknown, 4);
}

}  // namespace
}  // namespace rotary::testing
