// Released params.json and argument files turn as transformers turns the same model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "formats/dialect_files.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;

struct Release {
  const char* name;
  const char* file;
  Json config;  // of the same model, for transformers
  Pairing pairing = Pairing::kInterleaved;
};

void PrintTo(const Release& r, std::ostream* out) { *out << r.name; }

class DialectGolden : public ::testing::TestWithParam<Release> {};

TEST_P(DialectGolden, TurnsAsTransformersTurnsTheModel) {
  const ModelConfig own = read_dialect(GetParam().file), theirs = read(GetParam().config, kOriginal);
  EXPECT_EQ(own.reference, kOriginal);
  ASSERT_EQ(own.rotations.size(), theirs.rotations.size());
  for (std::size_t i = 0; i < own.rotations.size(); ++i) {
    const ModelRotation &a = own.rotations[i], &b = theirs.rotations[i];
    EXPECT_EQ(a.head_dim, b.head_dim);
    EXPECT_EQ(a.rotation.rotates, b.rotation.rotates);
    EXPECT_EQ(a.rotation.query_scale_rule, b.rotation.query_scale_rule);
    EXPECT_EQ(a.rotation.softmax_factor, b.rotation.softmax_factor);
    if (!a.rotation.rotates) continue;
    EXPECT_EQ(a.spec->pairing, GetParam().pairing);
    EXPECT_EQ(fingerprint(in_halves(a)), fingerprint(in_halves(b)));
    if (!b.all_layers) {
      EXPECT_EQ(a.layers, b.layers);
    }
  }
}

Json scout() {
  return parse(R"({"model_type": "llama4",
    "text_config": {"model_type": "llama4_text", "hidden_size": 5120, "num_attention_heads": 40,
      "num_hidden_layers": 48, "head_dim": 128, "rope_theta": 500000.0, "attn_temperature_tuning": false,
      "no_rope_layer_interval": 4, "max_position_embeddings": 10485760,
      "rope_scaling": {"factor": 16.0, "high_freq_factor": 1.0, "low_freq_factor": 1.0,
                       "original_max_position_embeddings": 8192, "rope_type": "llama3"}},
    "vision_config": {"model_type": "llama4_vision_model", "hidden_size": 1408, "num_attention_heads": 16,
                      "num_hidden_layers": 34}})");
}

Json pixtral() {
  return parse(R"({"model_type": "llava",
    "text_config": {"model_type": "mistral", "hidden_size": 5120, "num_attention_heads": 32, "num_hidden_layers": 40,
                    "head_dim": 128, "rope_theta": 1000000000.0, "max_position_embeddings": 1024000},
    "vision_config": {"model_type": "pixtral", "hidden_size": 1024, "num_attention_heads": 16,
                      "num_hidden_layers": 24, "rope_theta": 10000.0}})");
}

Json codestral() {
  return parse(R"({"model_type": "mistral", "hidden_size": 6144, "num_attention_heads": 48, "num_hidden_layers": 56,
                   "head_dim": 128, "rope_theta": 1000000.0, "max_position_embeddings": 32768})");
}

Json pythia_1b() {
  return parse(R"({"model_type": "gpt_neox", "hidden_size": 2048, "num_attention_heads": 8, "num_hidden_layers": 16,
                   "rotary_pct": 0.25, "rotary_emb_base": 10000, "max_position_embeddings": 2048})");
}

Json mistral_v03() { return with(published("mistral-7b-instruct-v0.3"), {{"num_hidden_layers", 32}}); }

Json example(const char* name) {
  std::ifstream in(std::string("examples/configs/") + name);
  return Json::parse(in);
}

INSTANTIATE_TEST_SUITE_P(
    , DialectGolden,
    ::testing::Values(
        Release{"Llama_2_7B", "llama-2-7b.params.json", published("llama-2-7b")},
        Release{"CodeLlama_7B", "code-llama-7b.params.json", published("codellama-7b")},
        Release{"Llama_3_1_8B", "llama-3.1-8b.params.json", published("llama-3.1-8b")},
        Release{"Llama_3_2_1B", "llama-3.2-1b.params.json", example("llama-3.2-1b.json")},
        Release{"Llama_3_2_3B", "llama-3.2-3b.params.json", published("llama-3.2-3b")},
        Release{"Llama_4_Scout", "llama-4-scout.params.json", scout()},
        Release{"Mistral_7B_v0_1", "mistral-7b-v0.1.params.json", published("mistral-7b-v0.1")},
        Release{"Mistral_7B_v0_3", "mistral-7b-v0.3.params.json", mistral_v03()},
        Release{"Codestral_22B", "codestral-22b.params.json", codestral()},
        Release{"Pixtral_12B", "pixtral-12b.params.json", pixtral()},
#ifdef ROTARY_HAS_YAML
        Release{"GPT_NeoX_20B", "gpt-neox-20b.yml", example("gpt-neox-20b.json"), Pairing::kHalf},
        Release{"Pythia_1B", "pythia-1b.yml", pythia_1b(), Pairing::kHalf},
        Release{"Llama_3_1_8B_in_Megatron", "megatron-llama-3.1-8b.yaml", published("llama-3.1-8b"), Pairing::kHalf},
#endif
        Release{"Ministral_3_3B", "ministral-3-3b.params.json", published("ministral-3-3b-2512").at("text_config")}),
    [](const auto& info) { return info.param.name; });

TEST(DialectGoldenSources, NameTheKeysOfTheFile) {
  const auto key_of = [](const char* file, const std::string& field) -> std::string {
    const ModelConfig config = read_dialect(file);
    for (const Source& s : config.rotations.at(0).sources)
      if (s.field == field) return s.key + (s.assumed ? " (assumed)" : "");
    return "";
  };
  EXPECT_EQ(key_of("llama-3.1-8b.params.json", "hidden_size"), "dim");
  EXPECT_EQ(key_of("llama-3.1-8b.params.json", "factor"), "rope_scaling_factor (assumed)");
  EXPECT_EQ(key_of("llama-3.1-8b.params.json", "rope_type"), "use_scaled_rope");
  EXPECT_EQ(key_of("llama-2-7b.params.json", "base"), "rope_theta (assumed)");
  EXPECT_EQ(key_of("ministral-3-3b.params.json", "beta_fast"), "yarn.beta");
#ifdef ROTARY_HAS_YAML
  EXPECT_EQ(key_of("gpt-neox-20b.yml", "hidden_size"), "hidden-size");
  EXPECT_EQ(key_of("gpt-neox-20b.yml", "partial_rotary_factor"), "rotary_pct");
  EXPECT_EQ(key_of("megatron-llama-3.1-8b.yaml", "head_dim"), "language_model.kv_channels");
#endif
}

TEST(DialectGoldenLatent, MistralLarge3TurnsTheLastThirdOfAHead) {
  const ModelRotation r = read_dialect("mistral-large-3.params.json").rotations.at(0);
  EXPECT_EQ(r.head_dim, 192);
  EXPECT_EQ(r.spec->rotary_dim, 64);
  EXPECT_EQ(r.spec->rotary_offset, 128);
  EXPECT_EQ(r.rotation.query.attention_factor, 1);
  EXPECT_EQ(r.rotation.softmax_factor, 1) << "apply_scale is false";
  Json scaled = Json::parse(golden_text("dialects/mistral-large-3.params.json"));
  scaled["yarn"].erase("apply_scale");
  const double m = 0.1 * std::log(36.0) + 1;
  const ModelRotation s = read(scaled, kOriginal).rotations.at(0);
  EXPECT_EQ(s.rotation.query.attention_factor, 1);
  EXPECT_NEAR(s.rotation.softmax_factor, m * m, 4 * 2.2e-16 * m * m) << "m and its square are rounded once each";
}

}  // namespace
}  // namespace rotary::testing
