// Trainer's checkpoints: one safetensors file, the progress in its metadata.
#include <torch/torch.h>

#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

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
          {"is_best", r.is_best}};
}

EpochReport epoch_report(const Json& json) {
  return {json.at("epoch"),      json.at("step"),           json.at("train_loss"),
          json.at("valid_loss"), json.at("valid_accuracy"), json.at("is_best")};
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
          {"best_loss", p.best_loss},
          {"epochs_since_best", p.epochs_since_best},
          {"history", history}};
}

TrainingProgress training_progress(const Json& json) {
  TrainingProgress p{json.at("epoch"),     json.at("step_of_epoch"),     json.at("step"),
                     json.at("tokens"),    json.at("epoch_loss"),        json.at("best_accuracy"),
                     json.at("best_loss"), json.at("epochs_since_best"), {}};
  for (const Json& report : json.at("history")) p.history.push_back(epoch_report(report));
  return p;
}

// What must be the same for the steps that follow to be.
Json settings(const TrainOptions& o, std::int64_t documents) {
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
          {"weight_decay", o.optimizer.weight_decay},
          {"embedding_rate", o.optimizer.embedding_rate}};
}

}  // namespace

void Trainer::save_checkpoint(const std::string& path) const {
  std::vector<AdamW::Named> tensors = optimizer_.parameters();
  for (const auto& state : optimizer_.state()) tensors.push_back(state);
  std::vector<StoredTensor> stored;
  for (const auto& [name, tensor] : tensors)
    stored.push_back({name, StoredDType::kFloat32, tensor.sizes().vec(),
                      std::as_bytes(std::span(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())))});
  const auto documents = static_cast<std::int64_t>(train_->lengths().size());
  write_safetensors(path, stored,
                    {{"progress", to_json(progress_).dump()},
                     {"settings", settings(options_, documents).dump()},
                     {"optimizer_steps", std::to_string(optimizer_.num_steps())}});
}

void Trainer::load_checkpoint(const std::string& path) {
  const SafetensorsFile file(path);
  const auto text_of = [&](const char* key) {
    const auto found = file.metadata().find(key);
    if (found == file.metadata().end()) throw std::runtime_error(path + ": metadata must have " + key + ", got none");
    return found->second;
  };
  const auto documents = static_cast<std::int64_t>(train_->lengths().size());
  try {
    const Json then = Json::parse(text_of("settings")), now = settings(options_, documents);
    for (const auto& [key, value] : now.items())
      if (then.value(key, Json()) != value)
        throw std::runtime_error(path + ": " + key + " must be " + then.value(key, Json()).dump() + " as before, got " +
                                 value.dump());
    const TrainingProgress progress = training_progress(Json::parse(text_of("progress")));
    const std::int64_t steps = std::stoll(text_of("optimizer_steps"));
    std::vector<AdamW::Named> tensors = optimizer_.parameters();
    for (const auto& state : optimizer_.state()) tensors.push_back(state);
    for (const auto& [name, tensor] : tensors)  // all are looked at before the first is changed
      if (torch::IntArrayRef(file.at(name).shape) != tensor.sizes())
        throw std::runtime_error(path + ": tensor " + name + " must have the model's shape");
    const torch::NoGradGuard no_grad;
    for (auto& [name, tensor] : tensors)
      file.read_float_into(name, std::span(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())));
    progress_ = progress;
    optimizer_.set_num_steps(steps);
  } catch (const Json::exception& error) {
    throw std::runtime_error(path + ": metadata must be a checkpoint's, got " + error.what());
  } catch (const std::logic_error& error) {
    throw std::runtime_error(path + ": metadata must be a checkpoint's, got " + error.what());
  }
}

}  // namespace rotary::nn
