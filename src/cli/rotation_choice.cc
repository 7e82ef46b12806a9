#include "cli/rotation_choice.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <vector>

#include "cli/inspect_text.h"

namespace rotary::cli {
namespace {

bool turns(const ModelRotation& r) {
  return r.spec && r.rotation.rotates && r.rotation.not_a_rotation.empty() && r.unknown.empty() && r.fails.empty();
}

std::string reason(const ModelRotation& r) {
  if (!r.rotation.not_a_rotation.empty()) return "what it does is no rotation: " + r.rotation.not_a_rotation;
  if (!r.unknown.empty()) return r.unknown;
  if (!r.fails.empty()) return r.fails;
  return rotation_name(r) + ", " + layers_text(r) + ": must rotate, got no rotation";
}

}  // namespace

void RotationFilter::add_to(CLI::App& app) {
  app.add_option_function<std::string>(
      "--component",
      [this](const std::string& name) {
        component = name;
        has_component = true;
      },
      "only this sub-configuration (dotted path; \"\" is the file itself)");
  app.add_option("--layer", layer, "only this layer (from 0)")->check(CLI::Range(0, 1 << 24));
}

bool RotationFilter::admits(const ModelRotation& r) const {
  if (has_component && r.component != component) return false;
  if (layer < 0 || r.all_layers) return true;
  return std::find(r.layers.begin(), r.layers.end(), layer) != r.layers.end();
}

std::string nothing_left(const RotationFilter& filter, const ModelConfig& config, const std::string& path) {
  std::string components;
  std::vector<int> layers;
  for (const ModelRotation& r : config.rotations) {
    const std::string name = "'" + r.component + "'";
    if (components.find(name) == std::string::npos) components += (components.empty() ? "" : ", ") + name;
    if (!filter.has_component || r.component == filter.component)
      layers.insert(layers.end(), r.layers.begin(), r.layers.end());
  }
  if (layers.empty()) return path + ": --component must be one of " + components + ", got '" + filter.component + "'";
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  return path + ": --layer must be one of " + ranges(layers) + ", got " + std::to_string(filter.layer);
}

void keep_admitted(const RotationFilter& filter, ModelConfig& config, const std::string& path) {
  const auto admitted = [&](const ModelRotation& r) { return filter.admits(r); };
  if (!config.rotations.empty() && std::none_of(config.rotations.begin(), config.rotations.end(), admitted))
    throw std::runtime_error(nothing_left(filter, config, path));
  std::erase_if(config.rotations, std::not_fn(admitted));
}

const ModelRotation& choose_rotation(const ModelConfig& config, const RotationFilter& filter, const std::string& path) {
  const ModelRotation* admitted = nullptr;
  for (const ModelRotation& r : config.rotations) {
    if (!filter.admits(r)) continue;
    if (turns(r)) return r;
    if (!admitted) admitted = &r;
  }
  if (admitted) throw std::runtime_error(path + ": " + reason(*admitted));
  if (config.rotations.empty()) throw std::runtime_error(path + ": must have attention that rotates, got none");
  throw std::runtime_error(nothing_left(filter, config, path));
}

std::string rotation_name(const ModelRotation& r) {
  std::string out = r.component.empty() ? "model" : r.component;
  if (!r.part.empty()) out += " " + r.part;
  if (!r.layer_type.empty()) out += " " + r.layer_type;
  return out;
}

bool turns_alike(const ModelConfig& config) {
  const ModelRotation* first = nullptr;
  for (const ModelRotation& r : config.rotations) {
    if (!turns(r)) continue;
    if (first && r.rotation.query != first->rotation.query) return false;
    first = &r;
  }
  return true;
}

std::string full_name(const std::string& model, const ModelConfig& config, const ModelRotation& r) {
  if (turns_alike(config)) return model;
  std::string own;
  for (const std::string* word : {&r.component, &r.part, &r.layer_type})
    if (!word->empty()) own += (own.empty() ? "" : " ") + *word;
  return own.empty() ? model : model + ", " + own;
}

std::string layers_text(const ModelRotation& r) {
  if (r.all_layers) return "all layers";
  return (r.layers.size() == 1 ? "layer " : "layers ") + ranges(r.layers);
}

std::string model_name(const std::string& path) {
  std::error_code ignored;
  std::filesystem::path model = std::filesystem::weakly_canonical(path, ignored);
  if (model.empty()) model = path;
  if (model.filename() == "config.json") model = model.parent_path();
  const bool is_folder = std::filesystem::is_directory(model, ignored);
  const std::string name = (is_folder ? model.filename() : model.stem()).string();
  return name.empty() ? path : name;
}

}  // namespace rotary::cli
