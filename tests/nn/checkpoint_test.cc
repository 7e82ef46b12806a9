// Checkpoints: training goes on to the same bits, and what is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "formats/scratch_folder.h"
#include "nn/tasks.h"
#include "rotary/formats/files.h"
#include "rotary/formats/safetensors.h"

namespace rotary::testing {
namespace {

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

}  // namespace
}  // namespace rotary::testing
