// A rotation as GGUF keys: what is written is read back as the same rotation, what GGUF cannot say is refused by name.
#include <gmock/gmock.h>

#include <cmath>

#include "formats/gguf_model.h"
#include "formats/scratch_folder.h"
#include "rotary/formats/gguf_rotation.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;

class GgufRotationWriting : public ScratchFolder {
 protected:
  // Written and read again.
  ModelRotation round_trip(const std::string& architecture, const ModelRotation& rotation, std::int64_t seq_len = 0) {
    const GgufRotationKeys written = gguf_rotation_keys(architecture, rotation);
    permuted_ = written.rows_must_be_permuted;
    std::vector<GgufEntry> keys{
        gguf_string("general.architecture", architecture), gguf_uint32(architecture + ".block_count", 2),
        gguf_uint32(architecture + ".context_length", 131072),
        gguf_uint32(architecture + ".attention.key_length", static_cast<std::uint32_t>(rotation.head_dim))};
    keys.insert(keys.end(), written.keys.begin(), written.keys.end());
    std::vector<GgufTensor> tensors;
    for (const GgufFactors& f : written.factors)
      tensors.push_back({f.name,
                         GgmlType::kFloat32,
                         {static_cast<std::int64_t>(f.values.size())},
                         std::as_bytes(std::span(f.values)),
                         0});
    write_gguf(file("x.gguf"), keys, tensors);
    const ModelConfig config = read_model_config(file("x.gguf"), {.seq_len = seq_len});
    EXPECT_EQ(warnings_of(config), "");
    return config.rotations.at(0);
  }

  // Pair by pair, to the float32 of divisors.
  void expect_same(const RotationMap& got, const RotationMap& want) {
    ASSERT_EQ(got.frequency.size(), want.frequency.size());
    for (std::size_t i = 0; i < got.frequency.size(); ++i) {
      if (want.frequency[i].hi == 0)
        EXPECT_LT(got.frequency[i].hi, 1e-25) << i;
      else
        EXPECT_NEAR(got.frequency[i].hi / want.frequency[i].hi, 1, std::ldexp(1.0, -24)) << i;
    }
    EXPECT_NEAR(got.attention_factor / want.attention_factor, 1, std::ldexp(1.0, -24));
  }

  void expect_round_trip(const std::string& architecture, const Json& config) {
    const ModelRotation rotation = read(config).rotations.at(0);
    expect_same(round_trip(architecture, rotation).rotation.query, rotation.rotation.query);
  }

  bool permuted_ = false;
};

Json scaled(const char* text) { return llama({{"rope_theta", 500000}, {"rope_scaling", parse(text)}}); }

TEST_F(GgufRotationWriting, PlainAndLinearAndYarnAreReadBack) {
  expect_round_trip("llama", llama());
  EXPECT_TRUE(permuted_);
  expect_round_trip("llama", scaled(R"({"rope_type": "linear", "factor": 4})"));
  const char* yarn = R"({"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 32768})";
  expect_round_trip("llama", scaled(yarn));
  expect_round_trip("qwen2", scaled(yarn));
  EXPECT_FALSE(permuted_);
  expect_round_trip("llama", scaled(R"({"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 32768,
                                        "attention_factor": 1.3})"));
  expect_round_trip("mistral3", scaled(R"({"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 32768,
                                           "beta_fast": 16, "beta_slow": 2})"));
}

TEST_F(GgufRotationWriting, MethodsThatArePerPairBecomeDivisors) {
  expect_round_trip("llama", scaled(R"({"rope_type": "llama3", "factor": 8, "low_freq_factor": 1,
                                        "high_freq_factor": 4, "original_max_position_embeddings": 8192})"));
  ModelRotation given = read(llama()).rotations.at(0);
  given.spec->scaling = GivenFrequencies{1, std::vector<double>(64, 0.25)};
  std::get<GivenFrequencies>(given.spec->scaling).frequencies[5] = 0;
  given.rotation.query = make_rotation_map(*given.spec);
  expect_same(round_trip("llama", given).rotation.query, given.rotation.query);
}

TEST_F(GgufRotationWriting, LongRopeKeepsBothLists) {
  ModelRotation rotation = read(llama()).rotations.at(0);
  LongRopeScaling longrope;
  for (int i = 0; i < 64; ++i) {
    longrope.short_factor.push_back(1 + 0.125 * i);
    longrope.long_factor.push_back(2 + i);
  }
  longrope.original_max_position = 4096;
  longrope.attention_factor = 1.1902380714238083;
  rotation.spec->scaling = longrope;
  for (const std::int64_t length : {std::int64_t{0}, std::int64_t{4096}, std::int64_t{4097}})
    expect_same(round_trip("phi3", rotation, length).rotation.query, make_rotation_map(*rotation.spec, length));
}

TEST_F(GgufRotationWriting, ReadBackFromAFileThatLlamaCppWasGiven) {
  for (const char* name : {"llama", "llama_linear", "llama_llama3", "llama_yarn"}) {
    const ModelRotation rotation =
        read_model_config(std::string(ROTARY_TEST_DATA) + "/dialects/gguf/" + name + ".gguf").rotations.at(0);
    expect_same(round_trip("llama", rotation).rotation.query, rotation.rotation.query);
    EXPECT_FALSE(permuted_);
  }
}

struct Unsaid {
  const char* name;
  std::string architecture;
  void (*change)(ModelRotation&);
  const char* error;
};

void PrintTo(const Unsaid& unsaid, std::ostream* out) { *out << unsaid.name; }

class GgufCannotSay : public ::testing::TestWithParam<Unsaid> {};

TEST_P(GgufCannotSay, SoItIsRefusedByName) {
  ModelRotation rotation = read(llama()).rotations.at(0);
  GetParam().change(rotation);
  try {
    gguf_rotation_keys(GetParam().architecture, rotation);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(),
                ::testing::AllOf(::testing::StartsWith("gguf_rotation_keys: "), HasSubstr(GetParam().error)));
  }
}

YarnScaling yarn() {
  YarnScaling out;
  out.factor = 4;
  out.original_max_position = 4096;
  return out;
}

INSTANTIATE_TEST_SUITE_P(
    All, GgufCannotSay,
    ::testing::Values(
        Unsaid{"DynamicNtk", "llama",
               [](ModelRotation& r) {
                 r.spec->scaling = DynamicNtkScaling{2, 4096};
               },
               "got dynamic"},
        Unsaid{"Ntk", "llama", [](ModelRotation& r) { r.spec->scaling = NtkScaling{2}; }, "got ntk"},
        Unsaid{"YarnWithoutTruncation", "llama",
               [](ModelRotation& r) {
                 YarnScaling y = yarn();
                 y.truncate = false;
                 r.spec->scaling = y;
               },
               "truncate must be true, as llama.cpp always has it, got false"},
        Unsaid{"BetasThatAreNotRead", "llama",
               [](ModelRotation& r) {
                 YarnScaling y = yarn();
                 y.beta_fast = 16;
                 r.spec->scaling = y;
               },
               "beta_fast must be 32, since llama.cpp does not read it for llama, got 16"},
        Unsaid{"ABaseBeyondFloat32", "llama", [](ModelRotation& r) { r.spec->base = 10000.1; },
               "freq_base must be a number that float32 holds, got 10000.1"},
        Unsaid{"DivisorsThatAreNotRead", "qwen2", [](ModelRotation& r) { r.spec->scaling = Llama3Scaling{}; },
               "scaling must be one that llama.cpp reads for qwen2, got llama3"},
        Unsaid{"LongRopeThatIsNotRead", "qwen2",
               [](ModelRotation& r) {
                 LongRopeScaling l;
                 l.short_factor = l.long_factor = std::vector<double>(64, 1.0);
                 l.original_max_position = 4096;
                 r.spec->scaling = l;
               },
               "reads for qwen2, got longrope"},
        Unsaid{"AnUnknownArchitecture", "llama99", [](ModelRotation&) {}, "rotates by rope.* keys, got llama99"},
        Unsaid{"AnArchitectureThatDoesNotRotate", "gpt2", [](ModelRotation&) {}, "got gpt2"},
        Unsaid{"TheOtherPairing", "qwen2",
               [](ModelRotation& r) { r.spec->pairing = r.spec->output_pairing = Pairing::kInterleaved; },
               "pairing must be that of qwen2, half, got interleaved"},
        Unsaid{"HalvesThatNoConverterPermutes", "command-r", [](ModelRotation&) {},
               "pairing must be that of command-r"},
        Unsaid{"PartOfTheHead", "llama", [](ModelRotation& r) { r.spec->rotary_dim = 64; },
               "rotary_dim must be the head's width in llama, 128, got 64"},
        Unsaid{"ASliceElsewhere", "qwen2",
               [](ModelRotation& r) {
                 r.spec->rotary_dim = 64;
                 r.spec->rotary_offset = 64;
               },
               "rotary_offset must be where qwen2 has the slice, 0, got 64"},
        Unsaid{"Values", "llama", [](ModelRotation& r) { r.rotation.rotates_values = true; },
               "got values that are rotated"},
        Unsaid{"XPos", "llama", [](ModelRotation& r) { r.rotation.xpos = Xpos{}; }, "got xPos"},
        Unsaid{"SomeHeads", "llama", [](ModelRotation& r) { r.rotation.heads = {0}; }, "got a rotation of some heads"},
        Unsaid{"TheOtherDirection", "llama", [](ModelRotation& r) { r.spec->negate_angle = true; }, "a negative angle"},
        Unsaid{"NoRotation", "llama", [](ModelRotation& r) { r.rotation.rotates = false; }, "layers without rotation"},
        Unsaid{"OneAxisWhereSectionsAreNeeded", "qwen2vl", [](ModelRotation&) {}, "axes must have sections in qwen2vl"},
        Unsaid{"Axes", "llama",
               [](ModelRotation& r) {
                 r.spec->axes = {AxisRule::kSections, 3, {16, 24, 24}, {}};
               },
               "must be"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rotary::testing
