// What users reported of RoFormer models (UP-67, UP-68): a causal model that sees the future, values whose lanes are
// scrambled, a table that training or saving changes.
#include <gtest/gtest.h>

#include <numeric>

#include "core/case_lines.h"
#include "formats/scratch_folder.h"
#include "nn/golden_tensors.h"
#include "nn/model_folder.h"
#include "nn/models.h"
#include "nn/rotate.h"
#include "nn/trainer.h"
#include "text/random.h"

namespace rotary::testing {
namespace {

const CaseLine& line_of(const std::string& kind) {
  static const std::vector<CaseGroup> groups = read_cases("nn/cases.txt");
  for (const CaseGroup& group : groups)
    for (const CaseLine& line : group.lines)
      if (line.kind == kind) return line;
  throw std::runtime_error("no case of kind " + kind);
}

Tensor drawn_ids(std::int64_t batch, std::int64_t tokens) { return drawn_tokens(batch, tokens, 50); }

nn::RoformerConfig causal_config() {
  nn::RoformerConfig config = small_config(nn::Head::kMaskedLanguageModel);
  config.vocab_size = 50;
  config.d_model = 16;
  config.d_feed_forward = 32;
  config.is_causal = true;
  return config;
}

// --- UP-67: token 9 of 16 changes

class UP67 : public ::testing::Test {
 protected:
  static constexpr std::int64_t kChanged = 9;

  // Logits at the tokens before are the same bits, and a later one is another.
  static void expect_no_leak(const Tensor& before, const Tensor& after, std::int64_t changed) {
    EXPECT_TRUE(torch::equal(before.narrow(1, 0, changed), after.narrow(1, 0, changed)));
    EXPECT_GT(gap(before.narrow(1, changed, 1), after.narrow(1, changed, 1)), 1e-3);
    EXPECT_GT(gap(before.narrow(1, changed + 1, 16 - kChanged - 1), after.narrow(1, changed + 1, 16 - kChanged - 1)),
              1e-3);
  }
  static Tensor changed(const Tensor& ids, std::int64_t at) {
    Tensor out = ids.clone();
    out.select(1, at).add_(7).remainder_(49).add_(1);
    return out;
  }

  const torch::NoGradGuard no_grad_;
  const std::shared_ptr<nn::Roformer> model_ = drawn_model(causal_config());
  const Tensor ids_ = drawn_ids(2, 16);
};

TEST_F(UP67, ACausalModelDoesNotSeeTheFuture) {
  expect_no_leak(say(*model_, {ids_, {}}), say(*model_, {changed(ids_, kChanged), {}}), kChanged);
}

TEST_F(UP67, NorBesidePaddingOnTheLeft) {
  const Tensor ids = torch::cat({torch::zeros({2, 5}, torch::kInt64), ids_}, 1);
  Tensor mask = torch::ones({2, 21}, torch::kBool);
  mask.narrow(1, 0, 5).fill_(false);
  expect_no_leak(say(*model_, {ids, mask}), say(*model_, {changed(ids, 5 + kChanged), mask}), 5 + kChanged);
  EXPECT_LE(gap(say(*model_, {ids, mask}).narrow(1, 5, 16), say(*model_, {ids_, {}})), 1e-4);
}

TEST_F(UP67, NorWithACache) {
  const auto stepwise = [&](const Tensor& ids) {
    nn::Cache cache;
    std::vector<Tensor> parts;
    for (const std::int64_t count : {6, 6, 1, 3})
      parts.push_back(model_->apply_head(model_->encode({ids.narrow(1, cache.tokens, count), {}}, {}, &cache), {}, {}));
    return torch::cat(parts, 1);
  };
  const Tensor before = stepwise(ids_);
  expect_no_leak(before, stepwise(changed(ids_, kChanged)), kChanged);
  EXPECT_LE(gap(before, say(*model_, {ids_, {}})), 1e-4);
}

TEST_F(UP67, NorWithACacheBesidePaddingOnTheLeft) {
  const Tensor ids = torch::cat({torch::zeros({2, 5}, torch::kInt64), ids_}, 1);
  Tensor mask = torch::ones({2, 21}, torch::kBool);
  mask.narrow(1, 0, 5).fill_(false);
  nn::Cache cache;  // the mask is that of all tokens so far
  const Tensor first = model_->encode({ids.narrow(1, 0, 12), mask.narrow(1, 0, 12)}, {}, &cache);
  const Tensor rest = model_->encode({ids.narrow(1, 12, 9), mask}, {}, &cache);
  const Tensor got = model_->apply_head(torch::cat({first, rest}, 1), {}, {});
  EXPECT_LE(gap(got.narrow(1, 5, 16), say(*model_, {ids_, {}})), 1e-4);
  EXPECT_THROW(model_->encode({ids.narrow(1, 0, 1), mask.narrow(1, 0, 1)}, {}, &cache), std::invalid_argument)
      << "a mask of the new tokens alone";
}

TEST_F(UP67, AModelThatIsNotCausalDoes) {
  nn::RoformerConfig config = causal_config();
  config.is_causal = false;
  const auto model = drawn_model(config);
  EXPECT_GT(gap(say(*model, {ids_, {}}).narrow(1, 0, 9), say(*model, {changed(ids_, 9), {}}).narrow(1, 0, 9)), 1e-3);
}

// Every token predicts the next one.
class NextToken final : public nn::Objective {
 public:
  explicit NextToken(std::vector<nn::Tokens> documents) : documents_(std::move(documents)) {
    for (const auto& document : documents_) lengths_.push_back(static_cast<std::int64_t>(document.size()));
  }
  std::span<const std::int64_t> lengths() const override { return lengths_; }
  nn::MicroBatch prepare(const text::Batch& crops, std::uint64_t) const override {
    std::vector<nn::Tokens> sequences;
    for (const text::Crop& crop : crops) sequences.push_back(documents_[static_cast<std::size_t>(crop.document)]);
    nn::MicroBatch out{nn::pad(sequences), {}, 0, 0};
    out.targets = torch::cat(
        {out.input.tokens.narrow(1, 1, 15), torch::full({out.input.tokens.size(0), 1}, text::kNoLabel, torch::kInt64)},
        1);
    out.num_tokens = out.input.tokens.numel();
    out.num_targets = 15 * out.input.tokens.size(0);
    return out;
  }
  nn::Scored score(const nn::Roformer& model, const nn::MicroBatch& batch, const nn::Pass& pass) const override {
    return {say(model, batch.input, pass).flatten(0, 1), batch.targets.flatten()};
  }

 private:
  std::vector<nn::Tokens> documents_;
  std::vector<std::int64_t> lengths_;
};

// The least mean loss of 20 steps in a row.
double least_loss(bool is_causal, std::int64_t steps) {
  std::vector<nn::Tokens> documents;
  for (std::int64_t i = 0; i < 16 * steps; ++i) {  // fresh ones for every step
    text::Random random(4, {static_cast<std::uint64_t>(i)});
    nn::Tokens tokens(16);
    for (auto& token : tokens) token = static_cast<std::int32_t>(random.below(50));
    documents.push_back(tokens);
  }
  nn::RoformerConfig config = causal_config();
  config.is_causal = is_causal;
  nn::TrainOptions options;
  options.epochs = 1;
  options.batch_size = 16;
  options.max_length = 16;
  options.learning_rate = 1e-2;
  std::vector<double> losses;
  nn::Trainer trainer(std::make_shared<nn::Roformer>(config, 1), std::make_shared<const NextToken>(documents), nullptr,
                      options);
  trainer.run({[&](const nn::StepReport& r) { losses.push_back(r.loss); }, {}, {}});
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 20 <= losses.size(); ++i)
    least = std::min(least, std::accumulate(losses.begin() + static_cast<std::ptrdiff_t>(i),
                                            losses.begin() + static_cast<std::ptrdiff_t>(i + 20), 0.0) /
                                20);
  return least;
}

TEST(UP67Loss, OnRandomWordsStaysAtChanceForACausalModelAlone) {
  const CaseLine& line = line_of("loss");
  const auto steps = static_cast<std::int64_t>(line.number("steps", 0));
  EXPECT_GT(least_loss(true, steps), std::stod(line.want[0].second));
  EXPECT_LT(least_loss(false, steps), std::stod(line.want[0].second) - 0.5);
}

// --- UP-68

nn::RoformerConfig value_config(bool rotates_values) {
  nn::RoformerConfig config = small_config(nn::Head::kNone);
  config.rotates_values = rotates_values;
  config.max_position = 128;
  return config;
}

class UP68 : public ScratchFolder {
 protected:
  // The table in a saved model.
  std::vector<float> table_of(const nn::Roformer& model) const {
    nn::save_model(folder_.string(), model);
    return SafetensorsFile(file("model.safetensors")).read_float("encoder.embed_positions.weight");
  }
  const torch::NoGradGuard no_grad_;
};

TEST_F(UP68, ASavedTableHasSinesFirst) {
  const CaseLine& line = line_of("row");
  const std::vector<float> table = table_of(nn::Roformer(value_config(true)));  // heads of 4 channels
  const Vector want = numbers(line.want[0].second);
  ASSERT_EQ(table.size(), 128 * want.size());
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(table[want.size() + i], static_cast<float>(want[i]));
}

TEST_F(UP68, ValuesComeBackInTheirOwnLanes) {
  const CaseLine& line = line_of("rotation");
  const Vector x = line.list("x"), want = numbers(line.want[0].second);
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = 4;
  spec.pairing = spec.output_pairing = Pairing::kInterleaved;
  for (const bool with_values : {false, true}) {
    const Tensor token = torch::tensor(std::vector<double>(x), torch::kFloat32).repeat({3}).reshape({1, 1, 12});
    const Tensor got = nn::rotate(token.clone(), {Rotary(spec, 16)}, 1, 1, with_values).reshape({3, 4});
    for (int part = 0; part < 3; ++part)
      for (std::size_t i = 0; i < 4; ++i)  // 4 u of the pair's length
        EXPECT_NEAR(got[part][static_cast<std::int64_t>(i)].item<double>(), part < 2 || with_values ? want[i] : x[i],
                    4 * 0x1p-24 * 5);
  }
}

// The same tokens after 50 of padding.
TEST_F(UP68, OnlyRotatedValuesDependOnAbsolutePositions) {
  const Tensor ids = drawn_tokens(2, 6, 13);
  const Tensor later = torch::cat({torch::zeros({2, 50}, torch::kInt64), ids}, 1);
  Tensor mask = torch::ones({2, 56}, torch::kBool);
  mask.narrow(1, 0, 50).fill_(false);
  for (const bool rotates_values : {false, true}) {
    const auto model = drawn_model(value_config(rotates_values));
    const double change = gap(model->encode({ids, {}}, {}), model->encode({later, mask}, {}).narrow(1, 50, 6));
    if (rotates_values)
      EXPECT_GT(change, 1e-2);
    else
      EXPECT_LE(change, 1e-5);
  }
}

TEST_F(UP68, TheTableIsNoParameterAndNoSeedsBusiness) {
  const nn::Roformer one(value_config(true), 1), other(value_config(true), 2);
  std::int64_t words = 0;
  for (const Tensor& x : one.parameters()) words += x.numel();
  // 13 words and 2 types of 8, a norm; of each layer 4 products and 2 of the feed-forward, 2 norms.
  EXPECT_EQ(words, 15 * 8 + 16 + 2 * (4 * (64 + 8) + 96 + 12 + 96 + 8 + 32));
  EXPECT_EQ(table_of(one), table_of(other));
}

}  // namespace
}  // namespace rotary::testing
