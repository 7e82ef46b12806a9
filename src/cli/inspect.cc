// rotary inspect: the rotation of every component and layer of a configuration.
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/inspect_json.h"
#include "cli/inspect_text.h"
#include "cli/options.h"
#include "cli/rotation_choice.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string path;
  CommonOptions common;
  RotationFilter filter;
  bool json = false;
};

void run(const Request& request) {
  const ReadOptions options = request.common.to_read_options();
  ModelConfig config = read_model_config(request.path, options);
  keep_admitted(request.filter, config, request.path);
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
  request->filter.add_to(*inspect);
  inspect->add_flag("--json", request->json, "machine-readable");
  inspect->footer(
      "Examples:\n  rotary inspect config.json\n  rotary inspect config.json --seq-len 32768 --layer 3 --json");
  inspect->callback([request] { run(*request); });
}

}  // namespace rotary::cli
