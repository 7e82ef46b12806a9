#include "cli/rotation_filter.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cli/inspect_text.h"

namespace rotary::cli {
namespace {

bool wanted(const ModelRotation& r, const RotationFilter& filter) {
  if (filter.has_component() && r.component != filter.component) return false;
  if (filter.layer < 0 || r.all_layers) return true;
  return std::find(r.layers.begin(), r.layers.end(), filter.layer) != r.layers.end();
}

// Which components and layers there are, when the filter left none of them.
std::string nothing_left(const RotationFilter& filter, const ModelConfig& config, const std::string& path) {
  std::string components;
  std::vector<int> layers;
  for (const ModelRotation& r : config.rotations) {
    const std::string name = "'" + r.component + "'";
    if (components.find(name) == std::string::npos) components += (components.empty() ? "" : ", ") + name;
    if (!filter.has_component() || r.component == filter.component)
      layers.insert(layers.end(), r.layers.begin(), r.layers.end());
  }
  if (layers.empty()) return path + ": --component must be one of " + components + ", got '" + filter.component + "'";
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  return path + ": --layer must be one of " + ranges(layers) + ", got " + std::to_string(filter.layer);
}

}  // namespace

void RotationFilter::add_to(CLI::App& app) {
  component_option =
      app.add_option("--component", component, "only this sub-configuration (dotted path; \"\" is the file itself)");
  app.add_option("--layer", layer, "only this layer (from 0)")->check(CLI::Range(0, 1 << 24));
}

void RotationFilter::apply(ModelConfig& config, const std::string& path) const {
  std::vector<ModelRotation> kept;
  std::copy_if(config.rotations.begin(), config.rotations.end(), std::back_inserter(kept),
               [&](const ModelRotation& r) { return wanted(r, *this); });
  if (kept.empty() && !config.rotations.empty()) throw std::runtime_error(nothing_left(*this, config, path));
  config.rotations = std::move(kept);
}

}  // namespace rotary::cli
