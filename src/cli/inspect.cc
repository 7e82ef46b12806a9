// rotary inspect: the rotation of every component and layer of a configuration.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/inspect_json.h"
#include "cli/inspect_text.h"
#include "cli/options.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string path;
  CommonOptions common;
  std::string component;
  int layer = -1;
  bool has_component = false, json = false;
};

bool wanted(const ModelRotation& r, const Request& request) {
  if (request.has_component && r.component != request.component) return false;
  if (request.layer < 0 || r.all_layers) return true;
  return std::find(r.layers.begin(), r.layers.end(), request.layer) != r.layers.end();
}

// Which components and layers there are, when the filter left none of them.
std::string nothing_left(const Request& request, const ModelConfig& config) {
  std::string components;
  std::vector<int> layers;
  for (const ModelRotation& r : config.rotations) {
    const std::string name = "'" + r.component + "'";
    if (components.find(name) == std::string::npos) components += (components.empty() ? "" : ", ") + name;
    if (!request.has_component || r.component == request.component)
      layers.insert(layers.end(), r.layers.begin(), r.layers.end());
  }
  if (layers.empty())
    return request.path + ": --component must be one of " + components + ", got '" + request.component + "'";
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  return request.path + ": --layer must be one of " + ranges(layers) + ", got " + std::to_string(request.layer);
}

void run(const Request& request) {
  const ReadOptions options = request.common.to_read_options();
  ModelConfig config = read_model_config(request.path, options);
  std::vector<ModelRotation> kept;
  std::copy_if(config.rotations.begin(), config.rotations.end(), std::back_inserter(kept),
               [&](const ModelRotation& r) { return wanted(r, request); });
  if (kept.empty() && !config.rotations.empty()) throw std::runtime_error(nothing_left(request, config));
  config.rotations = std::move(kept);
  if (request.json)
    std::cout << to_json(config, options) << '\n';
  else
    std::cout << to_text(config, options);
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* inspect = app.add_subcommand(
      "inspect", "What a model rotates: channels, frequencies, factors, layers, and where each value came from");
  inspect->add_option("path", request->path, "config.json or another file that describes a model, or its folder")
      ->required();
  request->common.add_to(*inspect);
  CLI::Option* component = inspect->add_option("--component", request->component,
                                               "only this sub-configuration (dotted path; \"\" is the file itself)");
  inspect->add_option("--layer", request->layer, "only this layer (from 0)")->check(CLI::Range(0, 1 << 24));
  inspect->add_flag("--json", request->json, "machine-readable");
  inspect->footer(
      "Examples:\n  rotary inspect config.json\n  rotary inspect config.json --seq-len 32768 --layer 3 --json");
  inspect->callback([request, component] {
    request->has_component = component->count() > 0;
    run(*request);
  });
}

}  // namespace rotary::cli
