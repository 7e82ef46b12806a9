// What weights alone tell about a rotation, and whether they can be of a configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "formats/reading.h"
#include "formats/scratch_folder.h"
#include "rotary/formats/safetensors.h"

namespace rotary::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

std::vector<float> inv_freq(int pairs, double base, double divisor = 1) {
  std::vector<float> out;
  for (int i = 0; i < pairs; ++i) out.push_back(static_cast<float>(std::pow(base, -double(i) / pairs) / divisor));
  return out;
}

std::vector<float> zeros(std::int64_t count) { return std::vector<float>(static_cast<std::size_t>(count)); }

Tensor buffer(int layer, std::vector<float> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return {"model.layers." + std::to_string(layer) + ".self_attn.rotary_emb.inv_freq", {size}, std::move(values)};
}

Tensor projection(const std::string& which, std::int64_t rows, std::int64_t columns) {
  return {"model.layers.0.self_attn." + which + "_proj.weight", {rows, columns}, zeros(rows * columns)};
}

// RoFormer's: row m is sin(m f_i), then cos(m f_i).
Tensor table(int width, double base) {
  Tensor out{"roformer.encoder.embed_positions.weight", {3, width}, {}};
  for (int m = 0; m < 3; ++m)
    for (int i = 0; i < width; ++i) {
      const double angle = m * std::pow(base, -2.0 * (i % (width / 2)) / width);
      out.values.push_back(static_cast<float>(i < width / 2 ? std::sin(angle) : std::cos(angle)));
    }
  return out;
}

class Weights : public ScratchFolder {
 protected:
  void save(const std::vector<Tensor>& tensors, StoredDType dtype = StoredDType::kFloat32) const {
    std::vector<std::vector<std::byte>> bytes;
    for (const Tensor& t : tensors) {
      std::vector<std::byte>& out = bytes.emplace_back();
      for (float v : t.values) {
        std::uint32_t bits;
        std::memcpy(&bits, &v, 4);
        if (dtype == StoredDType::kBfloat16) bits = (bits + 0x8000) >> 16;
        const auto* begin = reinterpret_cast<const std::byte*>(&bits);
        out.insert(out.end(), begin, begin + bits_of(dtype) / 8);
      }
    }
    std::vector<StoredTensor> stored;
    for (std::size_t i = 0; i < tensors.size(); ++i)
      stored.push_back({tensors[i].name, dtype, tensors[i].shape, bytes[i]});
    write_safetensors(file("model.safetensors"), stored);
  }

  ModelConfig read_weights() const { return read_model_config(file("model.safetensors")); }

  // The warnings of a small Llama (4 heads of 16, 2 key heads) beside the weights.
  std::string warnings_beside(const std::vector<Tensor>& tensors, const Json& patch = Json::object(),
                              StoredDType dtype = StoredDType::kFloat32) const {
    save(tensors, dtype);
    write("config.json", with({{"model_type", "llama"},
                               {"hidden_size", 64},
                               {"num_attention_heads", 4},
                               {"num_key_value_heads", 2},
                               {"num_hidden_layers", 2}},
                              patch)
                             .dump());
    return warnings_of(read_model_config(folder_.string()));
  }
};

TEST_F(Weights, AloneGiveTheirFrequenciesAsStored) {
  save({buffer(0, inv_freq(32, 500000)), buffer(1, inv_freq(32, 500000)), projection("q", 128, 2)});
  const ModelConfig config = read_weights();
  ASSERT_EQ(config.rotations.size(), 1u) << "equal buffers are one rotation";
  const ModelRotation& r = config.rotations[0];
  EXPECT_THAT(r.layers, ElementsAre(0, 1));
  EXPECT_EQ(r.spec->base, 500000);
  EXPECT_EQ(r.rotation.query.at(0, 3, 0).hi, inv_freq(32, 500000)[3]);
  EXPECT_THAT(r.note, AllOf(HasSubstr("half is assumed"), HasSubstr("progression of base 500000")));
  EXPECT_THAT(r.note, Not(HasSubstr("linear")));
  const auto assumed =
      std::find_if(r.sources.begin(), r.sources.end(), [](const Source& s) { return s.field == "pairing"; });
  EXPECT_TRUE(assumed != r.sources.end() && assumed->assumed);
  EXPECT_EQ(r.sources.back().value, "[128, 2]");
}

TEST_F(Weights, OfLayersThatDifferGiveARotationEach) {
  save({buffer(0, inv_freq(8, 10000)), buffer(1, inv_freq(8, 1000000)), buffer(2, inv_freq(8, 10000))});
  const ModelConfig config = read_weights();
  ASSERT_EQ(config.rotations.size(), 2u);
  EXPECT_THAT(config.rotations[0].layers, ElementsAre(0, 2));
  EXPECT_THAT(config.rotations[1].layers, ElementsAre(1));
}

TEST_F(Weights, SayLinearOnlyOfAProgressionThatStartsBelowOne) {
  save({buffer(0, inv_freq(16, 10000, 8))});
  EXPECT_THAT(read_weights().rotations[0].note, HasSubstr("base 10000 divided by 8, as linear scaling does"));
  std::vector<float> bent = inv_freq(16, 10000);
  for (std::size_t i = 10; i < bent.size(); ++i) bent[i] /= 8;
  save({buffer(0, bent)});
  EXPECT_THAT(read_weights().rotations[0].note, HasSubstr("no geometric progression fits"));
}

TEST_F(Weights, OfRoformerHoldATableOfSinesAndCosines) {
  save({table(64, 10000)});
  const ModelConfig config = read_weights();
  ASSERT_EQ(config.rotations.size(), 1u);
  EXPECT_TRUE(config.rotations[0].all_layers);
  EXPECT_EQ(config.rotations[0].head_dim, 64);
  EXPECT_EQ(config.rotations[0].spec->base, 10000);
}

TEST_F(Weights, WithoutABufferSaySo) {
  Tensor learned{"model.encoder.embed_positions.weight", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}};
  save({learned, projection("q", 4, 2)});
  const ModelConfig config = read_weights();
  ASSERT_EQ(config.rotations.size(), 1u);
  EXPECT_THAT(config.rotations[0].unknown, HasSubstr("hold no buffer of frequencies"));
  EXPECT_FALSE(config.rotations[0].spec);
}

TEST_F(Weights, ThatAreNotFiniteAreRefused) {
  save({buffer(0, {1, std::nanf("")})});
  EXPECT_THROW(read_weights(), std::runtime_error);
}

TEST_F(Weights, OfTheConfigurationGiveNoWarning) {
  EXPECT_EQ(warnings_beside({projection("q", 64, 64), projection("k", 32, 64), buffer(0, inv_freq(8, 10000))}), "");
  EXPECT_EQ(warnings_beside({buffer(0, inv_freq(8, 10000))}, Json::object(), StoredDType::kBfloat16), "");
  EXPECT_EQ(warnings_beside({buffer(0, inv_freq(8, 10000))}, {{"rope_scaling", {{"type", "linear"}, {"factor", 2.0}}}}),
            "")
      << "older programs stored what is not scaled yet";
  const ModelConfig config = read_weights();
  ASSERT_EQ(config.files.size(), 2u);
  EXPECT_THAT(config.files[0].path, HasSubstr("config.json"));
  EXPECT_EQ(config.files[1].role, "compared");
}

TEST_F(Weights, OfOtherShapesAreNamedWithWhatTheConfigurationSays) {
  EXPECT_THAT(warnings_beside({projection("q", 128, 64), projection("k", 64, 64)}, {{"num_attention_heads", 8}}),
              AllOf(HasSubstr("self_attn.k_proj.weight: has the shape [64, 64], but "),
                    HasSubstr("config.json says 2 key heads of 8 channels, 16 rows")));
  EXPECT_THAT(warnings_beside({projection("q", 32, 64)}),
              HasSubstr("self_attn.q_proj.weight: has the shape [32, 64], but"));
  EXPECT_THAT(warnings_beside({buffer(0, inv_freq(16, 10000)), buffer(1, inv_freq(16, 10000))}),
              AllOf(HasSubstr("has 16 frequencies"), HasSubstr("16 channels rotate, 8 pairs"),
                    HasSubstr("and 1 more such tensors")));
}

TEST_F(Weights, WithOtherFrequenciesAreNamedWithTheWorstPair) {
  EXPECT_THAT(warnings_beside({buffer(0, inv_freq(8, 500000))}),
              AllOf(HasSubstr("inv_freq: is not what"), HasSubstr("beyond the rounding of F32: pair 7 has")));
  // Rounded to bfloat16 and stored as float32 again.
  std::vector<float> rounded = inv_freq(8, 10000);
  for (float& f : rounded)
    f = std::round(f * 256 / std::exp2(std::ceil(std::log2(f)))) / 256 * std::exp2(std::ceil(std::log2(f)));
  EXPECT_THAT(warnings_beside({buffer(0, rounded)}), HasSubstr("beyond the rounding of F32"));
}

TEST_F(Weights, OfRoformerAreComparedByTheWidthOfTheirTable) {
  save({table(32, 10000)});
  write("config.json", R"({"model_type": "roformer", "hidden_size": 64, "num_attention_heads": 4,
                           "num_hidden_layers": 2})");
  EXPECT_THAT(warnings_of(read_model_config(folder_.string())),
              AllOf(HasSubstr("embed_positions.weight: has rows of 32"), HasSubstr("16 channels rotate")));
}

TEST_F(Weights, AreReadAsTheFileIsOrNotAtAll) {
  save({buffer(0, inv_freq(8, 10000))});
  try {
    read_model_config(file("model.safetensors"), {.reference = Reference::kVllm});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              file("model.safetensors") + ": --as must be original for a safetensors file, got vllm");
  }
}

}  // namespace
}  // namespace rotary::testing
