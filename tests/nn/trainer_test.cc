// Training: the same bits whatever the threads and interruptions, checkpoints that are refused, when it ends.
#include "nn/trainer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/bad_calls.h"
#include "formats/scratch_folder.h"
#include "nn/tasks.h"
#include "rotary/formats/files.h"
#include "rotary/formats/safetensors.h"

namespace rotary::testing {
namespace {

bool same_history(const nn::TrainingProgress& a, const nn::TrainingProgress& b) {
  const auto key = [](const nn::EpochReport& r) {
    return std::tuple(r.epoch, r.step, r.train_loss, r.valid_loss, r.valid_accuracy, r.is_kept);
  };
  return std::ranges::equal(a.history, b.history, {}, key, key);
}

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

// --- Checkpoints

class Checkpoint : public ScratchFolder {
 protected:
  std::string path() const { return file("checkpoint.safetensors"); }

  // A checkpoint after some steps of a training with other options.
  void write_checkpoint(const nn::TrainOptions& options = small_options(),
                        const nn::RoformerConfig& config = Training::with_dropout()) const {
    Training x(options, 1, config);
    x.run_steps(3);
    x.trainer.save_checkpoint(path());
  }

  // Loading the file throws one line and leaves the trainer as it was.
  void expect_refused(const std::string& substring) const {
    Training x(small_options(), 9);
    x.run_steps(1);
    const Tensor before = x.weights();
    try {
      x.trainer.load_checkpoint(path());
      FAIL() << "was loaded";
    } catch (const std::runtime_error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(substring), std::string::npos) << message;
      EXPECT_NE(message.find("checkpoint.safetensors"), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
    EXPECT_TRUE(torch::equal(x.weights(), before));
    EXPECT_EQ(x.trainer.progress().step, 1);
    Training untouched(small_options(), 9);
    untouched.run_steps(1);
    x.run_steps(3);
    untouched.run_steps(3);
    EXPECT_TRUE(torch::equal(x.weights(), untouched.weights())) << "the optimizer's state was changed";
  }

  // The checkpoint with other metadata or tensors.
  template <class Change>
  void rewrite(const Change& change) const {
    const SafetensorsFile file(path());
    std::vector<StoredTensor> tensors(file.tensors().begin(), file.tensors().end());
    auto metadata = file.metadata();
    change(tensors, metadata);
    write_safetensors(path(), tensors, metadata);
  }
};

TEST_F(Checkpoint, AfterAnyStepGoesOnToTheSameBits) {
  Training whole;
  whole.trainer.run({});
  const std::int64_t steps = whole.trainer.num_steps();
  ASSERT_EQ(steps, 12);
  for (std::int64_t k = 1; k <= steps; ++k) {
    SCOPED_TRACE(k);
    Training begun, resumed(small_options(), 77);
    begun.run_steps(k);
    begun.trainer.save_checkpoint(path());
    resumed.trainer.load_checkpoint(path());
    EXPECT_EQ(resumed.trainer.progress().step, begun.trainer.progress().step);
    EXPECT_TRUE(torch::equal(resumed.weights(), begun.weights()));
    EXPECT_TRUE(resumed.trainer.run({}));
    EXPECT_TRUE(torch::equal(resumed.weights(), whole.weights()));
    EXPECT_TRUE(same_history(resumed.trainer.progress(), whole.trainer.progress()));
    EXPECT_EQ(resumed.trainer.progress().tokens, whole.trainer.progress().tokens);
  }
}

TEST_F(Checkpoint, BetweenTwoEpochsGoesOnToTheSameBits) {
  Training whole, begun, resumed(small_options(), 77);
  whole.trainer.run({});
  nn::Trainer::Events events;
  events.should_stop = [&] { return begun.trainer.progress().history.size() == 1; };
  EXPECT_FALSE(begun.trainer.run(events));
  EXPECT_EQ(begun.trainer.progress().step, 4);
  begun.trainer.save_checkpoint(path());
  resumed.trainer.load_checkpoint(path());
  EXPECT_TRUE(resumed.trainer.run({}));
  EXPECT_TRUE(torch::equal(resumed.weights(), whole.weights()));
  EXPECT_TRUE(same_history(resumed.trainer.progress(), whole.trainer.progress()));
}

TEST_F(Checkpoint, MayBeGoneOnWithOnOtherThreads) {
  nn::TrainOptions options = small_options();
  options.num_threads = 2;
  Training whole, begun, resumed(options, 77);
  whole.trainer.run({});
  begun.run_steps(5);
  begun.trainer.save_checkpoint(path());
  resumed.trainer.load_checkpoint(path());
  resumed.trainer.run({});
  EXPECT_TRUE(torch::equal(resumed.weights(), whole.weights()));
}

TEST_F(Checkpoint, ThatIsCutIsRefused) {
  write_checkpoint();
  const std::string whole = contents("checkpoint.safetensors");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{300}, whole.size() / 2, whole.size() - 1}) {
    write("checkpoint.safetensors", whole.substr(0, size));
    expect_refused("");
  }
}

TEST_F(Checkpoint, ThatIsMissingIsRefused) { expect_refused("checkpoint.safetensors"); }

TEST_F(Checkpoint, OfAnotherModelIsRefused) {
  using Config = nn::RoformerConfig;
  const std::function<void(Config&)> changes[] = {
      [](Config& c) { c.d_feed_forward = 16; },
      [](Config& c) { c.num_layers = 1; },
      [](Config& c) { c.vocab_size = 14; },
      [](Config& c) { c.encoding = nn::Encoding::kNone; },
      [](Config& c) { c.pairing = Pairing::kHalf; },
      [](Config& c) { c.num_heads = 1; },
      [](Config& c) { c.norm = nn::NormPlacement::kPre; },
      [](Config& c) { c.pooling = nn::Pooling::kMax; },
      [](Config& c) { c.dropout = 0.2; },
      [](Config& c) {
        c.labels = {"a", "z", "c"};
      },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    SCOPED_TRACE(i);
    Config config = Training::with_dropout();
    changes[i](config);
    write_checkpoint(small_options(), config);
    expect_refused("must");
  }
}

TEST_F(Checkpoint, OfOtherOptionsIsRefusedByTheirName) {
  using Options = nn::TrainOptions;
  const std::pair<const char*, std::function<void(Options&)>> changes[] = {
      {"epochs must be 4 as before, got 3", [](Options& o) { o.epochs = 4; }},
      {"max_steps", [](Options& o) { o.max_steps = 9; }},
      {"max_length", [](Options& o) { o.max_length = 11; }},
      {"batch_size", [](Options& o) { o.batch_size = 8; }},
      {"crop_probability", [](Options& o) { o.crop_probability = 0.25; }},
      {"learning_rate", [](Options& o) { o.learning_rate = 2e-2; }},
      {"warm_up", [](Options& o) { o.warm_up = 0.2; }},
      {"label_smoothing", [](Options& o) { o.label_smoothing = 0.1; }},
      {"token_dropout", [](Options& o) { o.token_dropout = 0.1; }},
      {"seed", [](Options& o) { o.seed = 6; }},
      {"precision", [](Options& o) { o.precision = MatmulPrecision::kBfloat16; }},
      {"weight_decay", [](Options& o) { o.optimizer.weight_decay = 0.1; }},
      {"embedding_rate", [](Options& o) { o.optimizer.embedding_rate = 2; }},
      {"token_type_rate", [](Options& o) { o.optimizer.token_type_rate = 1; }},
      {"beta1", [](Options& o) { o.optimizer.beta1 = 0.8; }},
      {"beta2", [](Options& o) { o.optimizer.beta2 = 0.9; }},
      {"epsilon", [](Options& o) { o.optimizer.epsilon = 1e-6; }},
      {"clip_norm", [](Options& o) { o.optimizer.clip_norm = 2; }},
  };
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    Options options = small_options();
    change(options);
    write_checkpoint(options);
    expect_refused(name);
  }
}

TEST_F(Checkpoint, WithoutItsMetadataIsRefused) {
  for (const char* key : {"progress", "settings", "optimizer_steps"}) {
    SCOPED_TRACE(key);
    write_checkpoint();
    rewrite([&](auto&, auto& metadata) { metadata.erase(key); });
    expect_refused(key);
  }
}

TEST_F(Checkpoint, WithSenselessMetadataIsRefused) {
  using Json = nlohmann::json;
  const auto progress_with = [](const char* key, const Json& value) {
    return [key, value](auto& metadata) {
      Json progress = Json::parse(metadata.at("progress"));
      progress[key] = value;
      metadata["progress"] = progress.dump();
    };
  };
  using Metadata = std::map<std::string, std::string>;
  const std::function<void(Metadata&)> changes[] = {
      [](Metadata& m) { m["progress"] = "{"; },
      [](Metadata& m) { m["progress"] = "[]"; },
      [](Metadata& m) { m["settings"] = "7"; },
      [](Metadata& m) { m["optimizer_steps"] = "three"; },
      [](Metadata& m) { m["optimizer_steps"] = "-3"; },
      progress_with("epoch", "one"),
      progress_with("epoch", -1),
      progress_with("step", -1),
      progress_with("step_of_epoch", -1),
      progress_with("history", 3),
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    SCOPED_TRACE(i);
    write_checkpoint();
    rewrite([&](auto&, auto& metadata) { changes[i](metadata); });
    expect_refused("metadata must be a checkpoint's");
  }
}

TEST_F(Checkpoint, WithoutATensorOrWithOneOfAnotherTypeIsRefused) {
  write_checkpoint();
  rewrite([](auto& tensors, auto&) { tensors.pop_back(); });
  expect_refused("second.");
  write_checkpoint();
  rewrite([](auto& tensors, auto&) { tensors.back().dtype = StoredDType::kInt32; });
  expect_refused("second.");
}

TEST_F(Checkpoint, IsReplacedAsAWhole) {
  write_checkpoint();
  Training x;
  EXPECT_THROW(x.trainer.save_checkpoint(file("no such folder/checkpoint")), std::runtime_error);
  x.trainer.save_checkpoint(path());
  EXPECT_EQ(listing(), std::vector<std::string>{"checkpoint.safetensors"});
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
