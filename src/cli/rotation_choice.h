// Which of a model's rotations is meant, and what to call it.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "rotary/formats/model_config.h"

namespace rotary::cli {

/// --component and --layer.
struct RotationFilter {
  std::string component;
  bool has_component = false;
  int layer = -1;

  /// The filter must outlive the parsing.
  void add_to(CLI::App& app);
  bool admits(const ModelRotation& rotation) const;
};

/// Which components and layers there are, for when the filter left none of them; `path` stands for the file.
std::string nothing_left(const RotationFilter& filter, const ModelConfig& config, const std::string& path);

/// Leaves what the filter admits. Throws std::runtime_error if some was there and none is left.
void keep_admitted(const RotationFilter& filter, ModelConfig& config, const std::string& path);

/// The first that the filter admits and that turns something. Throws std::runtime_error with the reason if none does.
const ModelRotation& choose_rotation(const ModelConfig& config, const RotationFilter& filter, const std::string& path);

/// "model", "vision_config", "model sliding_attention".
std::string rotation_name(const ModelRotation& rotation);

/// Whether all that the model turns is turned alike.
bool turns_alike(const ModelConfig& config);

/// The model's name, with what tells the rotation from the others unless all turn alike: "gemma-3, full_attention".
std::string full_name(const std::string& model, const ModelConfig& config, const ModelRotation& rotation);

/// "all layers", "layer 5", "layers 0-31".
std::string layers_text(const ModelRotation& rotation);

/// What a person would call the model: the name of the file, or of the folder of a config.json.
std::string model_name(const std::string& path);

}  // namespace rotary::cli
