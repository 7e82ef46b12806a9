#include "nn/trainer.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/require.h"
#include "nn/metrics.h"
#include "nn/workers.h"

namespace rotary::nn {
namespace {

using torch::Tensor;

// A micro-batch's activations should stay in a core's own cache, and every thread should have several. The cut must not
// depend on the number of threads.
constexpr std::int64_t kTokensPerMicroBatch = 2048, kMicroBatches = 8;

std::int64_t micro_batch_tokens(const text::Batch& batch) {
  std::int64_t longest = 1;
  for (const text::Crop& crop : batch) longest = std::max(longest, crop.length);
  const std::int64_t all = longest * static_cast<std::int64_t>(batch.size());
  return std::max(longest, std::min(kTokensPerMicroBatch, (all + kMicroBatches - 1) / kMicroBatches));
}

Tensor summed_loss(const Scored& scored, double label_smoothing = 0) {
  return torch::cross_entropy_loss(scored.logits, scored.targets, {}, at::Reduction::Sum, -100, label_smoothing);
}

std::vector<AdamW::Named> parameters_of(const Roformer& model) {
  std::vector<AdamW::Named> out;
  for (const auto& item : model.named_parameters()) out.emplace_back(item.key(), item.value());
  return out;
}

text::EpochOptions epoch_options(const TrainOptions& options, std::uint64_t epoch) {
  text::EpochOptions out;
  out.max_length = options.max_length;
  out.batch_size = options.batch_size;
  out.crop_probability = options.crop_probability;
  out.seed = options.seed;
  out.epoch = epoch;
  return out;
}

}  // namespace

void validate_options(const TrainOptions& options) {
  const auto require = [](bool ok, const char* must_hold, auto got) { detail::require(ok, "train", must_hold, got); };
  require(options.epochs >= 1, "epochs must be 1 or more", options.epochs);
  require(options.max_steps >= 0, "max_steps must be 0 or more", options.max_steps);
  require(options.max_length >= 1, "max_length must be 1 or more", options.max_length);
  require(options.batch_size >= 1, "batch_size must be 1 or more", options.batch_size);
  require(options.crop_probability >= 0 && options.crop_probability <= 1, "crop_probability must be 0 .. 1",
          options.crop_probability);
  require(options.learning_rate > 0 && std::isfinite(options.learning_rate),
          "learning_rate must be positive and finite", options.learning_rate);
  require(options.warm_up >= 0 && options.warm_up < 1, "warm_up must be 0 or more and below 1", options.warm_up);
  require(options.label_smoothing >= 0 && options.label_smoothing < 1, "label_smoothing must be 0 or more and below 1",
          options.label_smoothing);
  require(options.token_dropout >= 0 && options.token_dropout < 1, "token_dropout must be 0 or more and below 1",
          options.token_dropout);
  require(options.patience >= 0, "patience must be 0 or more", options.patience);
  require(options.num_threads >= 1, "num_threads must be 1 or more", options.num_threads);
  const AdamWOptions& adam = options.optimizer;
  require(adam.beta1 >= 0 && adam.beta1 < 1, "beta1 must be 0 or more and below 1", adam.beta1);
  require(adam.beta2 >= 0 && adam.beta2 < 1, "beta2 must be 0 or more and below 1", adam.beta2);
  require(adam.epsilon > 0 && std::isfinite(adam.epsilon), "epsilon must be positive and finite", adam.epsilon);
  require(adam.weight_decay >= 0 && std::isfinite(adam.weight_decay), "weight_decay must be 0 or more and finite",
          adam.weight_decay);
  require(adam.clip_norm >= 0, "clip_norm must be 0 or more", adam.clip_norm);
  require(adam.embedding_rate >= 0 && std::isfinite(adam.embedding_rate), "embedding_rate must be 0 or more and finite",
          adam.embedding_rate);
  require(adam.token_type_rate >= 0 && std::isfinite(adam.token_type_rate),
          "token_type_rate must be 0 or more and finite", adam.token_type_rate);
}

Trainer::Trainer(std::shared_ptr<Roformer> model, std::shared_ptr<const Objective> train,
                 std::shared_ptr<const Objective> valid, const TrainOptions& options)
    : model_(std::move(model)),
      train_(std::move(train)),
      valid_(std::move(valid)),
      options_(options),
      optimizer_(parameters_of(*model_), options.optimizer) {
  validate_options(options_);
  detail::require(!train_->lengths().empty(), "train", "documents must be there", "none");
}

std::int64_t Trainer::num_steps() const {
  const auto documents = static_cast<std::int64_t>(train_->lengths().size());
  const std::int64_t all = options_.epochs * ((documents + options_.batch_size - 1) / options_.batch_size);
  return options_.max_steps > 0 ? std::min(all, options_.max_steps) : all;
}

StepReport Trainer::step(const text::Batch& batch, std::uint64_t epoch, double learning_rate) {
  std::vector<MicroBatch> parts;
  std::int64_t targets = 0, tokens = 0;
  for (const text::Batch& part : text::split_batch(batch, micro_batch_tokens(batch))) {
    parts.push_back(train_->prepare(part, epoch));
    targets += parts.back().num_targets;
    tokens += parts.back().num_tokens;
  }
  std::vector<Tensor> parameters = model_->parameters();
  std::vector<std::vector<Tensor>> gradients(parts.size());
  std::vector<double> losses(parts.size());
  run_tasks(options_.num_threads, static_cast<std::int64_t>(parts.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    Pass pass{options_.precision, true,
              mix_seed(mix_seed(options_.seed, static_cast<std::uint64_t>(optimizer_.num_steps())), i)};
    const Tensor loss = summed_loss(train_->score(*model_, parts[i], pass), options_.label_smoothing) /
                        static_cast<double>(std::max<std::int64_t>(targets, 1));
    gradients[i] = torch::autograd::grad({loss}, parameters, {}, false, false, true);
    losses[i] = loss.item<double>();
  });
  StepReport report;
  report.gradient_norm = optimizer_.step(gradients, learning_rate, options_.num_threads);
  for (const double loss : losses) report.loss += loss;
  report.learning_rate = learning_rate;
  report.tokens = tokens;
  return report;
}

bool Trainer::run_epoch(const Events& events) {
  const auto epoch = static_cast<std::uint64_t>(progress_.epoch);
  const auto batches = text::make_epoch(train_->lengths(), epoch_options(options_, epoch));
  const std::int64_t all = num_steps();
  while (progress_.step_of_epoch < static_cast<std::int64_t>(batches.size()) && progress_.step < all) {
    const double way = static_cast<double>(progress_.step + 1) / static_cast<double>(all);
    const double rate = scheduled_rate(options_.learning_rate, way, options_.warm_up);
    StepReport report = step(batches[static_cast<std::size_t>(progress_.step_of_epoch)], epoch, rate);
    ++progress_.step_of_epoch;
    ++progress_.step;
    progress_.tokens += report.tokens;
    progress_.epoch_loss += report.loss;
    report.step = progress_.step;
    report.num_steps = all;
    report.epoch = progress_.epoch;
    report.tokens = progress_.tokens;
    if (events.on_step) events.on_step(report);
    if (events.should_stop && events.should_stop()) return false;
  }
  return true;
}

EpochReport Trainer::finish_epoch() {
  EpochReport report;
  report.epoch = progress_.epoch;
  report.step = progress_.step;
  report.train_loss = progress_.epoch_loss / static_cast<double>(std::max<std::int64_t>(progress_.step_of_epoch, 1));
  report.is_kept = true;
  if (valid_ && !valid_->lengths().empty()) {
    const Validation validation = validate(*model_, *valid_, options_);
    report.valid_loss = validation.loss;
    report.valid_accuracy = validation.accuracy;
    progress_.epochs_since_best = validation.accuracy > progress_.best_accuracy ? 0 : progress_.epochs_since_best + 1;
    progress_.best_accuracy = std::max(progress_.best_accuracy, validation.accuracy);
    report.is_kept = validation.accuracy >=
                     progress_.best_accuracy - standard_error(progress_.best_accuracy, validation.num_targets);
  }
  progress_.history.push_back(report);
  ++progress_.epoch;
  progress_.step_of_epoch = 0;
  progress_.epoch_loss = 0;
  return report;
}

bool Trainer::run(const Events& events) {
  // An epoch that was interrupted behind its last step is still to be validated.
  while (progress_.epoch < options_.epochs && (progress_.step < num_steps() || progress_.step_of_epoch > 0)) {
    if (options_.patience > 0 && progress_.epochs_since_best >= options_.patience) break;
    if (!run_epoch(events)) return false;
    const EpochReport report = finish_epoch();
    if (events.on_epoch) events.on_epoch(report);
    if (events.should_stop && events.should_stop()) return false;
  }
  return true;
}

Validation validate(const Roformer& model, const Objective& objective, const TrainOptions& options) {
  text::EpochOptions reading;
  reading.max_length = options.max_length;
  reading.batch_size = std::max<std::int64_t>(1, kTokensPerMicroBatch / options.max_length);
  const auto batches = text::make_reading_batches(objective.lengths(), reading);
  struct Part {
    double loss = 0;
    std::int64_t correct = 0, targets = 0;
  };
  std::vector<Part> parts(batches.size());
  run_tasks(options.num_threads, static_cast<std::int64_t>(batches.size()), [&](std::int64_t task) {
    const torch::NoGradGuard no_grad;
    const auto i = static_cast<std::size_t>(task);
    const Scored scored = objective.score(model, objective.prepare(batches[i], 0), {options.precision});
    parts[i] = {summed_loss(scored).item<double>(),
                (scored.logits.argmax(1) == scored.targets).sum().item<std::int64_t>(), scored.targets.size(0)};
  });
  Part all;
  for (const Part& part : parts) {
    all.loss += part.loss;
    all.correct += part.correct;
    all.targets += part.targets;
  }
  const auto n = static_cast<double>(std::max<std::int64_t>(all.targets, 1));
  return {all.loss / n, static_cast<double>(all.correct) / n, all.targets};
}

}  // namespace rotary::nn
