// Training: the same bits whatever the threads, what it keeps, when it ends, options that are refused.
#include "nn/trainer.h"

#include <gtest/gtest.h>

#include "core/bad_calls.h"
#include "nn/tasks.h"

namespace rotary::testing {
namespace {

TEST(Trainer, GivesTheSameBitsForTheSameSeed) {
  Training one, two;
  one.trainer.run({});
  two.trainer.run({});
  EXPECT_TRUE(torch::equal(one.weights(), two.weights()));
  EXPECT_TRUE(same_history(one.trainer.progress(), two.trainer.progress()));
}

TEST(Trainer, GivesOtherWeightsForAnotherSeed) {
  nn::TrainOptions options = small_options();
  options.seed = 6;
  Training one, two(options);
  one.trainer.run({});
  two.trainer.run({});
  EXPECT_FALSE(torch::equal(one.weights(), two.weights()));
}

TEST(Trainer, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const auto precision : {MatmulPrecision::kFloat32, MatmulPrecision::kBfloat16}) {
    nn::TrainOptions options = small_options();
    options.precision = precision;
    Training alone(options);
    alone.trainer.run({});
    for (const int threads : {2, 3}) {
      options.num_threads = threads;
      Training several(options);
      several.trainer.run({});
      EXPECT_TRUE(torch::equal(alone.weights(), several.weights())) << threads;
      EXPECT_TRUE(same_history(alone.trainer.progress(), several.trainer.progress())) << threads;
    }
  }
}

TEST(Trainer, LearnsAndReportsIt) {
  nn::TrainOptions options = small_options();
  options.epochs = 40;
  Training x(options);
  std::vector<nn::StepReport> steps;
  std::vector<nn::EpochReport> epochs;
  EXPECT_TRUE(
      x.trainer.run({[&](const auto& r) { steps.push_back(r); }, [&](const auto& r) { epochs.push_back(r); }, {}}));
  ASSERT_EQ(steps.size(), 40U * 4);
  ASSERT_EQ(epochs.size(), 40U);
  EXPECT_LT(steps.back().loss, 0.5 * steps.front().loss);
  EXPECT_GT(epochs.back().valid_accuracy, 0.8);
  EXPECT_EQ(steps.back().step, steps.back().num_steps);
  EXPECT_EQ(steps.back().learning_rate, 0) << "the way ends at zero";
  EXPECT_TRUE(epochs.front().is_kept);
  EXPECT_TRUE(epochs.back().is_kept);
  double best = 0;
  for (const nn::EpochReport& r : epochs) {
    best = std::max(best, r.valid_accuracy);
    const double error = std::sqrt(best * (1 - best) / 30);
    EXPECT_EQ(r.is_kept, r.valid_accuracy >= best - error) << r.epoch;
  }
}

TEST(Trainer, EndsAtMaxSteps) {
  nn::TrainOptions options = small_options();
  options.max_steps = 6;
  Training x(options);
  EXPECT_TRUE(x.trainer.run({}));
  EXPECT_EQ(x.trainer.progress().step, 6);
  EXPECT_EQ(x.trainer.progress().history.size(), 2U) << "the cut epoch is validated too";
}

// Validation asks for the opposite of what is learned: the first epoch is the best one.
TEST(Trainer, StopsEarlyWhenValidationGetsNoBetter) {
  Documents wrong = drawn_documents(30, 2);
  for (int& c : wrong.classes) c = (c + 1) % 3;
  nn::TrainOptions options = small_options();
  options.epochs = 40;
  options.patience = 2;
  const auto model = std::make_shared<nn::Roformer>(small_config(), 1);
  nn::Trainer trainer(model, drawn_documents(50, 1).objective(), wrong.objective(), options);
  EXPECT_TRUE(trainer.run({}));
  const auto& history = trainer.progress().history;
  ASSERT_GE(history.size(), 3U);
  EXPECT_LT(history.size(), 40U);
  const double best = history[history.size() - 3].valid_accuracy;
  for (const nn::EpochReport& r : history) EXPECT_LE(r.valid_accuracy, best);
}

// Of 300 documents of which it learns the opposite, none may be right at the end: worse by far more than the error.
TEST(Trainer, KeepsNoEpochThatIsWorseByMoreThanTheStandardError) {
  Documents wrong = drawn_documents(300, 2);
  for (int& c : wrong.classes) c = (c + 1) % 3;
  nn::TrainOptions options = small_options();
  options.epochs = 30;
  const auto model = std::make_shared<nn::Roformer>(small_config(), 1);
  nn::Trainer trainer(model, drawn_documents(300, 1).objective(), wrong.objective(), options);
  trainer.run({});
  const auto& history = trainer.progress().history;
  EXPECT_TRUE(history.front().is_kept);
  EXPECT_LT(history.back().valid_accuracy, history.front().valid_accuracy - 0.1);
  EXPECT_FALSE(history.back().is_kept);
}

// What is added to every token alike would move with each step and drown the words.
TEST(Trainer, LeavesTokenTypesAsTheyWere) {
  Training x;
  const auto types = [&] { return x.model->named_parameters()["embeddings.types"].detach().clone(); };
  EXPECT_EQ(largest(types()), 0) << "fresh";
  x.trainer.run({});
  EXPECT_EQ(largest(types()), 0);
}

TEST(Trainer, RefusesAGradientThatIsNotFiniteAndLeavesTheWeights) {
  Training x;
  {
    const torch::NoGradGuard no_grad;
    x.model->parameters().back().fill_(std::numeric_limits<float>::infinity());
  }
  const Tensor before = x.weights();
  try {
    x.trainer.run({});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("the gradient must be finite, got"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(torch::equal(x.weights(), before));
  EXPECT_EQ(x.trainer.progress().step, 0);
}

// --- Options that are refused

nn::TrainOptions options_with(const std::function<void(nn::TrainOptions&)>& change) {
  nn::TrainOptions options = small_options();
  change(options);
  return options;
}

BadCall bad(const char* name, const char* substring, std::function<void(nn::TrainOptions&)> change) {
  return {name, [change] { nn::validate_options(options_with(change)); }, "invalid_argument", substring};
}

class BadOptions : public ::testing::TestWithParam<BadCall> {};
TEST_P(BadOptions, AreRefused) { expect_refused(GetParam()); }

const BadCall kBadOptions[] = {
    bad("no_epochs", "epochs must be 1 or more, got 0", [](auto& o) { o.epochs = 0; }),
    bad("negative_steps", "max_steps", [](auto& o) { o.max_steps = -1; }),
    bad("no_length", "max_length", [](auto& o) { o.max_length = 0; }),
    bad("no_batch", "batch_size", [](auto& o) { o.batch_size = 0; }),
    bad("probability_above_one", "crop_probability", [](auto& o) { o.crop_probability = 1.5; }),
    bad("probability_is_not_a_number", "crop_probability", [](auto& o) { o.crop_probability = NAN; }),
    bad("no_rate", "learning_rate", [](auto& o) { o.learning_rate = 0; }),
    bad("infinite_rate", "learning_rate", [](auto& o) { o.learning_rate = INFINITY; }),
    bad("all_warm_up", "warm_up", [](auto& o) { o.warm_up = 1; }),
    bad("all_smooth", "label_smoothing", [](auto& o) { o.label_smoothing = 1; }),
    bad("no_token_left", "token_dropout", [](auto& o) { o.token_dropout = 1; }),
    bad("negative_patience", "patience", [](auto& o) { o.patience = -1; }),
    bad("no_threads", "num_threads", [](auto& o) { o.num_threads = 0; }),
    bad("beta1_of_one", "beta1", [](auto& o) { o.optimizer.beta1 = 1; }),
    bad("beta2_of_one", "beta2", [](auto& o) { o.optimizer.beta2 = 1; }),
    bad("no_adam_epsilon", "epsilon", [](auto& o) { o.optimizer.epsilon = 0; }),
    bad("negative_decay", "weight_decay", [](auto& o) { o.optimizer.weight_decay = -1; }),
    bad("negative_clip", "clip_norm", [](auto& o) { o.optimizer.clip_norm = -1; }),
    bad("negative_embedding_rate", "embedding_rate", [](auto& o) { o.optimizer.embedding_rate = -1; }),
    bad("negative_token_type_rate", "token_type_rate", [](auto& o) { o.optimizer.token_type_rate = -1; }),
    {"no_documents",
     [] {
       nn::Trainer(std::make_shared<nn::Roformer>(small_config()), Documents().objective(), nullptr, small_options());
     },
     "invalid_argument", "documents must be there"},
    {"fewer_classes_than_documents",
     [] {
       nn::Classification({{1}, {2}}, {0});
     },
     "invalid_argument", "classes must be one for each document"},
};
INSTANTIATE_TEST_SUITE_P(Calls, BadOptions, ::testing::ValuesIn(kBadOptions), bad_call_name);

TEST(Schedule, RisesToTheRateAndFallsToZero) {
  EXPECT_EQ(nn::scheduled_rate(2, 0, 0.1), 0);
  EXPECT_NEAR(nn::scheduled_rate(2, 0.05, 0.1), 1, 1e-15);
  EXPECT_NEAR(nn::scheduled_rate(2, 0.1, 0.1), 2, 1e-15);
  EXPECT_NEAR(nn::scheduled_rate(2, 0.55, 0.1), 1, 1e-15);
  EXPECT_EQ(nn::scheduled_rate(2, 1, 0.1), 0);
  EXPECT_EQ(nn::scheduled_rate(2, 1.5, 0.1), 0);
  EXPECT_EQ(nn::scheduled_rate(2, 0, 0), 2);
}

}  // namespace
}  // namespace rotary::testing
