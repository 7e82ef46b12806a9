// rotary diff: two configurations, component by component: the same rotation or not, how far apart, and why.
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string first, second;
  CommonOptions common;
  double position = 131071;
  bool json = false;
};

std::string name_of(const ModelRotation& r) {
  std::string out = r.component.empty() ? "model" : r.component;
  if (!r.part.empty()) out += " " + r.part;
  if (!r.layer_type.empty()) out += " " + r.layer_type;
  return out;
}

// The rotation of `config` that plays the role of `r`: same part and layer type in the same component, or the only
// candidate left.
const ModelRotation* partner(const ModelRotation& r, const ModelConfig& config, std::size_t index) {
  for (const ModelRotation& other : config.rotations)
    if (other.component == r.component && other.part == r.part && other.layer_type == r.layer_type) return &other;
  return index < config.rotations.size() ? &config.rotations[index] : nullptr;
}

struct Row {
  std::string first, second;
  bool same = false;
  double max_angle = 0, factor_ratio = 1;
  int pair = -1;
  std::string cause;
};

Row compare_two(const ModelRotation& x, const ModelRotation* y, double position) {
  Row row{name_of(x), y ? name_of(*y) : "", false, 0, 1, -1, ""};
  if (!y) {
    row.cause = "no counterpart";
  } else if (!x.spec || !y->spec) {
    row.same = !x.spec && !y->spec && x.rotation.not_a_rotation == y->rotation.not_a_rotation;
    row.cause = row.same ? "" : "rotation present in one only";
  } else {
    const MapDifference d = compare(x.rotation.query, y->rotation.query, position);
    row = {row.first, row.second, d.same, d.max_angle, d.factor_ratio, d.pair, d.cause};
  }
  return row;
}

std::string text(const Row& r, double position) {
  if (r.same) return r.first + ": same rotation\n";
  char numbers[160] = "";
  if (r.pair >= 0)
    std::snprintf(numbers, sizeof numbers, "; up to %.6g rad apart at position %.17g (pair %d), factor ratio %.9g",
                  r.max_angle, position, r.pair, r.factor_ratio);
  return r.first + (r.second.empty() || r.second == r.first ? "" : " / " + r.second) + ": differ: " + r.cause +
         numbers + "\n";
}

int run(const Request& request) {
  const ReadOptions options = request.common.to_read_options();
  const ModelConfig first = read_model_config(request.first, options),
                    second = read_model_config(request.second, options);
  std::vector<Row> rows;
  bool same = first.rotations.size() == second.rotations.size();
  for (std::size_t i = 0; i < first.rotations.size(); ++i) {
    rows.push_back(compare_two(first.rotations[i], partner(first.rotations[i], second, i), request.position));
    same &= rows.back().same;
  }
  if (request.json) {
    nlohmann::ordered_json out{
        {"same", same}, {"position", request.position}, {"rotations", nlohmann::ordered_json::array()}};
    for (const Row& r : rows)
      out["rotations"].push_back({{"first", r.first},
                                  {"second", r.second},
                                  {"same", r.same},
                                  {"max_angle", r.max_angle},
                                  {"pair", r.pair},
                                  {"factor_ratio", r.factor_ratio},
                                  {"cause", r.cause}});
    std::cout << out.dump() << '\n';
  } else {
    for (const Row& r : rows) std::cout << text(r, request.position);
    if (first.rotations.size() < second.rotations.size())
      std::cout << request.second << " has more rotations than " << request.first << "\n";
  }
  return same ? 0 : 1;
}

}  // namespace

void add_diff(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* diff = app.add_subcommand(
      "diff",
      "Two configurations: the same rotation or not, the largest difference, the likely cause (exit 1 if they differ)");
  diff->add_option("first", request->first, "config.json or folder")->required();
  diff->add_option("second", request->second, "config.json or folder")->required();
  request->common.add_to(*diff);
  diff->add_option("--position", request->position, "where the angles are compared")->capture_default_str();
  diff->add_flag("--json", request->json, "machine-readable");
  diff->footer(
      "Examples:\n  rotary diff llama-3/config.json llama-3.1/config.json\n  rotary diff a.json b.json "
      "--position 8191 --json");
  diff->callback([request] {
    if (const int status = run(*request)) throw CLI::RuntimeError(status);
  });
}

}  // namespace rotary::cli
