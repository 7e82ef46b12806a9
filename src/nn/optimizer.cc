#include "nn/optimizer.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "nn/row_kernels.h"
#include "nn/workers.h"

namespace rotary::nn {
namespace {

using torch::Tensor;

// The sum of a parameter's parts, in their order.
void add_up(Tensor& total, const std::vector<std::vector<Tensor>>& parts, std::size_t parameter) {
  total.zero_();
  for (const auto& part : parts) {
    const Tensor& grad = part[parameter];
    if (!grad.defined()) continue;
    if (grad.is_sparse()) {
      total.index_add_(0, grad._indices()[0], grad._values());
    } else {
      const Tensor rows = grad.contiguous();
      row_kernels().add(total.data_ptr<float>(), rows.data_ptr<float>(), total.numel());
    }
  }
}

}  // namespace

AdamW::AdamW(std::vector<Named> parameters, const AdamWOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  for (const auto& [name, parameter] : parameters_)
    for (auto* list : {&gradients_, &first_, &second_})
      list->push_back(torch::zeros(parameter.sizes(), torch::TensorOptions(parameter.scalar_type())));
}

double AdamW::step(const std::vector<std::vector<Tensor>>& parts, double learning_rate, int num_threads) {
  const auto count = static_cast<std::int64_t>(parameters_.size());
  std::vector<double> squares(parameters_.size());
  run_tasks(num_threads, count, [&](std::int64_t task) {
    const torch::NoGradGuard no_grad;
    const auto i = static_cast<std::size_t>(task);
    add_up(gradients_[i], parts, i);
    squares[i] = row_kernels().sum_of_squares(gradients_[i].data_ptr<float>(), gradients_[i].numel());
  });
  double sum = 0;
  for (const double square : squares) sum += square;
  const double norm = std::sqrt(sum);
  if (!std::isfinite(norm))
    throw std::runtime_error("training: the gradient must be finite, got " + std::to_string(norm) +
                             "; a lower learning rate may help");
  const double factor = options_.clip_norm > 0 && norm > options_.clip_norm ? options_.clip_norm / norm : 1;
  ++num_steps_;
  run_tasks(num_threads, count,
            [&](std::int64_t task) { update(static_cast<std::size_t>(task), learning_rate, factor); });
  return norm;
}

void AdamW::update(std::size_t i, double learning_rate, double factor) {
  const torch::NoGradGuard no_grad;
  auto& [name, parameter] = parameters_[i];
  if (name == "embeddings.words") learning_rate *= options_.embedding_rate;
  if (name == "embeddings.types") learning_rate *= options_.token_type_rate;
  const auto steps = static_cast<double>(num_steps_);
  const AdamWStep step{static_cast<float>(options_.beta1),
                       static_cast<float>(options_.beta2),
                       static_cast<float>(factor),
                       static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, steps))),
                       static_cast<float>(options_.epsilon),
                       static_cast<float>(learning_rate / (1 - std::pow(options_.beta1, steps))),
                       static_cast<float>(parameter.dim() >= 2 ? learning_rate * options_.weight_decay : 0)};
  row_kernels().adamw(step, gradients_[i].data_ptr<float>(), first_[i].data_ptr<float>(), second_[i].data_ptr<float>(),
                      parameter.data_ptr<float>(), parameter.numel());
}

std::vector<AdamW::Named> AdamW::state() const {
  std::vector<Named> out;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    out.emplace_back("first." + parameters_[i].first, first_[i]);
    out.emplace_back("second." + parameters_[i].first, second_[i]);
  }
  return out;
}

double scheduled_rate(double learning_rate, double progress, double warm_up) {
  progress = std::clamp(progress, 0.0, 1.0);
  if (progress < warm_up) return learning_rate * progress / warm_up;
  return learning_rate * (1 - progress) / (1 - warm_up);
}

}  // namespace rotary::nn
