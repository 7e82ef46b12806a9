// Applying rotations: translation only.
#include <array>
#include <vector>

#include "c_api/guard.h"
#include "c_api/handle.h"
#include "c_api/structs.h"
#include "c_api/translate.h"

namespace rotary::c_api {
namespace {

using Operation = void (*)(const Rotary&, const ConstTensorView&, const TensorView&, const Positions&,
                           const ApplyOptions&);

struct Arguments {
  const rotary_rotation* rotation;
  const rotary_tensor* in;
  const rotary_tensor* out;
  const rotary_positions* positions;
  const rotary_options* options;
};

rotary_status call(std::string_view function, Operation operation, const Arguments& a) noexcept {
  return guard([&] {
    const Rotary& rotary = to_handle(a.rotation, function, "rotation").rotary;
    const TensorView in = to_view(a.in, function, "in");
    const TensorView out = a.out == nullptr ? in : to_view(a.out, function, "out");
    const CallOptions options(a.options, function);
    operation(rotary, as_const(in), out, to_positions(a.positions, function, "positions"), options.get());
    options.finish();
  });
}

}  // namespace
}  // namespace rotary::c_api

using namespace rotary::c_api;

rotary_status rotary_apply(const rotary_rotation* rotation, const rotary_tensor* in, const rotary_tensor* out,
                           const rotary_positions* positions, const rotary_options* options) {
  return call("rotary_apply", rotary::apply_rotary, {rotation, in, out, positions, options});
}

rotary_status rotary_unrotate(const rotary_rotation* rotation, const rotary_tensor* in, const rotary_tensor* out,
                              const rotary_positions* positions, const rotary_options* options) {
  return call("rotary_unrotate", rotary::unrotate, {rotation, in, out, positions, options});
}

rotary_status rotary_backward(const rotary_rotation* rotation, const rotary_tensor* grad_out,
                              const rotary_tensor* grad_in, const rotary_positions* positions,
                              const rotary_options* options) {
  return call("rotary_backward", rotary::apply_rotary_backward, {rotation, grad_out, grad_in, positions, options});
}

rotary_status rotary_apply_many(const rotary_rotation* rotation, const rotary_tensor* const* tensors,
                                size_t num_tensors, const rotary_positions* positions, const rotary_options* options) {
  return guard([&] {
    constexpr std::string_view kName = "rotary_apply_many";
    const rotary::Rotary& rotary = to_handle(rotation, kName, "rotation").rotary;
    if (tensors == nullptr && num_tensors > 0)
      rotary::detail::require(false, kName, "tensors must not be null", "null");
    std::array<rotary::TensorView, 4> few;
    std::vector<rotary::TensorView> many(num_tensors > few.size() ? num_tensors : 0);
    const std::span<rotary::TensorView> views(many.empty() ? few.data() : many.data(), num_tensors);
    for (std::size_t i = 0; i < num_tensors; ++i) views[i] = to_view(tensors[i], kName, "tensors");
    const CallOptions call_options(options, kName);
    rotary::apply_rotary_inplace(rotary, std::span<const rotary::TensorView>(views),
                                 to_positions(positions, kName, "positions"), call_options.get());
    call_options.finish();
  });
}
