// `rotary check`, and `rotary diff` of tables and dumps: files written here, in the forms that others leave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cli/program.h"
#include "rotary/apply.h"
#include "rotary/formats/model_config.h"
#include "rotary/formats/safetensors.h"

namespace rotary::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const char* const kLlama = R"({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8,
  "num_hidden_layers": 2, "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
  "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})";
const char* const kPlain = R"({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8,
  "num_hidden_layers": 2, "rope_theta": 500000.0})";

class Check : public Program {
 protected:
  static constexpr std::int64_t kRows = 600;

  static RotationMap map_of(const std::string& config) {
    return parse_model_config(config, "config.json").rotations.at(0).rotation.query;
  }

  static StoredTensor tensor(const std::string& name, const std::vector<float>& values,
                             std::vector<std::int64_t> shape) {
    return {name, StoredDType::kFloat32, std::move(shape), std::as_bytes(std::span(values))};
  }

  // cos and sin, [rows][pairs].
  void write_table(const std::string& name, const RotationMap& map, std::int64_t first = 0) const {
    std::vector<float> cos(static_cast<std::size_t>(kRows) * map.pairs.size()), sin(cos.size());
    write_cos_sin(Rotary(map), PositionRange{first}, kRows, 0, cos, sin);
    const std::vector<std::int64_t> shape{kRows, static_cast<std::int64_t>(map.pairs.size())};
    write_safetensors(file(name),
                      std::array{tensor("model.rotary.cos", cos, shape), tensor("model.rotary.sin", sin, shape)});
  }

  // [rows][cosines, sines], as vLLM keeps them, in NumPy's format.
  void write_numpy(const std::string& name, const RotationMap& map) const {
    const std::size_t pairs = map.pairs.size();
    std::vector<float> cos(static_cast<std::size_t>(kRows) * pairs), sin(cos.size()), both;
    write_cos_sin(Rotary(map), PositionRange{}, kRows, 0, cos, sin);
    for (std::size_t row = 0; row < static_cast<std::size_t>(kRows); ++row)
      for (const auto* values : {&cos, &sin})
        both.insert(both.end(), values->begin() + static_cast<std::ptrdiff_t>(row * pairs),
                    values->begin() + static_cast<std::ptrdiff_t>((row + 1) * pairs));
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(kRows) + ", " +
                         std::to_string(2 * pairs) + "), }";
    header.resize(118 - 1, ' ');
    std::ofstream out(folder_ / name, std::ios::binary);
    out << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size() + 1) << '\0' << header << '\n';
    out.write(reinterpret_cast<const char*>(both.data()), static_cast<std::streamsize>(both.size() * sizeof(float)));
  }

  // q and k of 2 heads, [1][heads][tokens][channels].
  void write_dump(const std::string& name, const RotationMap& map, std::int64_t first = 0) const {
    const std::int64_t tokens = 300, heads = 2, channels = map.channels;
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    std::vector<std::vector<float>> values(4, std::vector<float>(static_cast<std::size_t>(heads * tokens * channels)));
    for (int i : {0, 2}) {
      for (float& x : values[static_cast<std::size_t>(i)]) x = normal(random);
      auto& out = values[static_cast<std::size_t>(i + 1)];
      out = values[static_cast<std::size_t>(i)];
      apply_rotary_inplace(Rotary(map), bhsd<void>(out.data(), DType::kFloat32, 1, heads, tokens, channels),
                           PositionRange{first});
    }
    const std::vector<std::int64_t> shape{1, heads, tokens, channels};
    write_safetensors(file(name),
                      std::array{tensor("layer0_q_in", values[0], shape), tensor("layer0_q_rot", values[1], shape),
                                 tensor("layer0_k_in", values[2], shape), tensor("layer0_k_rot", values[3], shape)});
  }
};

TEST_F(Check, AsksTheMachine) {
  const Finished run = rotary("check");
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("this machine rotates right, on every target it has"));
  const json all = json::parse(rotary("check --json").out);
  EXPECT_TRUE(all.at("passed"));
  EXPECT_GE(all.at("checks").size(), 30U);
}

TEST_F(Check, AgreesWithItsOwnTablesAndVectors) {
  write(kLlama);
  write_table("table.safetensors", map_of(kLlama));
  write_numpy("table.npy", map_of(kLlama));
  write_dump("dump.safetensors", map_of(kLlama));
  for (const char* options : {" --table table.safetensors", " --table table.npy", " --dump dump.safetensors"}) {
    std::string all = options;
    all.insert(all.rfind(' ') + 1, folder_.string() + "/");
    const Finished run = rotary("check " + file() + all);
    EXPECT_EQ(run.status, 0) << options << run.out << run.err;
    EXPECT_THAT(run.out, HasSubstr("same rotation"));
  }
}

TEST_F(Check, SaysWhichOfTheModelsRotationsItIs) {
  const std::string gemma = R"({"model_type": "gemma3_text", "head_dim": 64, "num_hidden_layers": 6,
    "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0})";
  write(gemma);
  const ModelConfig config = parse_model_config(gemma, "config.json");
  ASSERT_EQ(config.rotations.size(), 2U);
  for (const ModelRotation& r : config.rotations) {
    write_table("table.safetensors", r.rotation.query);
    const Finished run = rotary("check " + file() + " --table " + file("table.safetensors"));
    EXPECT_EQ(run.status, 0) << run.out;
    EXPECT_THAT(run.out, HasSubstr("same rotation as model " + r.layer_type + ", layer"));
  }
}

TEST_F(Check, NamesTheFault) {
  write(kLlama);
  write_table("table.safetensors", map_of(kPlain));
  const Finished run = rotary("check " + file() + " --table " + file("table.safetensors"));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("table (600 rows, 32 pairs, float32 values): differ: the scaling is left out"));
  write_table("table.safetensors", map_of(kLlama), 1);
  EXPECT_THAT(rotary("check " + file() + " --table " + file("table.safetensors")).out, HasSubstr("positions off by 1"));
  const json found = json::parse(rotary("check " + file() + " --json --table " + file("table.safetensors")).out);
  EXPECT_FALSE(found.at("same"));
  EXPECT_EQ(found.at("findings").at(0).at("cause"), "positions off by 1");
}

TEST_F(Check, ComparesTwoTablesAndTwoDumps) {
  write_table("a.safetensors", map_of(kLlama));
  write_table("b.safetensors", map_of(kPlain));
  const std::string a = file("a.safetensors"), b = file("b.safetensors");
  EXPECT_EQ(rotary("diff " + a + " " + a).status, 0);
  const Finished tables = rotary("diff " + a + " " + b);
  EXPECT_EQ(tables.status, 1);
  EXPECT_THAT(tables.out, HasSubstr("context scaling (part of the pairs)"));
  EXPECT_THAT(tables.out, ::testing::ContainsRegex("values up to [0-9.e-]+ apart \\(row [0-9]+, column [0-9]+\\)"));
  write_dump("c.safetensors", map_of(kLlama));
  write_dump("d.safetensors", map_of(kLlama), 1);
  const Finished dumps = rotary("diff " + file("c.safetensors") + " " + file("d.safetensors"));
  EXPECT_EQ(dumps.status, 1);
  EXPECT_THAT(dumps.out, HasSubstr("layer0_q"));
  EXPECT_THAT(dumps.out, HasSubstr("positions off by 1"));
  // Both are off by one: scores depend on the distance alone.
  EXPECT_THAT(dumps.out, ::testing::ContainsRegex("logits up to [0-9.]+e-0[5-9] apart"));
}

TEST_F(Check, SaysThatSixteenBitsAreAnotherTable) {
  const RotationMap map = map_of(kLlama);
  write_table("a.safetensors", map);
  const CosSinTable rounded = CosSinTable::by_position(map, kRows, Arithmetic::kTransformersBfloat16);
  std::vector<float> cos, sin;
  for (std::int64_t row = 0; row < kRows; ++row) {
    cos.insert(cos.end(), rounded.cos(row).begin(), rounded.cos(row).end());
    sin.insert(sin.end(), rounded.sin(row).begin(), rounded.sin(row).end());
  }
  const std::vector<std::int64_t> shape{kRows, static_cast<std::int64_t>(map.pairs.size())};
  write_safetensors(file("b.safetensors"), std::array{tensor("cos", cos, shape), tensor("sin", sin, shape)});
  const Finished run = rotary("diff " + file("a.safetensors") + " " + file("b.safetensors"));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("differ: bfloat16 values in the second"));
  write(kLlama);
  EXPECT_EQ(rotary("check " + file() + " --table " + file("b.safetensors")).status, 0);  // the rotation is the model's
}

TEST_F(Check, ComparesReferences) {
  write(kLlama);
  const Finished two = rotary("diff " + file() + " --as transformers --as onnxruntime-genai");
  EXPECT_EQ(two.status, 0) << two.out << two.err;
  write(R"({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 2,
    "rope_scaling": {"rope_type": "yarn", "factor": 8.0, "truncate": false, "original_max_position_embeddings": 8192}})");
  for (const std::string& second : {std::string(), file()}) {
    const Finished lost = rotary("diff " + file() + " " + second + " --as transformers --as llama.cpp");
    EXPECT_THAT(lost.out, HasSubstr("as llama.cpp: rope_scaling.truncate: ignored"));
  }
  write(kLlama);
  const Finished all = rotary("diff " + file() + " --all-references");
  EXPECT_THAT(all.out, HasSubstr("vllm 0.28.0: the same"));
  EXPECT_THAT(all.out, HasSubstr("mlx-lm 0.31.3: the same"));
  const json parsed = json::parse(rotary("diff " + file() + " --all-references --json").out);
  EXPECT_EQ(parsed.at("references").size(), all_references().size());
}

TEST_F(Check, RefusesWhatItCannotCompare) {
  write(kLlama);
  write("no table", "bad.npy");
  write_table("table.safetensors", map_of(kLlama));
  expect_failure(rotary("check " + file()), 2, "--table or --dump");
  expect_failure(rotary("check --table " + file("table.safetensors")), 2, "model");
  expect_failure(rotary("check " + file() + " --table " + file("bad.npy")), 2, "bad.npy: must be a NumPy array");
  expect_failure(rotary("check " + file() + " --dump " + file()), 2,
                 "config.json: must be a file NAME.npy or NAME.safetensors");
  expect_failure(rotary("check " + file() + " --table " + file("missing.npy")), 2, "missing.npy");
  expect_failure(rotary("diff " + file()), 2, "second");
  expect_failure(rotary("diff " + file() + " " + file("table.safetensors")), 2, "second");
  expect_failure(rotary("diff " + file() + " " + file() + " --all-references"), 2, "--all-references");
  // No tokens, but a batch that nobody should count through.
  const std::vector<std::int64_t> none{std::int64_t{1} << 40, 0, 2, 128};
  write_safetensors(file("empty.safetensors"), std::array{tensor("q_in", {}, none), tensor("q_rot", {}, none)});
  expect_failure(rotary("check " + file() + " --dump " + file("empty.safetensors")), 2, "must hold vectors in q_in");
  write(R"({"model_type": "bert"})");
  expect_failure(rotary("check " + file() + " --table " + file("table.safetensors")), 2, "must have a rotation");
}

}  // namespace
}  // namespace rotary::testing
