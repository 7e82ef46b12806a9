// A model's configuration -> the rotation of one of its layers.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>

#include "c_api/guard.h"
#include "c_api/handle.h"
#include "c_api/structs.h"
#include "rotary/formats/model_config.h"

namespace rotary::c_api {
namespace {

using detail::require;

struct Choice {
  const char* component = nullptr;
  const char* part = nullptr;
  std::optional<std::int32_t> layer = std::nullopt;
  bool keys = false;
  std::optional<Reference> reference = std::nullopt;
};

// The C values are 1 + the C++ ones.
std::optional<Reference> to_reference(std::int32_t value, std::string_view function) {
  static_assert(static_cast<int>(Reference::kOnnxruntimeGenai) + 1 == ROTARY_REFERENCE_ONNXRUNTIME_GENAI);
  require(value >= ROTARY_REFERENCE_OF_FORMAT && value <= ROTARY_REFERENCE_ONNXRUNTIME_GENAI, function,
          "choice.reference must be a ROTARY_REFERENCE_ value", value);
  if (value == ROTARY_REFERENCE_OF_FORMAT) return std::nullopt;
  return static_cast<Reference>(value - 1);
}

Choice to_choice(const rotary_layer_choice* choice, std::string_view function) {
  if (choice == nullptr) return {};
  rotary_layer_choice room;
  const auto& given = read_struct(choice, room, &rotary_layer_choice::layer, function, "choice");
  std::optional<std::int32_t> layer;
  if (given.layer != nullptr) layer = *given.layer;
  if (layer) require(*layer >= 0, function, "choice.layer must point to an index, 0 or more", *layer);
  return {given.component, given.part, layer, given.keys != 0, to_reference(given.reference, function)};
}

bool is_meant(const ModelRotation& r, const Choice& choice) {
  if (choice.component != nullptr && r.component != choice.component) return false;
  if (choice.part != nullptr && r.part != choice.part) return false;
  return !choice.layer || r.all_layers || std::find(r.layers.begin(), r.layers.end(), *choice.layer) != r.layers.end();
}

bool same(const ModelRotation& x, const ModelRotation& y) {
  const LayerRotation &a = x.rotation, &b = y.rotation;
  return x.head_dim == y.head_dim && x.note == y.note && a.rotates == b.rotates &&
         a.not_a_rotation == b.not_a_rotation && a.query == b.query && a.key == b.key &&
         a.rotates_values == b.rotates_values && a.rotates_output_back == b.rotates_output_back &&
         a.before_projection == b.before_projection && a.rotates_keys == b.rotates_keys && a.heads == b.heads &&
         a.query_scale == b.query_scale && a.query_scale_rule == b.query_scale_rule &&
         a.softmax_factor == b.softmax_factor && x.unknown == y.unknown && x.fails == y.fails && a.xpos == b.xpos &&
         a.axes == b.axes;
}

std::string describe(const ModelRotation& r) {
  std::string out = "component '" + r.component + "'";
  if (!r.part.empty()) out += " part '" + r.part + "'";
  if (!r.layer_type.empty()) out += " " + r.layer_type;
  if (!r.all_layers && !r.layers.empty()) out += " layer " + std::to_string(r.layers.front());
  return out;
}

const ModelRotation& choose(const ModelConfig& config, const Choice& choice, std::string_view function) {
  const ModelRotation* found = nullptr;
  bool one = true;
  std::string names;
  for (const ModelRotation& r : config.rotations) {
    if (!is_meant(r, choice)) continue;
    one &= found == nullptr || same(*found, r);
    if (found == nullptr) found = &r;
    names += (names.empty() ? "" : "; ") + describe(r);
  }
  if (found == nullptr || !one)
    require(false, function, "choice must name one rotation of the model (component, part, layer)",
            found == nullptr ? "none" : names);
  return *found;
}

RotationMap identity(int channels) {
  RotationMap map;
  map.channels = channels;
  map.pass_to.resize(static_cast<std::size_t>(channels));
  std::iota(map.pass_to.begin(), map.pass_to.end(), 0);
  return map;
}

RotationMap map_of(const ModelRotation& r, bool keys) {
  const LayerRotation& layer = r.rotation;
  if (!layer.rotates || (keys && !layer.rotates_keys)) return identity(r.head_dim);
  return keys && layer.key ? *layer.key : layer.query;
}

std::unique_ptr<rotary_rotation> make(const ModelRotation& r, const Choice& choice, const MakeOptions& options,
                                      std::string_view function) {
  const LayerRotation& layer = r.rotation;
  const std::string who = std::string(function) + ": " + describe(r) + ": ";
  if (!layer.not_a_rotation.empty()) throw_unsupported(who + layer.not_a_rotation);
  if (!r.unknown.empty() || !r.fails.empty()) throw_unsupported(who + r.unknown + r.fails);
  if (layer.xpos) throw_unsupported(who + "xPos multiplies pairs by factors that depend on the position");
  RotationMap map = map_of(r, choice.keys);
  if (options.arithmetic != Arithmetic::kGgml || map.pairs.empty())
    return std::make_unique<rotary_rotation>(
        Rotary(std::move(map), options.table_rows,
               options.arithmetic == Arithmetic::kGgml ? Arithmetic::kExact : options.arithmetic));
  // ggml's angles come from the spec, which must then say all.
  if (!r.spec || make_rotation_map(*r.spec, options.seq_len, options.arithmetic) != map)
    throw_unsupported(who + "not in ggml's arithmetic");
  return std::unique_ptr<rotary_rotation>(make_from_spec(*r.spec, options));
}

rotary_rotation* make_chosen(const ModelConfig& config, const Choice& choice, const MakeOptions& options,
                             std::string_view function) {
  const ModelRotation& r = choose(config, choice, function);
  auto made = make(r, choice, options, function);
  made->layer = r.rotation;
  made->key_differs = r.rotation.key.has_value();
  made->layer.query = {};
  made->layer.key.reset();
  made->note = r.note;
  for (const ConfigWarning& w : config.warnings) made->warnings.push_back(w.key + ": " + w.message);
  return made.release();
}

ReadOptions to_read_options(const Choice& choice, const MakeOptions& options) {
  return {choice.reference, options.arithmetic, options.seq_len};
}

void require_readable(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error) && !std::ifstream(path)) throw_not_found(path);
}

}  // namespace
}  // namespace rotary::c_api

using namespace rotary::c_api;

rotary_status rotary_rotation_from_config(const char* path, const rotary_layer_choice* choice,
                                          const rotary_rotation_options* options, rotary_rotation** rotation) {
  return guard([&] {
    constexpr std::string_view kName = "rotary_rotation_from_config";
    clear(rotation, kName);
    require(path != nullptr, kName, "path must not be null", "null");
    const Choice which = to_choice(choice, kName);
    const MakeOptions make_options = to_make_options(options, kName);
    require_readable(path);
    const auto config = rotary::read_model_config(path, to_read_options(which, make_options));
    *rotation = make_chosen(config, which, make_options, kName);
  });
}

rotary_status rotary_rotation_from_json(const char* text, size_t length, const rotary_layer_choice* choice,
                                        const rotary_rotation_options* options, rotary_rotation** rotation) {
  return guard([&] {
    constexpr std::string_view kName = "rotary_rotation_from_json";
    clear(rotation, kName);
    require(text != nullptr, kName, "text must not be null", "null");
    const Choice which = to_choice(choice, kName);
    const MakeOptions make_options = to_make_options(options, kName);
    const auto config = rotary::parse_model_config({text, length}, "json", to_read_options(which, make_options));
    *rotation = make_chosen(config, which, make_options, kName);
  });
}
