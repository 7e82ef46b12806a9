#include "rotary/apply.h"

#include <array>
#include <vector>

#include "core/apply_checks.h"
#include "core/one_token.h"
#include "core/require.h"
#include "core/rotation_pass.h"
#include "core/tensor_layout.h"

namespace rotary {
namespace {

using detail::PassTensor;
using detail::TurnRows;

struct Operation {
  std::string_view name;
  TurnRows::Direction direction;
  detail::TensorNames tensors{};
};

void run(const Rotary::State& state, std::span<const PassTensor> tensors, const Positions& positions,
         const ApplyOptions& options, const Operation& operation) {
  detail::validate_options(options, operation.name);
  if (tensors.empty()) return;
  const bool forward = operation.direction == TurnRows::Direction::kForward;
  if (forward && detail::rotate_one_token(state, tensors, positions, options)) return;
  const ConstTensorView& x = tensors.front().x;
  const auto checked = detail::validate_positions(state, x.shape[0], x.shape[1], positions, options, operation.name);
  const TurnRows rows(state, operation.direction);
  detail::run_pass(
      {forward ? &state.forward : &state.backward, &state.halves, &rows, &checked, tensors, x.shape[0], x.shape[1]},
      options);
}

void run_one(const Rotary::State& state, const ConstTensorView& x, const TensorView& out, const Positions& positions,
             const ApplyOptions& options, const Operation& operation) {
  const PassTensor tensor = detail::validate_tensors(state, x, out, operation.name, operation.tensors);
  run(state, {&tensor, 1}, positions, options, operation);
}

}  // namespace

void apply_rotary(const Rotary& rotary, const ConstTensorView& x, const TensorView& out, const Positions& positions,
                  const ApplyOptions& options) {
  run_one(rotary.state(), x, out, positions, options, {"apply_rotary", TurnRows::Direction::kForward});
}

void apply_rotary_inplace(const Rotary& rotary, const TensorView& x, const Positions& positions,
                          const ApplyOptions& options) {
  run_one(rotary.state(), as_const(x), x, positions, options, {"apply_rotary_inplace", TurnRows::Direction::kForward});
}

void apply_rotary_inplace(const Rotary& rotary, std::span<const TensorView> tensors, const Positions& positions,
                          const ApplyOptions& options) {
  constexpr Operation kOperation{"apply_rotary_inplace", TurnRows::Direction::kForward};
  constexpr std::size_t kFew = 4;
  std::array<PassTensor, kFew> few;
  std::vector<PassTensor> many(tensors.size() > kFew ? tensors.size() : 0);
  const std::span<PassTensor> checked(many.empty() ? few.data() : many.data(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i)
    checked[i] = detail::validate_tensors(rotary.state(), as_const(tensors[i]), tensors[i], kOperation.name);
  detail::validate_together(checked, kOperation.name);
  run(rotary.state(), checked, positions, options, kOperation);
}

void unrotate(const Rotary& rotary, const ConstTensorView& x, const TensorView& out, const Positions& positions,
              const ApplyOptions& options) {
  run_one(rotary.state(), x, out, positions, options, {"unrotate", TurnRows::Direction::kInverse});
}

void unrotate_inplace(const Rotary& rotary, const TensorView& x, const Positions& positions,
                      const ApplyOptions& options) {
  run_one(rotary.state(), as_const(x), x, positions, options, {"unrotate_inplace", TurnRows::Direction::kInverse});
}

void apply_rotary_backward(const Rotary& rotary, const ConstTensorView& grad_out, const TensorView& grad_x,
                           const Positions& positions, const ApplyOptions& options) {
  run_one(rotary.state(), grad_out, grad_x, positions, options,
          {"apply_rotary_backward", TurnRows::Direction::kTranspose, {"grad_out", "grad_x"}});
}

}  // namespace rotary
