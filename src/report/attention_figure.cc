#include "report/attention_figure.h"

#include <algorithm>
#include <cmath>

#include "core/require.h"
#include "report/number_text.h"

namespace rotary::report {
namespace {

constexpr std::size_t kMostTooltips = 20000;
constexpr double kScreen = 1400;
constexpr double kGap = 26;

// A token of blanks alone would be an empty label.
std::string visible(const std::string& token) {
  std::string out;
  for (const char c : token) out += c == '\n' ? "↵" : c == '\t' ? "⇥" : c == '\r' ? "␍" : std::string(1, c);
  if (out.find_first_not_of(' ') == out.npos) out = out.empty() ? "∅" : std::string("␣");
  return out;
}

std::string tooltip(const std::string& query, const std::string& key, double weight) {
  return query + " → " + key + ": " + short_number(weight);
}

float largest(std::span<const float> weights) {
  float out = 0;
  for (const float w : weights)
    if (std::isfinite(w)) out = std::max(out, w);
  return out > 0 ? out : 1;
}

void validate(std::size_t num_tokens, std::size_t num_weights, int num_heads, const AttentionOptions& options) {
  using detail::require;
  constexpr const char* kFunction = "attention_figure";
  require(num_heads >= 1, kFunction, "num_heads must be at least 1", num_heads);
  const std::size_t heads = static_cast<std::size_t>(num_heads);
  const std::size_t want = heads * num_tokens * num_tokens;
  require(num_weights == want, kFunction, "weights must have " + std::to_string(want) + " values", num_weights);
  const std::size_t names = options.head_names.size();
  require(names == 0 || names == heads, kFunction,
          "head_names must be empty or have " + std::to_string(heads) + " names", names);
  require(options.columns >= 0, kFunction, "columns must not be negative", options.columns);
}

// As many as fit a screen, at most four; fewer if that leaves no gap in the last row.
int fitting_columns(Size panel, int num_heads) {
  const int most = std::clamp(static_cast<int>(kScreen / (panel.width + kGap)), 1, std::min(4, num_heads));
  for (int columns = most; columns >= 2; --columns)
    if (num_heads % columns == 0) return columns;
  return most;
}

HeatMap head_map(const std::vector<std::string>& labels, std::span<const float> weights, bool with_tooltips) {
  HeatMap map;
  const std::size_t n = labels.size();
  map.rows = map.columns = static_cast<int>(n);
  map.values.assign(weights.begin(), weights.end());
  map.row_labels = map.column_labels = labels;
  for (std::size_t i = 0; with_tooltips && i < map.values.size(); ++i)
    map.tooltips.push_back(tooltip(labels[i / n], labels[i % n], map.values[i]));
  return map;
}

}  // namespace

Grid attention_figure(const std::vector<std::string>& tokens, std::span<const float> weights, int num_heads,
                      const AttentionOptions& options) {
  validate(tokens.size(), weights.size(), num_heads, options);
  std::vector<std::string> labels;
  for (const std::string& token : tokens) labels.push_back(visible(token));
  Grid grid;
  grid.title = options.title;
  const std::string label = "attention of the token on the left to the one above";
  if (options.scale == HeadScale::kShared) grid.scale = ColourScale{Palette::kSequential, 0, largest(weights), label};
  const std::size_t cells = tokens.size() * tokens.size();
  for (std::size_t h = 0; h < static_cast<std::size_t>(num_heads); ++h) {
    const std::span<const float> head = weights.subspan(h * cells, cells);
    HeatMap map = head_map(labels, head, weights.size() <= kMostTooltips);
    map.title = options.head_names.empty() ? "head " + std::to_string(h) : options.head_names[h];
    map.scale = grid.scale.value_or(ColourScale{Palette::kSequential, 0, largest(head)});
    map.show_scale = !grid.scale;
    grid.panels.push_back({std::move(map)});
  }
  grid.columns =
      options.columns > 0 ? options.columns : fitting_columns(natural_size(grid.panels[0].figure), num_heads);
  return grid;
}

}  // namespace rotary::report
