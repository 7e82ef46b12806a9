// Trainer's checkpoints: one safetensors file, the progress in its metadata.
#include <torch/torch.h>

#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "formats/json_reader.h"
#include "nn/trainer.h"
#include "rotary/formats/safetensors.h"

namespace rotary::nn {
namespace {

using Json = nlohmann::json;
using torch::Tensor;

Json to_json(const EpochReport& r) {
  return {{"epoch", r.epoch},
          {"step", r.step},
          {"train_loss", r.train_loss},
          {"valid_loss", r.valid_loss},
          {"valid_accuracy", r.valid_accuracy},
          {"is_kept", r.is_kept}};
}

EpochReport epoch_report(const Json& json) {
  return {json.at("epoch"),      json.at("step"),           json.at("train_loss"),
          json.at("valid_loss"), json.at("valid_accuracy"), json.at("is_kept")};
}

Json to_json(const TrainingProgress& p) {
  Json history = Json::array();
  for (const EpochReport& report : p.history) history.push_back(to_json(report));
  return {{"epoch", p.epoch},
          {"step_of_epoch", p.step_of_epoch},
          {"step", p.step},
          {"tokens", p.tokens},
          {"epoch_loss", p.epoch_loss},
          {"best_accuracy", p.best_accuracy},
          {"epochs_since_best", p.epochs_since_best},
          {"history", history}};
}

TrainingProgress training_progress(const Json& json) {
  TrainingProgress p{json.at("epoch"),
                     json.at("step_of_epoch"),
                     json.at("step"),
                     json.at("tokens"),
                     json.at("epoch_loss"),
                     json.at("best_accuracy"),
                     json.at("epochs_since_best"),
                     {}};
  for (const Json& report : json.at("history")) p.history.push_back(epoch_report(report));
  return p;
}

// What must be the same for the steps that follow to be.
Json settings(const TrainOptions& o, std::int64_t documents, const RoformerConfig& model) {
  return {{"epochs", o.epochs},
          {"max_steps", o.max_steps},
          {"max_length", o.max_length},
          {"batch_size", o.batch_size},
          {"crop_probability", o.crop_probability},
          {"learning_rate", o.learning_rate},
          {"warm_up", o.warm_up},
          {"label_smoothing", o.label_smoothing},
          {"token_dropout", o.token_dropout},
          {"seed", o.seed},
          {"precision", o.precision == MatmulPrecision::kBfloat16 ? "bfloat16" : "float32"},
          {"documents", documents},
          {"beta1", o.optimizer.beta1},
          {"beta2", o.optimizer.beta2},
          {"epsilon", o.optimizer.epsilon},
          {"clip_norm", o.optimizer.clip_norm},
          {"weight_decay", o.optimizer.weight_decay},
          {"embedding_rate", o.optimizer.embedding_rate},
          {"token_type_rate", o.optimizer.token_type_rate},
          {"model", Json::parse(nn::to_json(model))}};
}

// The metadata of a checkpoint, read; `path` for messages.
class Metadata {
 public:
  explicit Metadata(const SafetensorsFile& file) : file_(file) {}

  void require_same(const Json& now) const {
    const Json then = parse("settings");
    for (const auto& [key, value] : now.items()) {
      const auto found = then.find(key);
      if (found == then.end() || *found != value)
        throw std::runtime_error(file_.path() + ": " + key + " must be " +
                                 (found == then.end() ? "there" : detail::show(*found)) + " as before, got " +
                                 detail::show(value));
    }
  }

  TrainingProgress progress() const {
    try {
      const TrainingProgress progress = training_progress(parse("progress"));
      if (progress.epoch < 0 || progress.step < 0 || progress.step_of_epoch < 0 || progress.tokens < 0)
        refuse("progress");
      return progress;
    } catch (const Json::exception&) {
      refuse("progress");
    }
  }

  std::int64_t optimizer_steps() const {
    const Json steps = parse("optimizer_steps", false);
    if (!steps.is_number_unsigned()) refuse("optimizer_steps");
    return steps.get<std::int64_t>();
  }

 private:
  [[noreturn]] void refuse(const std::string& key) const {
    throw std::runtime_error(file_.path() + ": metadata must be a checkpoint's, got another " + key);
  }

  Json parse(const std::string& key, bool is_object = true) const {
    const auto found = file_.metadata().find(key);
    if (found == file_.metadata().end()) refuse(key);
    Json json = Json::parse(found->second, nullptr, false);
    if (json.is_discarded() || json.is_object() != is_object) refuse(key);
    return json;
  }

  const SafetensorsFile& file_;
};

// Looked at before any tensor of the model is changed.
void require_fits(const SafetensorsFile& file, const AdamW::Named& named) {
  const StoredTensor& stored = file.at(named.first);
  if (stored.dtype != StoredDType::kFloat32 || torch::IntArrayRef(stored.shape) != named.second.sizes())
    throw std::runtime_error(file.path() + ": tensor " + named.first + " must have the model's shape, in float32");
}

std::vector<AdamW::Named> tensors_of(const AdamW& optimizer) {
  std::vector<AdamW::Named> tensors = optimizer.parameters();
  for (const auto& state : optimizer.state()) tensors.push_back(state);
  return tensors;
}

std::span<float> values_of(const Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

}  // namespace

void Trainer::save_checkpoint(const std::string& path) const {
  const std::vector<AdamW::Named> tensors = tensors_of(optimizer_);
  std::vector<StoredTensor> stored;
  for (const auto& [name, tensor] : tensors)
    stored.push_back({name, StoredDType::kFloat32, tensor.sizes().vec(), std::as_bytes(values_of(tensor))});
  const auto documents = static_cast<std::int64_t>(train_->lengths().size());
  write_safetensors(path, stored,
                    {{"progress", to_json(progress_).dump()},
                     {"settings", settings(options_, documents, model_->config()).dump()},
                     {"optimizer_steps", std::to_string(optimizer_.num_steps())}});
}

void Trainer::load_checkpoint(const std::string& path) {
  const SafetensorsFile file(path);
  const Metadata metadata(file);
  metadata.require_same(settings(options_, static_cast<std::int64_t>(train_->lengths().size()), model_->config()));
  const TrainingProgress progress = metadata.progress();
  const std::int64_t steps = metadata.optimizer_steps();
  const std::vector<AdamW::Named> tensors = tensors_of(optimizer_);
  for (const AdamW::Named& named : tensors) require_fits(file, named);
  for (const auto& [name, tensor] : tensors) file.read_float_into(name, values_of(tensor));
  progress_ = progress;
  optimizer_.set_num_steps(steps);
}

}  // namespace rotary::nn
