// rotary diff: two configurations, component by component: the same rotation or not, how far apart, and why.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/config_difference.h"
#include "cli/inspect_text.h"
#include "cli/options.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string first, second;
  CommonOptions common;
  double position = 131071;
  bool json = false;
};

std::string text(const RotationDifference& r, double position) {
  std::string out = r.first.empty() ? r.second : r.first;
  if (!r.first.empty() && !r.second.empty() && r.second != r.first) out += " / " + r.second;
  if (!r.layers.empty()) out += std::string(", layer") + (r.layers.size() == 1 ? " " : "s ") + ranges(r.layers);
  const MapDifference& d = r.difference;
  if (d.same) return out + ": same rotation\n";
  out += ": differ: " + d.cause;
  if (d.max_angle > 0 || d.factor_ratio != 1) {
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, "; up to %.6g rad apart at position %.17g (pair %d), factor ratio %.9g",
                  d.max_angle, position, d.pair, d.factor_ratio);
    out += numbers;
  }
  return out + "\n";
}

int run(const Request& request) {
  const ReadOptions options = request.common.to_read_options();
  const std::vector<RotationDifference> rows =
      compare_files({request.first, options}, {request.second, options}, request.position);
  const bool same =
      std::all_of(rows.begin(), rows.end(), [](const RotationDifference& r) { return r.difference.same; });
  if (request.json) {
    nlohmann::ordered_json out{
        {"same", same}, {"position", request.position}, {"rotations", nlohmann::ordered_json::array()}};
    for (const auto& [first, second, layers, d] : rows)
      out["rotations"].push_back({{"first", first},
                                  {"second", second},
                                  {"layers", layers},
                                  {"same", d.same},
                                  {"max_angle", d.max_angle},
                                  {"pair", d.pair},
                                  {"factor_ratio", d.factor_ratio},
                                  {"cause", d.cause}});
    std::cout << out.dump() << '\n';
  } else {
    for (const RotationDifference& r : rows) std::cout << text(r, request.position);
  }
  return same ? 0 : 1;
}

}  // namespace

void add_diff(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* diff = app.add_subcommand("diff",
                                      "Two configurations: the same rotation or not, the largest difference, the "
                                      "likely cause (exit 0: same, 1: differ, 2: trouble)");
  diff->add_option("first", request->first, "config.json or folder")->required();
  diff->add_option("second", request->second, "config.json or folder")->required();
  request->common.add_to(*diff);
  diff->add_option("--position", request->position, "where the angles are compared")
      ->check(CLI::Range(0.0, 0x1p40).description("0 to 2^40"))
      ->capture_default_str();
  diff->add_flag("--json", request->json, "machine-readable");
  diff->footer(
      "Examples:\n  rotary diff llama-3/config.json llama-3.1/config.json\n  rotary diff a.json b.json "
      "--position 8191 --json");
  diff->callback([request] {
    if (const int status = run(*request)) throw CLI::RuntimeError(status);
  });
}

}  // namespace rotary::cli
