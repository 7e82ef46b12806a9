// Keys that lie in a cache: translation only.
#include "c_api/guard.h"
#include "c_api/handle.h"
#include "c_api/structs.h"
#include "c_api/translate.h"

using namespace rotary::c_api;

rotary_status rotary_shift_keys(const rotary_rotation* rotation, const rotary_tensor* keys, int64_t delta,
                                const rotary_options* options) {
  return guard([&] {
    constexpr std::string_view kName = "rotary_shift_keys";
    const rotary::Rotary& rotary = to_handle(rotation, kName, "rotation").rotary;
    const CallOptions call(options, kName);
    rotary::shift_keys_inplace(rotary, to_view(keys, kName, "keys"), delta, call.get());
    call.finish();
  });
}

rotary_status rotary_shift_keys_each(const rotary_rotation* rotation, const rotary_tensor* keys,
                                     const rotary_positions* deltas, const rotary_options* options) {
  return guard([&] {
    constexpr std::string_view kName = "rotary_shift_keys_each";
    const rotary::Rotary& rotary = to_handle(rotation, kName, "rotation").rotary;
    const rotary::Positions given = to_positions(deltas, kName, "deltas");
    const auto* ids = std::get_if<rotary::PositionIds>(&given);
    if (ids == nullptr) rotary::detail::require(false, kName, "deltas.kind must be ROTARY_POSITIONS_IDS", deltas->kind);
    const CallOptions call(options, kName);
    rotary::shift_keys_inplace(rotary, to_view(keys, kName, "keys"), *ids, call.get());
    call.finish();
  });
}

rotary_status rotary_move_keys(const rotary_rotation* from, const rotary_positions* p, const rotary_rotation* to,
                               const rotary_positions* q, const rotary_tensor* keys, const rotary_options* options) {
  return guard([&] {
    constexpr std::string_view kName = "rotary_move_keys";
    const rotary::Rotary& old_rotary = to_handle(from, kName, "from").rotary;
    const rotary::Rotary& new_rotary = to_handle(to, kName, "to").rotary;
    const CallOptions call(options, kName);
    rotary::move_keys_inplace(old_rotary, to_positions(p, kName, "p"), new_rotary, to_positions(q, kName, "q"),
                              to_view(keys, kName, "keys"), call.get());
    call.finish();
  });
}
