#include "nn/rotate.h"

#include <torch/autograd.h>
#include <torch/custom_class.h>

#include <utility>

#include "core/require.h"
#include "nn/views.h"

namespace rotary::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// What backward needs, held by the graph.
struct Turn final : torch::CustomClassHolder {
  Turn(std::vector<Rotary> r, std::int64_t h, std::int64_t f, std::int64_t n)
      : rotaries(std::move(r)), heads(h), first(f), num_turned(n) {}

  std::vector<Rotary> rotaries;  // one for all sequences, or one for each
  std::int64_t heads, first;
  std::int64_t num_turned;  // 2: queries and keys, 3: values too

  // act(rotary, part, positions) for every part that one rotary turns: parts(x) are sequences of x.
  template <class Act>
  void for_each_part(const Act& act) const {
    const PositionRange positions{first};
    const auto count = static_cast<std::int64_t>(rotaries.size());
    for (std::int64_t i = 0; i < count; ++i)
      act(
          rotaries[static_cast<std::size_t>(i)],
          [i, count](const Tensor& x) { return count == 1 ? x : x.narrow(0, i, 1); }, positions);
  }

  // All that turns, as one tensor of num_turned * heads heads, and the rest.
  Tensor turned(const Tensor& qkv) const { return split(qkv).narrow(2, 0, num_turned * heads); }
  Tensor kept(const Tensor& qkv) const { return split(qkv).narrow(2, num_turned * heads, (3 - num_turned) * heads); }

 private:
  Tensor split(const Tensor& qkv) const { return qkv.view({qkv.size(0), qkv.size(1), 3 * heads, -1}); }
};

struct RotateFunction : torch::autograd::Function<RotateFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& qkv, const c10::intrusive_ptr<Turn>& turn) {
    const Tensor turned = turn->turned(qkv);
    turn->for_each_part([&](const Rotary& rotary, const auto& part, const PositionRange& positions) {
      apply_rotary_inplace(rotary, view_of(part(turned)), positions);
    });
    context->mark_dirty({qkv});
    context->saved_data["turn"] = c10::IValue::make_capsule(turn);
    return qkv;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& grads) {
    const auto capsule = context->saved_data["turn"].toCapsule();
    const auto& turn = static_cast<const Turn&>(*capsule);
    const Tensor grad_out = grads[0].contiguous(), grad = torch::empty_like(grad_out);
    const Tensor from = turn.turned(grad_out), to = turn.turned(grad);
    turn.for_each_part([&](const Rotary& rotary, const auto& part, const PositionRange& positions) {
      apply_rotary_backward(rotary, const_view_of(part(from)), view_of(part(to)), positions);
    });
    turn.kept(grad).copy_(turn.kept(grad_out));
    return {grad, Tensor()};
  }
};

}  // namespace

Tensor rotate(const Tensor& qkv, const std::vector<Rotary>& rotaries, std::int64_t heads, std::int64_t first,
              bool with_values) {
  const auto count = static_cast<std::int64_t>(rotaries.size());
  detail::require(count == 1 || count == qkv.size(0), "rotaries", "must be one, or one for each sequence", count);
  return RotateFunction::apply(qkv, c10::make_intrusive<Turn>(rotaries, heads, first, with_values ? 3 : 2));
}

}  // namespace rotary::nn
