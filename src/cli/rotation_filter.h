// --component and --layer: which rotations of a configuration a verb is about.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "rotary/formats/model_config.h"

namespace rotary::cli {

struct RotationFilter {
  std::string component;
  const CLI::Option* component_option = nullptr;  ///< "" is a component too
  int layer = -1;

  bool has_component() const { return component_option != nullptr && component_option->count() > 0; }

  void add_to(CLI::App& app);

  /// Leaves the wanted rotations. Throws std::runtime_error that lists what there is if none of some is left.
  void apply(ModelConfig& config, const std::string& path) const;
};

}  // namespace rotary::cli
