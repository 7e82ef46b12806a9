// GGUF files that llama.cpp's own library wrote, beside the config.json that they were made of; and ggml's recorded
// operators, reached through the keys of a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/engine_records.h"
#include "core/scaled_frequencies.h"
#include "formats/gguf_model.h"
#include "rotary/ggml.h"

namespace rotary::testing {
namespace {

class GgufGolden : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string path(const std::string& ending) {
    return std::string(ROTARY_TEST_DATA) + "/dialects/gguf/" + GetParam() + ending;
  }
};

// The converter permutes rows, so pairs differ in their channels only: pair i of both turns by the same angle. The
// divisors of llama3 are float32 numbers: half a unit in the last place, 2^-24.
TEST_P(GgufGolden, TurnsAsTheConfigBesideIt) {
  const ModelConfig gguf = read_model_config(path(".gguf")), config = read_model_config(path(".json"));
  ASSERT_EQ(gguf.rotations.size(), 1U);
  const RotationMap &got = gguf.rotations[0].rotation.query, &want = config.rotations.at(0).rotation.query;
  EXPECT_EQ(layout_class(got).layout, Layout::kInterleaved);
  EXPECT_EQ(layout_class(want).layout, Layout::kHalf);
  ASSERT_EQ(got.frequency.size(), want.frequency.size());
  for (std::size_t i = 0; i < got.frequency.size(); ++i)
    EXPECT_NEAR(got.frequency[i].hi / want.frequency[i].hi, 1, std::ldexp(1.0, -24)) << i;
  EXPECT_NEAR(got.attention_factor, want.attention_factor, 1e-15);
  EXPECT_EQ(warnings_of(gguf), "");
  EXPECT_EQ(gguf.rotations[0].spec->max_position, config.rotations[0].spec->max_position);
}

INSTANTIATE_TEST_SUITE_P(All, GgufGolden, ::testing::Values("llama", "llama_linear", "llama_llama3", "llama_yarn"),
                         [](const auto& info) { return info.param; });

GgmlRotation parameters_of(const EngineRecord& record) {
  GgmlRotation g;
  g.mode = record.attributes.at("mode") == "NEOX" ? GgmlMode::kNeox : GgmlMode::kNormal;
  g.head_dim = g.n_dims = record.attributes.at("n_dims");
  g.n_ctx_orig = record.attribute("n_ctx_orig", 0);
  g.freq_base = record.attribute("freq_base", g.freq_base);
  g.freq_scale = record.attribute("freq_scale", g.freq_scale);
  g.ext_factor = record.attribute("ext_factor", g.ext_factor);
  g.attn_factor = record.attribute("attn_factor", g.attn_factor);
  g.beta_fast = record.attribute("beta_fast", g.beta_fast);
  g.beta_slow = record.attribute("beta_slow", g.beta_slow);
  if (record.in.count("freq_factors")) g.freq_factors = record.in.at("freq_factors").as<float>();
  return g;
}

// A file whose keys say what the parameters say; attn_factor is what a file can say beside YaRN's own magnitude.
GgufModel model_of(const GgmlRotation& g) {
  GgufModel out{.architecture = g.mode == GgmlMode::kNormal ? "mistral3" : "exaone"};
  const auto name = [&](const char* key) { return out.name(std::string("rope.") + key); };
  out.keys = {key_u32(out.name("attention.key_length"), static_cast<std::uint32_t>(g.head_dim)),
              key_u32(name("dimension_count"), static_cast<std::uint32_t>(g.n_dims)),
              key_f32(name("freq_base"), g.freq_base),
              key_f32(name("scaling.factor"), 1 / g.freq_scale),
              key_f32(name("scaling.attn_factor"), g.attn_factor),
              key_str(name("scaling.type"), g.ext_factor != 0 ? "yarn" : "linear")};
  if (g.ext_factor != 0) {
    out.keys.push_back(key_u32(name("scaling.original_context_length"), static_cast<std::uint32_t>(g.n_ctx_orig)));
    out.keys.push_back(key_f32(name("scaling.yarn_beta_fast"), g.beta_fast));
    out.keys.push_back(key_f32(name("scaling.yarn_beta_slow"), g.beta_slow));
  }
  if (!g.freq_factors.empty()) out.factors = {{"rope_freqs.weight", g.freq_factors}};
  return out;
}

bool can_be_said(const GgmlRotation& g) {
  return (g.ext_factor == 0 || g.ext_factor == 1) && g.freq_scale <= 1 &&
         (g.freq_factors.empty() || g.freq_factors.size() == static_cast<std::size_t>(g.n_dims) / 2);
}

// The records are bit for bit what make_rotation_map(GgmlRotation) says (core/engine_ggml_golden_test.cc), in float32
// operations: pair i is the i-th product, i * 2^-24 off, and a few more steps.
TEST(GgufEnginesGolden, TurnAsGgmlsOperatorsOfTheSameParameters) {
  int compared = 0, with_factors = 0;
  for (const EngineRecord& record : engine_records("ggml", {"ggml_rope_ext"})) {
    const GgmlRotation g = parameters_of(record);
    if (!can_be_said(g)) continue;
    const RotationMap want = make_rotation_map(g);
    const ModelRotation got = rotation_of(model_of(g), kOriginal);
    ASSERT_EQ(got.rotation.query.pairs, want.pairs) << record.id;
    for (std::size_t i = 0; i < want.frequency.size(); ++i) {
      const double x = got.rotation.query.frequency[i].hi, y = want.frequency[i].hi;
      if (y < 1e-25)  // divided by 1e30: does not turn
        EXPECT_EQ(x, 0) << record.id << " pair " << i;
      else
        EXPECT_NEAR(x / y, 1, (8 + 2 * static_cast<double>(i)) * std::ldexp(1.0, -24)) << record.id << " pair " << i;
    }
    EXPECT_NEAR(got.rotation.query.attention_factor / want.attention_factor, 1, 4e-7) << record.id;
    ++compared;
    with_factors += g.freq_factors.empty() ? 0 : 1;
  }
  EXPECT_GT(compared, 10);
  EXPECT_GT(with_factors, 0);
}

// Rows of n_dims, n_ctx_orig, base, beta_fast, beta_slow, and the recorded first and last pair of the ramp: what lies
// before is kept, what lies behind is divided by the factor, what is between is neither.
TEST(GgufEnginesGolden, RampsOfYarnReachFromWhereToWhereGgmlsDo) {
  int rows = 0;
  for (const EngineRecord& record : engine_records("ggml", {"ggml_rope_yarn_corr_dims"})) {
    const EngineTensor &in = record.in.at("n_dims_ctx_base_fast_slow"), &out = record.out.at("corr_dims");
    for (std::size_t row = 0; row * 5 < in.size(); ++row, ++rows) {
      GgmlRotation g;
      g.head_dim = g.n_dims = static_cast<int>(in[5 * row]);
      g.n_ctx_orig = static_cast<int>(in[5 * row + 1]);
      g.freq_base = static_cast<float>(in[5 * row + 2]);
      g.freq_scale = 0.25F;
      g.ext_factor = 1;
      g.beta_fast = static_cast<float>(in[5 * row + 3]);
      g.beta_slow = static_cast<float>(in[5 * row + 4]);
      const std::vector<double> got = frequencies_of(rotation_of(model_of(g), kOriginal).rotation.query);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double kept = std::pow(static_cast<double>(g.freq_base), -2.0 * static_cast<double>(i) / g.n_dims);
        const double share = got[i] / kept, pair = static_cast<double>(i), low = out[2 * row], high = out[2 * row + 1];
        if (pair <= low)
          EXPECT_NEAR(share, 1, 1e-12) << row << " " << i;
        else if (pair >= high)
          EXPECT_NEAR(share, 0.25, 1e-12) << row << " " << i;
        else
          EXPECT_NEAR(share, 1 - 0.75 * (pair - low) / (high - low), 1e-12) << row << " " << i;
      }
    }
  }
  EXPECT_GT(rows, 3);
}

}  // namespace
}  // namespace rotary::testing
