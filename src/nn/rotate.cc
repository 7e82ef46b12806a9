#include "nn/rotate.h"

#include <torch/autograd.h>
#include <torch/custom_class.h>

#include <utility>

#include "nn/views.h"

namespace rotary::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// What backward needs, held by the graph.
struct Turn final : torch::CustomClassHolder {
  Turn(Rotary r, std::int64_t h, std::int64_t f, std::int64_t n)
      : rotary(std::move(r)), heads(h), first(f), num_turned(n) {}

  Rotary rotary;
  std::int64_t heads, first;
  std::int64_t num_turned;  // 2: queries and keys, 3: values too

  // All that turns, as one tensor of num_turned * heads heads, and the rest.
  Tensor turned(const Tensor& qkv) const { return split(qkv).narrow(2, 0, num_turned * heads); }
  Tensor kept(const Tensor& qkv) const { return split(qkv).narrow(2, num_turned * heads, (3 - num_turned) * heads); }

 private:
  Tensor split(const Tensor& qkv) const { return qkv.view({qkv.size(0), qkv.size(1), 3 * heads, -1}); }
};

struct RotateFunction : torch::autograd::Function<RotateFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& qkv, const c10::intrusive_ptr<Turn>& turn) {
    apply_rotary_inplace(turn->rotary, view_of(turn->turned(qkv)), PositionRange{turn->first});
    context->mark_dirty({qkv});
    context->saved_data["turn"] = c10::IValue::make_capsule(turn);
    return qkv;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& grads) {
    const auto capsule = context->saved_data["turn"].toCapsule();
    const auto& turn = static_cast<const Turn&>(*capsule);
    const Tensor grad_out = grads[0].contiguous(), grad = torch::empty_like(grad_out);
    apply_rotary_backward(turn.rotary, const_view_of(turn.turned(grad_out)), view_of(turn.turned(grad)),
                          PositionRange{turn.first});
    turn.kept(grad).copy_(turn.kept(grad_out));
    return {grad, Tensor()};
  }
};

}  // namespace

Tensor rotate(const Tensor& qkv, const Rotary& rotary, std::int64_t heads, std::int64_t first, bool with_values) {
  return RotateFunction::apply(qkv, c10::make_intrusive<Turn>(rotary, heads, first, with_values ? 3 : 2));
}

}  // namespace rotary::nn
