#include "nn/row_functions.h"

#include <torch/autograd.h>
#include <torch/nn/functional.h>

#include <cmath>

#include "nn/row_kernels.h"

namespace rotary::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

bool is_fast(const Tensor& x) { return x.scalar_type() == torch::kFloat32; }

// The mask of the pass's next dropout site, as two numbers that a context can save.
struct Site {
  std::int64_t key = 0;
  double p = 0;

  Site(double probability, const Pass& pass) : p(pass.training ? probability : 0) {
    if (p > 0) key = static_cast<std::int64_t>(mix_seed(pass.seed, pass.dropout_sites++) & 0xffffffffU);
  }
  Site(const AutogradContext& context)
      : key(context.saved_data.at("key").toInt()), p(context.saved_data.at("p").toDouble()) {}

  void save(AutogradContext& context) const {
    context.saved_data["key"] = key;
    context.saved_data["p"] = p;
  }
  DropoutMask mask() const {
    return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(std::ldexp(p, 32)),
            static_cast<float>(1 / (1 - p))};
  }
  // The mask as a tensor of factors.
  Tensor factors(const Tensor& like) const {
    Tensor out = torch::ones(like.sizes(), torch::kFloat32);
    row_kernels().dropout(out.data_ptr<float>(), mask(), 0, out.data_ptr<float>(), out.numel());
    return out.to(like.scalar_type());
  }
};

struct DropoutFunction : torch::autograd::Function<DropoutFunction> {
  static Tensor run(const Tensor& x, const Site& site) {
    const Tensor rows = x.contiguous();
    Tensor out = torch::empty_like(rows);
    row_kernels().dropout(rows.data_ptr<float>(), site.mask(), 0, out.data_ptr<float>(), rows.numel());
    return out;
  }
  static Tensor forward(AutogradContext* context, const Tensor& x, const Site& site) {
    site.save(*context);
    return run(x, site);
  }
  static tensor_list backward(AutogradContext* context, const tensor_list& grads) {
    return {run(grads[0], Site(*context)), Tensor()};
  }
};

struct GeluFunction : torch::autograd::Function<GeluFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& x) {
    const Tensor rows = x.contiguous();
    context->save_for_backward({rows});
    Tensor out = torch::empty_like(rows);
    row_kernels().gelu(rows.data_ptr<float>(), out.data_ptr<float>(), rows.numel());
    return out;
  }
  static tensor_list backward(AutogradContext* context, const tensor_list& grads) {
    const Tensor x = context->get_saved_variables()[0], grad = grads[0].contiguous();
    Tensor grad_x = torch::empty_like(x);
    row_kernels().gelu_gradient(x.data_ptr<float>(), grad.data_ptr<float>(), grad_x.data_ptr<float>(), x.numel());
    return {grad_x};
  }
};

struct ResidualNormFunction : torch::autograd::Function<ResidualNormFunction> {
  static tensor_list forward(AutogradContext* context, const Tensor& x_in, const c10::optional<Tensor>& update_in,
                             const Tensor& weight, const Tensor& bias, double epsilon, const Site& site) {
    const Tensor x = x_in.contiguous();
    const Tensor update = update_in && update_in->defined() ? update_in->contiguous() : Tensor();
    const std::int64_t n = x.size(-1), rows = n == 0 ? 0 : x.numel() / n;
    Tensor sum = torch::empty_like(x), out = torch::empty_like(x);
    Tensor statistics = torch::empty({rows, 2}, x.options());
    for (std::int64_t r = 0; r < rows; ++r)
      row_kernels().residual_norm(
          x.data_ptr<float>() + r * n, update.defined() ? update.data_ptr<float>() + r * n : nullptr, site.mask(),
          static_cast<std::uint32_t>(r * n), weight.data_ptr<float>(), bias.data_ptr<float>(), epsilon,
          sum.data_ptr<float>() + r * n, out.data_ptr<float>() + r * n, statistics.data_ptr<float>() + 2 * r, n);
    context->save_for_backward({sum, statistics, weight});
    context->saved_data["has_update"] = update.defined();
    site.save(*context);
    return {sum, out};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& grads) {
    const auto saved = context->get_saved_variables();
    const Tensor &sum = saved[0], &statistics = saved[1], &weight = saved[2];
    const Tensor grad = grads[1].defined() ? grads[1].contiguous() : torch::zeros_like(sum);
    const bool has_update = context->saved_data["has_update"].toBool();
    const Site site(*context);
    Tensor grad_x = torch::empty_like(sum), grad_weight = torch::zeros_like(weight),
           grad_bias = torch::zeros_like(weight);
    Tensor grad_update = has_update ? torch::empty_like(sum) : Tensor();
    const std::int64_t n = sum.size(-1), rows = n == 0 ? 0 : sum.numel() / n;
    for (std::int64_t r = 0; r < rows; ++r)
      row_kernels().residual_norm_gradient(sum.data_ptr<float>() + r * n, statistics.data_ptr<float>() + 2 * r,
                                           weight.data_ptr<float>(), grad.data_ptr<float>() + r * n, site.mask(),
                                           static_cast<std::uint32_t>(r * n), grad_x.data_ptr<float>() + r * n,
                                           has_update ? grad_update.data_ptr<float>() + r * n : nullptr,
                                           grad_weight.data_ptr<float>(), grad_bias.data_ptr<float>(), n);
    if (grads[0].defined()) {  // the sum is used too: pre-norm
      grad_x += grads[0];
      if (has_update) grad_update += site.p > 0 ? DropoutFunction::run(grads[0], site) : grads[0];
    }
    return {grad_x, grad_update, grad_weight, grad_bias, Tensor(), Tensor()};
  }
};

}  // namespace

Tensor dropout(const Tensor& x, double p, const Pass& pass) {
  const Site site(p, pass);
  if (site.p == 0) return x;
  return is_fast(x) ? DropoutFunction::apply(x, site) : x * site.factors(x);
}

Tensor gelu(const Tensor& x) { return is_fast(x) ? GeluFunction::apply(x) : torch::gelu(x); }

NormOutput residual_norm(const Tensor& x, const Tensor& update, const Tensor& weight, const Tensor& bias,
                         double epsilon, double p, const Pass& pass) {
  const Site site(p, pass);
  if (is_fast(x)) {
    const tensor_list out = ResidualNormFunction::apply(x, c10::optional<Tensor>(update), weight, bias, epsilon, site);
    return {out[0], out[1]};
  }
  const Tensor sum = update.defined() ? x + (site.p > 0 ? update * site.factors(update) : update) : x;
  return {sum, torch::layer_norm(sum, {sum.size(-1)}, weight, bias, epsilon)};
}

}  // namespace rotary::nn
