// Handles: their life, and what can be read back from them.
#include <utility>

#include "c_api/guard.h"
#include "c_api/handle.h"
#include "c_api/structs.h"

using rotary::detail::require;
using namespace rotary::c_api;

rotary_rotation::rotary_rotation(rotary::Rotary made) : rotary(std::move(made)) {
  const rotary::RotationMap& map = rotary.map();
  for (const rotary::ChannelPair& p : map.pairs) pairs.push_back({p.a, p.b, p.c, p.d});
  for (const rotary::Frequency& f : map.frequency) {
    frequency.push_back(f.hi);
    frequency_low.push_back(f.lo);
  }
  pass_to.assign(map.pass_to.begin(), map.pass_to.end());
}

namespace rotary::c_api {

MakeOptions to_make_options(const rotary_rotation_options* options, std::string_view function) {
  if (options == nullptr) return {};
  rotary_rotation_options room;
  const auto& given = read_struct(options, room, &rotary_rotation_options::struct_size, function, "options");
  require(given.arithmetic >= ROTARY_ARITHMETIC_EXACT && given.arithmetic <= ROTARY_ARITHMETIC_GGML, function,
          "options.arithmetic must be a ROTARY_ARITHMETIC_ value", given.arithmetic);
  static_assert(static_cast<int>(Arithmetic::kGgml) == ROTARY_ARITHMETIC_GGML);
  require(given.table_rows >= 0, function, "options.table_rows must not be negative", given.table_rows);
  require(given.seq_len >= 0, function, "options.seq_len must not be negative", given.seq_len);
  return {static_cast<Arithmetic>(given.arithmetic), given.table_rows, given.seq_len};
}

const rotary_rotation& to_handle(const rotary_rotation* rotation, std::string_view function, std::string_view name) {
  if (rotation == nullptr) require(false, function, std::string(name) + " must not be null", "null");
  return *rotation;
}

void clear(rotary_rotation** rotation, std::string_view function) {
  require(rotation != nullptr, function, "the place for the rotation must not be null", "null");
  *rotation = nullptr;
}

}  // namespace rotary::c_api

rotary_status rotary_rotation_retain(const rotary_rotation* rotation) {
  return guard([&] { ++to_handle(rotation, "rotary_rotation_retain", "rotation").owners; });
}

void rotary_rotation_release(const rotary_rotation* rotation) {
  if (rotation != nullptr && --rotation->owners == 0) delete rotation;
}

rotary_status rotary_rotation_get_info(const rotary_rotation* rotation, rotary_rotation_info* info) {
  return guard([&] {
    constexpr std::string_view kName = "rotary_rotation_get_info";
    const rotary_rotation& handle = to_handle(rotation, kName, "rotation");
    const rotary::RotationMap& map = handle.rotary.map();
    rotary_rotation_info out{};
    out.fingerprint = rotary::fingerprint(map);
    out.attention_factor = map.attention_factor;
    out.channels = map.channels;
    out.num_axes = map.num_axes;
    out.num_sets = map.num_sets;
    out.num_pairs = static_cast<int32_t>(map.pairs.size());
    out.rotary_dim = rotary::rotary_dim(map);
    out.arithmetic = static_cast<int32_t>(handle.rotary.arithmetic());
    out.table_rows = handle.rotary.table_rows();
    out.layout = rotary::to_string(handle.rotary.layout().layout).data();  // a literal
    write_struct(info, out, kName, "info");
  });
}

rotary_status rotary_rotation_get_map(const rotary_rotation* rotation, rotary_map* map) {
  return guard([&] {
    constexpr std::string_view kName = "rotary_rotation_get_map";
    const rotary_rotation& handle = to_handle(rotation, kName, "rotation");
    const rotary::RotationMap& from = handle.rotary.map();
    rotary_map out{};
    out.channels = from.channels;
    out.num_axes = from.num_axes;
    out.num_sets = from.num_sets;
    out.num_pairs = static_cast<int32_t>(from.pairs.size());
    out.pairs = handle.pairs.data();
    out.frequency = handle.frequency.data();
    out.attention_factor = from.attention_factor;
    out.frequency_low = handle.frequency_low.data();
    out.pass_to = handle.pass_to.data();
    write_struct(map, out, kName, "map");
  });
}

rotary_status rotary_rotation_get_layer(const rotary_rotation* rotation, rotary_layer_info* layer) {
  return guard([&] {
    constexpr std::string_view kName = "rotary_rotation_get_layer";
    const rotary_rotation& handle = to_handle(rotation, kName, "rotation");
    const rotary::LayerRotation& from = handle.layer;
    rotary_layer_info out{};
    out.rotates = from.rotates;
    out.rotates_keys = from.rotates_keys;
    out.rotates_values = from.rotates_values;
    out.rotates_output_back = from.rotates_output_back;
    out.before_projection = from.before_projection;
    out.key_differs = handle.key_differs;
    out.query_scale = from.query_scale;
    out.softmax_factor = from.softmax_factor;
    out.query_scale_rule = static_cast<int32_t>(from.query_scale_rule.kind);
    out.rule_beta = from.query_scale_rule.beta;
    out.rule_floor_scale = from.query_scale_rule.floor_scale;
    out.rule_shift = from.query_scale_rule.shift;
    out.num_heads = static_cast<int32_t>(from.heads.size());
    out.heads = from.heads.data();
    out.note = handle.note.c_str();
    write_struct(layer, out, kName, "layer");
  });
}

rotary_status rotary_rotation_get_axis(const rotary_rotation* rotation, int32_t axis, rotary_axis_info* info) {
  return guard([&] {
    constexpr std::string_view kName = "rotary_rotation_get_axis";
    const rotary_rotation& handle = to_handle(rotation, kName, "rotation");
    require(axis >= 0 && axis < handle.rotary.map().num_axes, kName, "axis must be in 0 .. num_axes-1", axis);
    static const rotary::PositionAxis kToken;
    const auto& axes = handle.layer.axes;
    const auto& from = static_cast<std::size_t>(axis) < axes.size() ? axes[static_cast<std::size_t>(axis)] : kToken;
    write_struct(info, {0, from.name.c_str(), from.offset, from.multiplier}, kName, "info");
  });
}

const char* rotary_rotation_warning(const rotary_rotation* rotation, size_t index) {
  return rotation != nullptr && index < rotation->warnings.size() ? rotation->warnings[index].c_str() : nullptr;
}
