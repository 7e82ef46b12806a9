#include "rotary/formats/model_compare.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "formats/config_comparison.h"

namespace rotary {
namespace {

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

// The layers that none of the counterparts has (empty: all layers); none if they have them all.
std::optional<std::vector<int>> other_layers(const ModelRotation& r,
                                             const std::vector<const ModelRotation*>& counterparts) {
  if (counterparts.empty()) return r.layers;
  std::vector<int> out = r.layers;
  for (const ModelRotation* other : counterparts)
    std::erase_if(out, [&](int layer) {
      return other->all_layers || std::binary_search(other->layers.begin(), other->layers.end(), layer);
    });
  return out.empty() ? std::nullopt : std::optional(out);
}

// Layer by layer, then what only one of them has. `first` and `second` must outlive the result.
std::vector<Match> matches(const ModelConfig& first, const ModelConfig& second) {
  std::vector<Match> out;
  std::map<const ModelRotation*, std::vector<const ModelRotation*>> counterparts;
  for (const ModelRotation& x : first.rotations) {
    const std::string component = counterpart(x.component, first, second);
    for (const ModelRotation& y : second.rotations) {
      if (y.component != component || y.part != x.part) continue;
      counterparts[&x].push_back(&y);
      counterparts[&y].push_back(&x);
      if (auto layers = detail::shared_layers(x, y)) out.push_back({&x, &y, std::move(*layers)});
    }
    if (auto layers = other_layers(x, counterparts[&x])) out.push_back({&x, nullptr, std::move(*layers)});
  }
  for (const ModelRotation& y : second.rotations)
    if (auto layers = other_layers(y, counterparts[&y])) out.push_back({nullptr, &y, std::move(*layers)});
  return out;
}

// Why a rotation cannot be compared; "" if it can.
std::string no_answer(const ModelRotation& r) { return r.fails.empty() ? r.unknown : r.fails; }

// Whether the rows of q and k in one file are those of the other in another order, so that pairings are not one thing:
// publishers' own checkpoints pair neighbours where Hugging Face's pair halves, and so do GGUF files of some families,
// which say so.
bool has_permuted_rows(const ModelConfig& config, const ModelRotation& r) {
  if (config.files.empty()) return false;
  const std::string& format = config.files[0].format;
  if (format == "GGUF")
    return r.note.find("permuted") != std::string::npos && r.note.find("not permuted") == r.note.npos;
  return format.starts_with("params.json");
}

RotationDifference compare_two(const Match& m, const ModelConfig& first, const ModelConfig& second, double position) {
  RotationDifference out{m.first ? name_of(*m.first) : "", m.second ? name_of(*m.second) : "", m.layers, {}, ""};
  if (!m.first || !m.second) {
    out.difference.cause = m.first ? "only in the first" : "only in the second";
    return out;
  }
  const ModelRotation &x = *m.first, &y = *m.second;
  if (const std::string why = no_answer(x).empty() ? no_answer(y) : no_answer(x); !why.empty())
    out.difference.cause = out.no_answer = why;
  else
    out.difference = compare(x.rotation, y.rotation, position,
                             x.spec && y.spec ? declared_difference(*x.spec, *y.spec) : std::string());
  if (out.difference.cause == "pairing" && has_permuted_rows(first, x) != has_permuted_rows(second, y)) {
    out.difference.cause = detail::difference_on_permuted_rows(x, y);
    out.difference.same = out.difference.cause.empty();
    if (out.difference.same) out.difference.cause = "on permuted rows";
  }
  return out;
}

bool depends_on_length(const ModelConfig& config) {
  return std::any_of(config.rotations.begin(), config.rotations.end(),
                     [](const ModelRotation& r) { return r.spec && rotary::depends_on_length(r.spec->scaling); });
}

}  // namespace

std::vector<RotationDifference> compare(const ModelConfig& first, const ModelConfig& second, double position) {
  std::vector<RotationDifference> out;
  for (const Match& m : matches(first, second)) out.push_back(compare_two(m, first, second, position));
  return out;
}

std::vector<RotationDifference> compare_models(const std::string& first, const ReadOptions& first_options,
                                               const std::string& second, const ReadOptions& second_options,
                                               double position) {
  const ModelConfig x = read_model_config(first, first_options), y = read_model_config(second, second_options);
  std::vector<RotationDifference> out = compare(x, y, position);
  if (first_options.seq_len != 0 || second_options.seq_len != 0) return out;
  if (!depends_on_length(x) && !depends_on_length(y)) return out;
  // Alike in short sequences is not alike: the same in one that reaches the position asked for.
  ReadOptions reaching_x = first_options, reaching_y = second_options;
  reaching_x.seq_len = reaching_y.seq_len = static_cast<std::int64_t>(position) + 1;
  const std::vector<RotationDifference> reached =
      compare(read_model_config(first, reaching_x), read_model_config(second, reaching_y), position);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].difference.same && !reached[i].difference.same) {
      out[i] = reached[i];
      out[i].difference.cause += ", in sequences of " + std::to_string(reaching_x.seq_len);
    }
  return out;
}

std::vector<ReferenceAnswer> compare_references(const std::string& path, const ReadOptions& options, double position) {
  const ModelConfig own = read_model_config(path, options);
  std::vector<Reference> order{own.reference};
  for (Reference r : all_references())
    if (r != own.reference) order.push_back(r);
  std::vector<ReferenceAnswer> out;
  for (Reference r : order) {
    ReadOptions other = options;
    other.reference = r;
    ReferenceAnswer answer{r, "", {}, {}};
    try {
      answer.differences = compare_models(path, options, path, other, position);
      answer.warnings = read_model_config(path, other).warnings;
    } catch (const std::runtime_error& error) {
      answer.error = error.what();
      // Of other files than config.json no engine's reading is known.
      if (answer.error.find("--as must be") != std::string::npos) continue;
    }
    out.push_back(std::move(answer));
  }
  return out;
}

}  // namespace rotary
