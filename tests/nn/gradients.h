// Central finite differences in double.
#pragma once

#include <functional>

#include "nn/models.h"

namespace rotary::testing {

constexpr double kStep = 1e-5;

/// The gradients of a number by some tensors, dense; zero where there is none.
inline std::vector<Tensor> gradients_of(const Tensor& loss, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> out = torch::autograd::grad({loss}, inputs, {}, false, false, true);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i].defined()) out[i] = torch::zeros_like(inputs[i]);
    if (out[i].is_sparse()) out[i] = out[i].to_dense();
  }
  return out;
}

/// The largest difference between gradient and central difference, over at most `most` elements of every input,
/// relative to 1 + the largest gradient. The difference of a smooth function is off by kStep^2 and 2^-53 / kStep, each
/// about 1e-10 of the function's size.
inline double gradient_error(const std::function<Tensor()>& loss, const std::vector<Tensor>& inputs,
                             std::int64_t most = 24) {
  const std::vector<Tensor> gradients = gradients_of(loss(), inputs);
  const torch::NoGradGuard no_grad;
  double worst = 0, size = 1;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    size = std::max(size, largest(gradients[i]));
    double* x = inputs[i].data_ptr<double>();
    const std::int64_t n = inputs[i].numel(), stride = std::max<std::int64_t>(1, (n + most - 1) / most | 1);
    for (std::int64_t j = 0; j < n; j += stride) {
      const double before = x[j];
      x[j] = before + kStep;
      const double above = loss().item<double>();
      x[j] = before - kStep;
      const double below = loss().item<double>();
      x[j] = before;
      const double error = std::abs((above - below) / (2 * kStep) - gradients[i].contiguous().data_ptr<double>()[j]);
      if (!(error <= worst)) worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    }
  }
  return worst / size;
}

/// Weights that make a number of a tensor, the same for the same shape.
inline Tensor weigh(const Tensor& x) {
  const Tensor n = torch::arange(x.numel(), torch::TensorOptions(torch::kFloat64)).reshape(x.sizes());
  return (x * torch::cos(1.3 * n).to(x.scalar_type())).sum();
}

}  // namespace rotary::testing
