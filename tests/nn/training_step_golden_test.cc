// Two training steps against PyTorch's, in double there: tests/golden/nn/README.md.
#include <gtest/gtest.h>

#include "nn/golden_tensors.h"
#include "nn/gradients.h"
#include "nn/model_folder.h"
#include "nn/trainer.h"

namespace rotary::testing {
namespace {

nn::RoformerConfig golden_config() {
  nn::RoformerConfig config = small_config();
  config.vocab_size = 50;
  config.d_model = 16;
  config.d_feed_forward = 32;
  config.norm_epsilon = 1e-12;
  return config;
}

std::string golden_name(const std::string& name) {
  return (name.rfind("classifier.", 0) == 0 ? "" : "roformer.") + name;
}

// The documents of a batch without their padding.
std::vector<nn::Tokens> documents_of(const SafetensorsFile& file) {
  const Tensor ids = read_tensor(file, "input_ids"), mask = read_tensor(file, "attention_mask");
  std::vector<nn::Tokens> out;
  for (std::int64_t b = 0; b < ids.size(0); ++b) {
    const Tensor row = ids[b].narrow(0, 0, mask[b].sum().item<std::int64_t>()).to(torch::kInt32);
    out.emplace_back(row.data_ptr<std::int32_t>(), row.data_ptr<std::int32_t>() + row.numel());
  }
  return out;
}

std::vector<int> classes_of(const SafetensorsFile& file) {
  const auto labels = file.read_int64("labels");
  return {labels.begin(), labels.end()};
}

class TrainingStepGolden : public ::testing::Test {
 protected:
  TrainingStepGolden()
      : first_(golden_path("training_step.safetensors")),
        second_(golden_path("second_step.safetensors")),
        model_(std::make_shared<nn::Roformer>(golden_config())) {
    const torch::NoGradGuard no_grad;
    for (nn::NamedTensor& x : nn::checkpoint_tensors(*model_)) x.tensor.copy_(weight(x.name));
    options_.learning_rate = 1e-3;
    options_.optimizer.token_type_rate = 1;
  }

  Tensor weight(const std::string& name) const { return read_tensor(first_, "weight/" + golden_name(name)); }
  nn::Input input() const { return {read_tensor(first_, "input_ids"), read_tensor(first_, "attention_mask") != 0}; }
  Tensor loss() const { return torch::cross_entropy_loss(say(*model_, input()), read_tensor(first_, "labels")); }

  // A step on documents begin and begin + 1.
  nn::StepReport train_on(nn::Trainer& trainer, int begin) const {
    const auto lengths = objective_->lengths();
    text::Batch batch;
    for (int d = begin; d < begin + 2; ++d) batch.push_back({d, 0, lengths[static_cast<std::size_t>(d)]});
    return trainer.step(batch, 0, options_.learning_rate);
  }
  // All four documents: those of the first step, those of the second.
  std::shared_ptr<const nn::Objective> make_objective() const {
    auto documents = documents_of(first_);
    auto classes = classes_of(first_);
    for (auto& more : documents_of(second_)) documents.push_back(more);
    for (const int more : classes_of(second_)) classes.push_back(more);
    return std::make_shared<const nn::Classification>(documents, classes);
  }
  void expect_updates(const SafetensorsFile& file) const {
    for (const nn::NamedTensor& x : nn::checkpoint_tensors(*model_)) {
      const Tensor want = read_tensor(file, "update/" + golden_name(x.name));
      EXPECT_LE(gap(x.tensor - weight(x.name), want), 1e-6) << x.name;
    }
  }

  SafetensorsFile first_, second_;
  std::shared_ptr<nn::Roformer> model_;
  nn::TrainOptions options_;
  std::shared_ptr<const nn::Objective> objective_ = make_objective();
};

TEST_F(TrainingStepGolden, HidesAndSaysWhatPyTorchDoes) {
  const nn::Input in = input();
  const Tensor real = in.mask.unsqueeze(-1);
  EXPECT_LE(gap(model_->encode(in, {}) * real, read_tensor(first_, "hidden_last") * real), 1e-5);
  EXPECT_LE(gap(say(*model_, in), read_tensor(first_, "logits")), 1e-5);
}

TEST_F(TrainingStepGolden, HasPyTorchsLossAndGradients) {
  const Tensor made = loss();
  EXPECT_NEAR(made.item<double>(), read_number(first_, "loss"), 1e-5);
  const std::vector<Tensor> gradients = gradients_of(made, model_->parameters());
  nn::Roformer named(golden_config());  // holds the gradients, so that they get a checkpoint's names
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < gradients.size(); ++i) named.parameters()[i].copy_(gradients[i]);
  for (const nn::NamedTensor& x : nn::checkpoint_tensors(named)) {
    const Tensor want = read_tensor(first_, "gradient/" + golden_name(x.name));
    EXPECT_LE(gap(x.tensor, want), 1e-5 * std::max(1.0, largest(want))) << x.name;
  }
}

TEST_F(TrainingStepGolden, StepsAsPyTorchSteps) {
  nn::Trainer trainer(model_, objective_, nullptr, options_);
  const nn::StepReport one = train_on(trainer, 0);
  EXPECT_NEAR(one.loss, read_number(first_, "loss"), 1e-5);
  EXPECT_NEAR(one.gradient_norm, read_number(first_, "gradient_norm"), 1e-5);
  expect_updates(first_);
  const nn::StepReport two = train_on(trainer, 2);
  EXPECT_NEAR(two.loss, read_number(second_, "loss"), 1e-5);
  EXPECT_NEAR(two.gradient_norm, read_number(second_, "gradient_norm"), 1e-5);
  expect_updates(second_);
}

}  // namespace
}  // namespace rotary::testing
