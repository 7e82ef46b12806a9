// The training loop: epochs of batches, each cut into micro-batches that threads share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nn/objective.h"
#include "nn/optimizer.h"

namespace rotary::nn {

struct TrainOptions {
  std::int64_t epochs = 8;
  std::int64_t max_steps = 0;  ///< ends earlier, the learning rate's way too; 0: none
  std::int64_t max_length = 256;
  std::int64_t batch_size = 32;   ///< documents of a step
  double crop_probability = 0.5;  ///< share of longer documents that are read from a random token on
  double learning_rate = 3e-3;
  double warm_up = 0.1;  ///< share of the way
  double label_smoothing = 0;
  double token_dropout = 0;   ///< share of tokens that a classifier does not see in training
  std::int64_t patience = 0;  ///< epochs without a better validation before training ends; 0: never
  std::uint64_t seed = 0;
  MatmulPrecision precision = MatmulPrecision::kFloat32;
  int num_threads = 1;
  AdamWOptions optimizer;
};

/// Throws std::invalid_argument naming the field, what must hold and what came.
void validate_options(const TrainOptions& options);

struct StepReport {
  std::int64_t step = 0, num_steps = 0;  ///< steps done, of all
  std::int64_t epoch = 0;
  double loss = 0;  ///< mean of the targets of this step
  double gradient_norm = 0;
  double learning_rate = 0;
  std::int64_t tokens = 0;  ///< read so far, without padding
};

/// One of the validations.
struct EpochReport {
  std::int64_t epoch = 0, step = 0;
  double train_loss = 0;  ///< mean of the epoch's steps
  double valid_loss = 0;
  double valid_accuracy = 0;  ///< of classes, or of masked tokens
  /// Whether its weights are to be kept: as good as the best epoch so far, or worse by less than its accuracy's
  /// standard error. Between epochs that validation cannot tell apart the later is kept: the learning rate was lower.
  bool is_kept = false;
};

/// How far training has come: all that a checkpoint holds beside the weights.
struct TrainingProgress {
  std::int64_t epoch = 0, step_of_epoch = 0, step = 0;
  std::int64_t tokens = 0;
  double epoch_loss = 0;  ///< summed over the epoch's steps
  double best_accuracy = -1;
  std::int64_t epochs_since_best = 0;
  std::vector<EpochReport> history;
};

class Trainer {
 public:
  struct Events {
    std::function<void(const StepReport&)> on_step;
    std::function<void(const EpochReport&)> on_epoch;  ///< is_kept: the weights are those to keep
    std::function<bool()> should_stop;                 ///< asked after each step
  };

  /// `valid` may be null: then every epoch is kept.
  Trainer(std::shared_ptr<Roformer> model, std::shared_ptr<const Objective> train,
          std::shared_ptr<const Objective> valid, const TrainOptions& options);

  /// Runs until the end (true), or until should_stop() (false); goes on from where progress() is.
  bool run(const Events& events);

  /// A step on one batch, whichever epoch it belongs to.
  StepReport step(const text::Batch& batch, std::uint64_t epoch, double learning_rate);

  const TrainingProgress& progress() const { return progress_; }
  std::int64_t num_steps() const;

  /// Weights, optimizer and progress, in one file, written beside and renamed; a later run from it gives the same bits.
  void save_checkpoint(const std::string& path) const;
  /// Throws std::runtime_error for a file that is damaged or of another model or other options.
  void load_checkpoint(const std::string& path);

 private:
  bool run_epoch(const Events& events);
  EpochReport finish_epoch();

  std::shared_ptr<Roformer> model_;
  std::shared_ptr<const Objective> train_, valid_;
  TrainOptions options_;
  AdamW optimizer_;
  TrainingProgress progress_;
};

struct Validation {
  double loss = 0, accuracy = 0;
  std::int64_t num_targets = 0;
};

/// Mean loss and accuracy over all documents' heads of max_length tokens.
Validation validate(const Roformer& model, const Objective& objective, const TrainOptions& options);

}  // namespace rotary::nn
