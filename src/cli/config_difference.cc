#include "cli/config_difference.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "cli/rotation_choice.h"

namespace rotary::cli {
namespace {

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

RotationDifference compare_two(const Match& m, double position) {
  RotationDifference row{
      m.first ? rotation_name(*m.first) : "", m.second ? rotation_name(*m.second) : "", m.layers, {}};
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

std::vector<RotationDifference> compare_configs(const ModelConfig& first, const ModelConfig& second, double position) {
  std::vector<RotationDifference> rows;
  for (const Match& m : matches(first, second)) rows.push_back(compare_two(m, position));
  return rows;
}

}  // namespace

std::vector<RotationDifference> compare_files(const ReadAs& first, const ReadAs& second, double position) {
  const ModelConfig a = read_model_config(first.path, first.options),
                    b = read_model_config(second.path, second.options);
  std::vector<RotationDifference> rows = compare_configs(a, b, position);
  if (first.options.seq_len > 0 || (!depends_on_length(a) && !depends_on_length(b))) return rows;
  // Alike in short sequences is not alike: the same in one that reaches the position asked for.
  ReadOptions first_long = first.options, second_long = second.options;
  first_long.seq_len = second_long.seq_len = static_cast<std::int64_t>(position) + 1;
  const std::vector<RotationDifference> reached =
      compare_configs(read_model_config(first.path, first_long), read_model_config(second.path, second_long), position);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].difference.same && !reached[i].difference.same) {
      rows[i] = reached[i];
      rows[i].difference.cause += ", in sequences of " + std::to_string(first_long.seq_len);
    }
  return rows;
}

}  // namespace rotary::cli
