#include "nn/attend.h"

#include <torch/autograd.h>

#include <cmath>
#include <limits>

#include "attention/attention.h"
#include "nn/views.h"

namespace rotary::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// [batch, keys]: 0 where a key is seen, -inf where it is hidden.
Tensor bias_of(const Tensor& key_mask, torch::ScalarType type) {
  if (!key_mask.defined()) return {};
  return torch::zeros(key_mask.sizes(), type).masked_fill_(~key_mask, -std::numeric_limits<float>::infinity());
}

AttentionOptions options_of(bool causal, const Tensor& bias, std::int64_t precision) {
  return {0, causal, bias.defined() ? bias.data_ptr<float>() : nullptr, static_cast<MatmulPrecision>(precision)};
}

struct Packed {
  Tensor q, k, v;
  explicit Packed(const Tensor& qkv) : q(qkv.select(2, 0)), k(qkv.select(2, 1)), v(qkv.select(2, 2)) {}
};

struct Attended {
  Tensor out, log_sum_exp;
};

Attended run(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
  const Attended made{torch::empty(q.sizes(), q.options()),
                      torch::empty({q.size(0), q.size(2), q.size(1)}, q.options())};
  attention_forward(const_view_of(q), const_view_of(k), const_view_of(v), view_of(made.out),
                    made.log_sum_exp.data_ptr<float>(), options);
  return made;
}

struct AttendFunction : torch::autograd::Function<AttendFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& qkv_in, bool causal,
                        const c10::optional<Tensor>& given_bias, std::int64_t precision) {
    const Tensor bias = given_bias.value_or(Tensor());
    const Tensor qkv = qkv_in.contiguous();
    const Packed x(qkv);
    const Attended made = run(x.q, x.k, x.v, options_of(causal, bias, precision));
    context->save_for_backward({qkv, made.out, made.log_sum_exp, bias});
    context->saved_data["causal"] = causal;
    context->saved_data["precision"] = precision;
    return made.out;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& grads) {
    const auto saved = context->get_saved_variables();
    const Tensor grad_out = grads[0].contiguous(), grad_qkv = torch::empty_like(saved[0]);
    const Packed x(saved[0]), grad(grad_qkv);
    attention_backward(
        const_view_of(x.q), const_view_of(x.k), const_view_of(x.v), const_view_of(saved[1]), saved[2].data_ptr<float>(),
        const_view_of(grad_out), {view_of(grad.q), view_of(grad.k), view_of(grad.v)},
        options_of(context->saved_data["causal"].toBool(), saved[3], context->saved_data["precision"].toInt()));
    return {grad_qkv, Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor attend(const Tensor& qkv, const Visibility& visibility, const Pass& pass) {
  if (qkv.scalar_type() == torch::kFloat32)
    return AttendFunction::apply(qkv, visibility.causal,
                                 c10::optional<Tensor>(bias_of(visibility.key_mask, torch::kFloat32)),
                                 static_cast<std::int64_t>(pass.precision));
  const Packed x(qkv);
  return torch::matmul(attention_weights(x.q, x.k, visibility), x.v.transpose(1, 2)).transpose(1, 2);
}

Tensor attend_cached(const Tensor& q, const Tensor& k, const Tensor& v, const Visibility& visibility,
                     const Pass& pass) {
  const Tensor bias = bias_of(visibility.key_mask, torch::kFloat32);
  return run(q, k, v, options_of(visibility.causal, bias, static_cast<std::int64_t>(pass.precision))).out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k, const Visibility& visibility) {
  const Tensor scores =
      torch::matmul(q.transpose(1, 2), k.transpose(1, 2).transpose(2, 3)) / std::sqrt(static_cast<double>(q.size(3)));
  Tensor hidden = torch::zeros({1, 1, q.size(1), k.size(1)}, torch::kBool);
  if (visibility.causal)
    hidden = torch::ones({q.size(1), k.size(1)}, torch::kBool).triu(k.size(1) - q.size(1) + 1).view_as(hidden);
  if (visibility.key_mask.defined()) hidden = hidden | ~visibility.key_mask.unsqueeze(1).unsqueeze(2);
  // A query that sees nothing: uniform, then zero, so that no gradient is a NaN.
  const Tensor blind = hidden.all(-1, true);
  const Tensor seen = scores.masked_fill(hidden & ~blind, -std::numeric_limits<double>::infinity());
  return torch::softmax(seen, -1).masked_fill(blind, 0);
}

}  // namespace rotary::nn
