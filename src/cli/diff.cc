// rotary diff: two configurations, component by component: the same rotation or not, how far apart, and why.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
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

std::string name_of(const ModelRotation& r) {
  std::string out = r.component.empty() ? "model" : r.component;
  if (!r.part.empty()) out += " " + r.part;
  if (!r.layer_type.empty()) out += " " + r.layer_type;
  return out;
}

// What two rotations share: layers of the same part of the same component.
struct Match {
  const ModelRotation* first = nullptr;
  const ModelRotation* second = nullptr;  // none: no counterpart
  std::vector<int> layers;                // empty: all
};

bool has_component(const ModelConfig& config, const std::string& component) {
  return std::any_of(config.rotations.begin(), config.rotations.end(),
                     [&](const ModelRotation& r) { return r.component == component; });
}

// The component of `second` that stands against `component` of `first`: the one of that name, else, in the order of
// the file, one that `first` has none for ("" of a language model, "text_config" of a composite).
std::string counterpart(const std::string& component, const ModelConfig& first, const ModelConfig& second) {
  if (has_component(second, component)) return component;
  std::vector<std::string> mine, others;
  const auto collect = [](const ModelConfig& config, const ModelConfig& other, std::vector<std::string>& out) {
    for (const ModelRotation& r : config.rotations)
      if (!has_component(other, r.component) && std::find(out.begin(), out.end(), r.component) == out.end())
        out.push_back(r.component);
  };
  collect(first, second, mine);
  collect(second, first, others);
  const auto index = static_cast<std::size_t>(std::find(mine.begin(), mine.end(), component) - mine.begin());
  return index < others.size() ? others[index] : component;
}

// The layers of both; none if they share none.
std::optional<std::vector<int>> shared_layers(const ModelRotation& x, const ModelRotation& y) {
  if (x.all_layers) return y.layers;
  if (y.all_layers) return x.layers;
  std::vector<int> out;
  std::set_intersection(x.layers.begin(), x.layers.end(), y.layers.begin(), y.layers.end(), std::back_inserter(out));
  return out.empty() ? std::nullopt : std::optional(out);
}

// Layer by layer, as deep as both go. `first` and `second` must outlive the result.
std::vector<Match> matches(const ModelConfig& first, const ModelConfig& second) {
  std::vector<Match> out;
  std::vector<const ModelRotation*> met;
  for (const ModelRotation& x : first.rotations) {
    const std::string component = counterpart(x.component, first, second);
    bool known = false;
    for (const ModelRotation& y : second.rotations) {
      if (y.component != component || y.part != x.part) continue;
      known = true;
      met.push_back(&y);
      if (auto layers = shared_layers(x, y)) out.push_back({&x, &y, std::move(*layers)});
    }
    if (!known) out.push_back({&x, nullptr, x.layers});
  }
  for (const ModelRotation& y : second.rotations)
    if (std::find(met.begin(), met.end(), &y) == met.end()) out.push_back({nullptr, &y, y.layers});
  return out;
}

struct Row {
  std::string first, second;  // empty: no counterpart
  std::vector<int> layers;
  MapDifference difference;
};

Row compare_two(const Match& m, double position) {
  Row row{m.first ? name_of(*m.first) : "", m.second ? name_of(*m.second) : "", m.layers, {}};
  if (!m.first || !m.second) {
    row.difference.cause = m.first ? "only in the first" : "only in the second";
    return row;
  }
  const ModelRotation &x = *m.first, &y = *m.second;
  row.difference = compare(x.rotation, y.rotation, position,
                           x.spec && y.spec ? declared_difference(*x.spec, *y.spec) : std::string());
  return row;
}

bool depends_on_length(const ModelConfig& config) {
  return std::any_of(config.rotations.begin(), config.rotations.end(),
                     [](const ModelRotation& r) { return r.spec && rotary::depends_on_length(r.spec->scaling); });
}

std::vector<Row> compare_all(const ModelConfig& first, const ModelConfig& second, double position) {
  std::vector<Row> rows;
  for (const Match& m : matches(first, second)) rows.push_back(compare_two(m, position));
  return rows;
}

std::vector<Row> compare_files(const Request& request) {
  ReadOptions options = request.common.to_read_options();
  const ModelConfig first = read_model_config(request.first, options),
                    second = read_model_config(request.second, options);
  std::vector<Row> rows = compare_all(first, second, request.position);
  if (options.seq_len == 0 && (depends_on_length(first) || depends_on_length(second))) {
    // Alike in short sequences is not alike: the same in one that reaches the position asked for.
    options.seq_len = static_cast<std::int64_t>(request.position) + 1;
    const std::vector<Row> reached = compare_all(read_model_config(request.first, options),
                                                 read_model_config(request.second, options), request.position);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].difference.same && !reached[i].difference.same) {
        rows[i] = reached[i];
        rows[i].difference.cause += ", in sequences of " + std::to_string(options.seq_len);
      }
  }
  return rows;
}

std::string text(const Row& r, double position) {
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
  const std::vector<Row> rows = compare_files(request);
  const bool same = std::all_of(rows.begin(), rows.end(), [](const Row& r) { return r.difference.same; });
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
    for (const Row& r : rows) std::cout << text(r, request.position);
  }
  return same ? 0 : 1;
}

}  // namespace

void add_diff(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* diff = app.add_subcommand("diff",
                                      "Two configurations: the same rotation or not, the largest difference, the "
                                      "likely cause (exit 0: same, 1: differ, 2: trouble)");
  diff->add_option("first", request->first, "config.json, another file that describes a model, or a folder")
      ->required();
  diff->add_option("second", request->second, "the other")->required();
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
