#include "nn/linear.h"

#include <torch/autograd.h>

#include "matmul/matmul.h"

namespace rotary::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

ConstMatrix as_matrix(const Tensor& x) {
  const std::int64_t columns = x.size(-1);
  return {x.data_ptr<float>(), columns == 0 ? 0 : x.numel() / columns, columns, columns};
}

Matrix as_output(Tensor& x) {
  const ConstMatrix m = as_matrix(x);
  return {x.data_ptr<float>(), m.rows, m.columns, m.stride};
}

struct LinearFunction : torch::autograd::Function<LinearFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const c10::optional<Tensor>& bias, std::int64_t precision) {
    const Tensor rows = x.contiguous();
    context->save_for_backward({rows, weight});
    context->saved_data["precision"] = precision;
    const bool has_bias = bias && bias->defined();
    context->saved_data["has_bias"] = has_bias;
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape.back() = weight.size(0);
    Tensor out = torch::empty(shape, x.options());
    const float* added = has_bias ? bias->data_ptr<float>() : nullptr;
    multiply(as_matrix(rows), as_matrix(weight).transposed(), as_output(out),
             {static_cast<MatmulPrecision>(precision), false, added});
    return out;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& grads) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1], grad = grads[0].contiguous();
    const MultiplyOptions options{static_cast<MatmulPrecision>(context->saved_data["precision"].toInt())};
    Tensor grad_x, grad_weight, grad_bias;
    if (context->needs_input_grad(0)) {
      grad_x = torch::empty_like(x);
      multiply(as_matrix(grad), as_matrix(weight), as_output(grad_x), options);
    }
    if (context->needs_input_grad(1)) {
      grad_weight = torch::empty_like(weight);
      multiply(as_matrix(grad).transposed(), as_matrix(x), as_output(grad_weight), options);
    }
    if (context->saved_data["has_bias"].toBool() && context->needs_input_grad(2))
      grad_bias = grad.reshape({-1, grad.size(-1)}).sum(0);
    return {grad_x, grad_weight, grad_bias, Tensor()};
  }
};

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const Pass& pass) {
  if (x.scalar_type() != torch::kFloat32) return torch::linear(x, weight, bias);
  return LinearFunction::apply(x, weight, c10::optional<Tensor>(bias), static_cast<std::int64_t>(pass.precision));
}

}  // namespace rotary::nn
