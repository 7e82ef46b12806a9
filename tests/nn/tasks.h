// A task that tiny models learn in a few steps, and trainers for it.
#pragma once

#include "nn/models.h"
#include "nn/trainer.h"
#include "text/random.h"

namespace rotary::testing {

struct Documents {
  std::vector<nn::Tokens> tokens;
  std::vector<int> classes;

  std::shared_ptr<const nn::Objective> objective() const {
    return std::make_shared<const nn::Classification>(tokens, classes);
  }
};

/// Documents of 3 to 20 words, of which those of class c have word 1 + c somewhere.
inline Documents drawn_documents(std::size_t num, std::uint64_t seed) {
  Documents out;
  for (std::size_t i = 0; i < num; ++i) {
    text::Random random(seed, {i});
    nn::Tokens tokens(3 + random.below(18));
    for (auto& token : tokens) token = static_cast<std::int32_t>(4 + random.below(9));
    out.classes.push_back(static_cast<int>(i % 3));
    tokens[random.below(tokens.size())] = static_cast<std::int32_t>(1 + out.classes.back());
    out.tokens.push_back(tokens);
  }
  return out;
}

inline bool same_history(const nn::TrainingProgress& a, const nn::TrainingProgress& b) {
  const auto key = [](const nn::EpochReport& r) {
    return std::tuple(r.epoch, r.step, r.train_loss, r.valid_loss, r.valid_accuracy, r.is_kept);
  };
  return std::ranges::equal(a.history, b.history, {}, key, key);
}

inline nn::TrainOptions small_options() {
  nn::TrainOptions options;
  options.epochs = 3;
  options.batch_size = 16;
  options.max_length = 12;  // longer documents are cropped
  options.learning_rate = 1e-2;
  options.seed = 5;
  return options;
}

/// A model, what it is trained on, and its trainer.
struct Training {
  explicit Training(const nn::TrainOptions& given = small_options(), std::uint64_t model_seed = 1,
                    const nn::RoformerConfig& config = with_dropout())
      : model(std::make_shared<nn::Roformer>(config, model_seed)),
        trainer(model, drawn_documents(50, 1).objective(), drawn_documents(30, 2).objective(), given) {}

  static nn::RoformerConfig with_dropout() {
    nn::RoformerConfig config = small_config();
    config.dropout = 0.1;
    return config;
  }
  /// Stops after so many steps more, before what comes after the last one of an epoch.
  void run_steps(std::int64_t steps) {
    nn::Trainer::Events events;
    const std::int64_t end = trainer.progress().step + steps;
    events.should_stop = [this, end] { return trainer.progress().step >= end; };
    trainer.run(events);
  }
  Tensor weights() const { return all_weights(*model); }

  std::shared_ptr<nn::Roformer> model;
  nn::Trainer trainer;
};

}  // namespace rotary::testing
