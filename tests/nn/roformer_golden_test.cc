// Checkpoints of transformers' RoFormer and what they say there; tables that checkpoints carry.
#include <gtest/gtest.h>

#include <bit>

#include "core/bad_calls.h"
#include "core/bfloat16.h"
#include "formats/scratch_folder.h"
#include "nn/golden_tensors.h"
#include "nn/model_folder.h"
#include "nn/models.h"

namespace rotary::testing {
namespace {

// A model and its expected outputs, which are right to 50 times the noise that was recorded with them.
struct Golden {
  explicit Golden(const std::string& name)
      : loaded(nn::load_model(golden_path(name))),
        expected(golden_path(name + "/expected.safetensors")),
        tolerance(50 * std::stod(expected.metadata().at("noise_max_abs"))) {}

  const nn::Roformer& model() const { return *loaded.model; }
  Tensor want(const std::string& name) const { return read_tensor(expected, name); }
  nn::Input input(const std::string& side = "") const {
    nn::Input out{want(side + "input_ids"), {}};
    if (!side.empty()) out.mask = want(side + "attention_mask") != 0;
    return out;
  }

  nn::LoadedModel loaded;
  SafetensorsFile expected;
  double tolerance;
};

class RoformerGolden : public ::testing::TestWithParam<const char*> {
 protected:
  const torch::NoGradGuard no_grad_;
};

TEST_P(RoformerGolden, HidesAndSaysWhatTransformersDoes) {
  const Golden golden(GetParam());
  EXPECT_TRUE(golden.loaded.warnings.empty());
  EXPECT_LE(gap(golden.model().encode(golden.input(), {}), golden.want("hidden_last")), golden.tolerance);
  if (golden.expected.find("logits")) {
    EXPECT_LE(gap(say(golden.model(), golden.input()), golden.want("logits")), golden.tolerance);
  }
}

TEST_P(RoformerGolden, IsNotDisturbedByPadding) {
  const Golden golden(GetParam());
  int compared = 0;
  for (const std::string side : {"right_", "left_"}) {
    const bool says = golden.expected.find(side + "logits") != nullptr;
    if (!says && !golden.expected.find(side + "hidden")) continue;
    ++compared;
    const nn::Input input = golden.input(side);
    Tensor got = say(golden.model(), input);
    if (got.dim() == 3) got = got * input.mask.unsqueeze(-1);  // rows of padding are zero in the file
    EXPECT_LE(gap(got, golden.want(side + (says ? "logits" : "hidden"))), golden.tolerance) << side;
  }
  EXPECT_GE(compared, 1);
}

// The fault that the goldens are there for: the test would see it.
TEST_P(RoformerGolden, WouldSayOtherThingsWithTheOtherPairing) {
  const Golden golden(GetParam());
  nn::RoformerConfig config = golden.model().config();
  config.pairing = Pairing::kHalf;
  nn::Roformer other(config);
  for (std::size_t i = 0; i < other.parameters().size(); ++i)
    other.parameters()[i].copy_(golden.model().parameters()[i]);
  EXPECT_GT(gap(other.encode(golden.input(), {}), golden.want("hidden_last")), 1e3 * golden.tolerance);
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, RoformerGolden,
                         ::testing::Values("roformer_seqcls", "roformer_causal", "roformer_rotary_value"),
                         [](const auto& info) { return std::string(info.param); });

class CausalRoformerGolden : public ::testing::Test {
 protected:
  const torch::NoGradGuard no_grad_;
  const Golden golden_{"roformer_causal"};
};

TEST_F(CausalRoformerGolden, SaysTheSameStepByStep) {
  const Tensor ids = golden_.want("input_ids");
  for (const std::int64_t prefill : {1, 14, 39}) {
    nn::Cache cache;
    std::vector<Tensor> parts = {golden_.model().encode({ids.narrow(1, 0, prefill), {}}, {}, &cache)};
    for (std::int64_t t = prefill; t < ids.size(1); ++t)
      parts.push_back(golden_.model().encode({ids.narrow(1, t, 1), {}}, {}, &cache));
    EXPECT_EQ(cache.tokens, ids.size(1));
    const Tensor hidden = torch::cat(parts, 1);
    EXPECT_LE(gap(hidden, golden_.want("hidden_last")), golden_.tolerance) << prefill;
    EXPECT_LE(gap(golden_.model().apply_head(hidden, {}, {}), golden_.want("logits")), golden_.tolerance) << prefill;
  }
}

TEST_F(CausalRoformerGolden, GoesOnGreedilyAsTransformersDoes) {
  const Tensor want = golden_.want("greedy_ids");
  nn::Cache cache;
  Tensor tokens = golden_.want("prompt_ids");
  std::vector<Tensor> ids;
  for (std::int64_t i = 0; i < want.size(1); ++i) {
    const Tensor hidden = golden_.model().encode({tokens, {}}, {}, &cache);
    tokens = golden_.model().apply_head(hidden.narrow(1, hidden.size(1) - 1, 1), {}, {}).argmax(-1);
    ids.push_back(tokens);
  }
  EXPECT_TRUE(torch::equal(torch::cat(ids, 1), want)) << torch::cat(ids, 1);
}

// --- The table of sines and cosines that a checkpoint may carry

class StoredTable : public ScratchFolder {
 protected:
  // The checkpoint roformer_seqcls with a table of `rows` positions.
  void write_model(StoredDType dtype, const std::string& bytes, std::int64_t rows, std::int64_t columns = 16) const {
    std::filesystem::copy_file(golden_path("roformer_seqcls/config.json"), folder_ / "config.json",
                               std::filesystem::copy_options::overwrite_existing);
    const SafetensorsFile weights(golden_path("roformer_seqcls/model.safetensors"));
    std::vector<StoredTensor> tensors(weights.tensors().begin(), weights.tensors().end());
    tensors.push_back(
        {"roformer.encoder.embed_positions.weight", dtype, {rows, columns}, std::as_bytes(std::span(bytes))});
    write_safetensors(file("model.safetensors"), tensors);
  }

  // Rows of sines, then cosines, as transformers has them.
  static std::vector<float> exact_values(std::int64_t rows) {
    std::vector<float> out;
    for (std::int64_t m = 0; m < rows; ++m)
      for (const bool is_cosine : {false, true})
        for (int i = 0; i < 8; ++i) {
          const double angle = static_cast<double>(m) * std::pow(10000.0, -i / 8.0);
          out.push_back(static_cast<float>(is_cosine ? std::cos(angle) : std::sin(angle)));
        }
    return out;
  }
  static std::string bytes_of(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
  }
  static std::string bfloat16_bytes(const std::vector<float>& values) {
    std::string out;
    for (const float x : values) {
      const std::uint16_t bits = detail::to_bfloat16(x);
      out += {static_cast<char>(bits & 0xff), static_cast<char>(bits >> 8)};
    }
    return out;
  }
  static std::vector<float> rounded(std::vector<float> values) {
    for (float& x : values) x = detail::rounded_to_bfloat16(x);
    return values;
  }

  nn::LoadedModel load(bool recompute = false) const { return nn::load_model(folder_.string(), {recompute}); }

  const torch::NoGradGuard no_grad_;
  const Golden golden_{"roformer_seqcls"};
};

TEST_F(StoredTable, ThatIsExactIsNoLimit) {
  write_model(StoredDType::kFloat32, bytes_of(exact_values(10)), 10);
  const nn::LoadedModel loaded = load();
  EXPECT_TRUE(loaded.warnings.empty());
  EXPECT_LE(gap(say(*loaded.model, golden_.input()), golden_.want("logits")), golden_.tolerance);
}

TEST_F(StoredTable, ThatIsRoundedIsUsedAsStoredWithAWarning) {
  write_model(StoredDType::kBfloat16, bfloat16_bytes(exact_values(128)), 128);
  const nn::LoadedModel stored = load();
  ASSERT_EQ(stored.warnings.size(), 1U);
  EXPECT_NE(stored.warnings[0].find("roformer.encoder.embed_positions.weight (BF16)"), std::string::npos);
  EXPECT_NE(stored.warnings[0].find("--recompute-table"), std::string::npos);
  const Tensor got = say(*stored.model, golden_.input());
  EXPECT_GT(gap(got, golden_.want("logits")), 5 * golden_.tolerance) << "as if it were exact";
  write_model(StoredDType::kFloat32, bytes_of(rounded(exact_values(128))), 128);
  EXPECT_TRUE(torch::equal(say(*load().model, golden_.input()), got)) << "the same numbers in float32";
}

TEST_F(StoredTable, ThatIsRoundedIsWrittenAsItWasRead) {
  write_model(StoredDType::kBfloat16, bfloat16_bytes(exact_values(128)), 128);
  const nn::LoadedModel stored = load();
  const Tensor before = say(*stored.model, golden_.input());
  nn::save_model(folder_.string(), *stored.model);
  const nn::LoadedModel again = load();
  EXPECT_EQ(again.warnings.size(), 1U);
  EXPECT_TRUE(torch::equal(say(*again.model, golden_.input()), before));
}

TEST_F(StoredTable, ThatIsRoundedIsMadeExactOnDemand) {
  write_model(StoredDType::kBfloat16, bfloat16_bytes(exact_values(128)), 128);
  const nn::LoadedModel exact = load(true);
  EXPECT_TRUE(exact.warnings.empty());
  EXPECT_TRUE(torch::equal(say(*exact.model, golden_.input()), say(golden_.model(), golden_.input())));
}

TEST_F(StoredTable, ThatTurnsNothingMakesAModelWithoutPositions) {
  std::vector<float> values(128 * 16, 0.0f);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 16 < 8 ? 0.0f : 1.0f;
  write_model(StoredDType::kFloat32, bytes_of(values), 128);
  nn::RoformerConfig config = golden_.model().config();
  config.encoding = nn::Encoding::kNone;
  nn::Roformer bag(config);
  for (std::size_t i = 0; i < bag.parameters().size(); ++i) bag.parameters()[i].copy_(golden_.model().parameters()[i]);
  EXPECT_TRUE(torch::equal(say(*load().model, golden_.input()), say(bag, golden_.input())));
}

TEST_F(StoredTable, ThatIsRoundedEndsWhereItEnds) {
  write_model(StoredDType::kFloat32, bytes_of(rounded(exact_values(39))), 39);
  const nn::LoadedModel loaded = load();
  EXPECT_EQ(loaded.model->encoding().max_tokens(), 39);
  EXPECT_NO_THROW(say(*loaded.model, {golden_.want("input_ids").narrow(1, 0, 39), {}}));
  try {
    say(*loaded.model, golden_.input());
    FAIL() << "a token beyond the table was turned";
  } catch (const std::exception& error) {
    EXPECT_EQ(type_of(error), "out_of_range") << error.what();
  }
}

TEST_F(StoredTable, OfAnotherWidthIsRefused) {
  write_model(StoredDType::kFloat32, bytes_of(exact_values(8)), 16, 8);
  try {
    load();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("embed_positions.weight must have rows of 16, got [16, 8]"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(StoredTable, ThatIsNotFiniteIsRefused) {
  std::vector<float> values = exact_values(16);
  values[100] = NAN;
  write_model(StoredDType::kFloat32, bytes_of(values), 16);
  EXPECT_THROW(load(), std::runtime_error);
  EXPECT_NO_THROW(load(true));
}

}  // namespace
}  // namespace rotary::testing
