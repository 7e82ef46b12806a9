// Keys that lie in a cache already, in the output layout of their rotation: turned by a difference of angles.
#include <string>

#include "core/apply_checks.h"
#include "core/require.h"
#include "core/rotation_pass.h"

namespace rotary {
namespace {

using detail::PassTensor;
using detail::require;

void shift(const Rotary::State& state, const PassTensor& keys, const detail::PositionSource& delta,
           const ApplyOptions& options) {
  const detail::ShiftRows rows(state);
  detail::run_pass({&state.shift, &state.halves, &rows, &delta, {&keys, 1}, keys.x.shape[0], keys.x.shape[1]}, options);
}

bool same_outputs(const RotationMap& from, const RotationMap& to) {
  if (from.channels != to.channels || from.pairs.size() != to.pairs.size()) return false;
  for (std::size_t i = 0; i < from.pairs.size(); ++i)
    if (from.pairs[i].c != to.pairs[i].c || from.pairs[i].d != to.pairs[i].d) return false;
  return true;
}

// Shifts have no limit: a key may go anywhere.
ApplyOptions without_limit(ApplyOptions options) {
  options.limit.reset();
  return options;
}

}  // namespace

void shift_keys_inplace(const Rotary& rotary, const TensorView& keys, std::int64_t delta, const ApplyOptions& options) {
  constexpr std::string_view kName = "shift_keys_inplace";
  detail::validate_options(options, kName);
  detail::validate_knows_angles(rotary.state(), kName, "rotary");
  const PassTensor tensor = detail::validate_tensors(rotary.state(), as_const(keys), keys, kName, detail::kKeys);
  const PositionOffsets same{{&delta, 1}};  // checked as the position of one token
  detail::validate_positions(rotary.state(), 1, 1, same, without_limit(options), kName);
  const detail::ConstantPosition everywhere(static_cast<double>(delta), rotary.map().num_axes);
  shift(rotary.state(), tensor, everywhere, options);
}

void shift_keys_inplace(const Rotary& rotary, const TensorView& keys, const PositionIds& delta,
                        const ApplyOptions& options) {
  constexpr std::string_view kName = "shift_keys_inplace";
  detail::validate_options(options, kName);
  detail::validate_knows_angles(rotary.state(), kName, "rotary");
  const PassTensor tensor = detail::validate_tensors(rotary.state(), as_const(keys), keys, kName, detail::kKeys);
  const Positions positions = delta;
  const auto checked = detail::validate_positions(rotary.state(), tensor.x.shape[0], tensor.x.shape[1], positions,
                                                  without_limit(options), kName);
  shift(rotary.state(), tensor, checked, options);
}

void move_keys_inplace(const Rotary& from, const Positions& p, const Rotary& to, const Positions& q,
                       const TensorView& keys, const ApplyOptions& options) {
  constexpr std::string_view kName = "move_keys_inplace";
  detail::validate_options(options, kName);
  detail::validate_knows_angles(from.state(), kName, "from");
  detail::validate_knows_angles(to.state(), kName, "to");
  require(same_outputs(from.map(), to.map()), kName, "from and to must write the same pairs of channels",
          std::to_string(from.map().pairs.size()) + " and " + std::to_string(to.map().pairs.size()) + " pairs");
  detail::validate_tensors(from.state(), as_const(keys), keys, kName, detail::kKeys);  // as many heads as sets
  const PassTensor tensor = detail::validate_tensors(to.state(), as_const(keys), keys, kName, detail::kKeys);
  const auto before =
      detail::validate_positions(from.state(), tensor.x.shape[0], tensor.x.shape[1], p, without_limit(options), kName);
  const auto after = detail::validate_positions(to.state(), tensor.x.shape[0], tensor.x.shape[1], q, options, kName);
  const detail::JoinedPositions both(before, after);
  const detail::MoveRows rows(from.state(), to.state());
  detail::run_pass({&to.state().move, &to.state().halves, &rows, &both, {&tensor, 1}, keys.shape[0], keys.shape[1]},
                   options);
}

}  // namespace rotary
