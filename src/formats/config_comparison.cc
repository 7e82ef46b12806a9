#include "formats/config_comparison.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rotary::detail {
namespace {

bool is_vision(const ModelRotation& r) { return r.component.find("vision") != std::string::npos; }

// With the pairs as halves, whichever way the file has them.
LayerRotation in_halves(const ModelRotation& r) {
  LayerRotation out = r.rotation;
  if (!r.spec || !out.rotates) return out;
  if (r.spec->axes.rule != AxisRule::kOne) {  // towers, whose frequencies do not depend on a length
    RopeSpec s = *r.spec;
    s.pairing = s.output_pairing = Pairing::kHalf;
    out.query = make_rotation_map(s);
    return out;
  }
  const int pairs = static_cast<int>(out.query.pairs.size());
  for (int i = 0; i < pairs; ++i) {
    const int a = r.spec->rotary_offset + i, b = a + pairs;
    out.query.pairs[static_cast<std::size_t>(i)] = {a, b, a, b};
  }
  return out;
}

std::string name_of(const std::vector<int>& layers) {
  if (layers.empty()) return "all layers";
  if (layers.size() == 1) return "layer " + std::to_string(layers[0]);
  return std::to_string(layers.size()) + " layers from " + std::to_string(layers.front()) + " to " +
         std::to_string(layers.back());
}

// Alike to what float32 holds.
bool same_in_float32(const RotationMap& x, const RotationMap& y) {
  const auto close = [](double a, double b) { return std::abs(a - b) <= 0x1p-22 * std::abs(a); };
  return x.pairs == y.pairs && x.num_axes == y.num_axes && close(x.attention_factor, y.attention_factor) &&
         std::equal(x.frequency.begin(), x.frequency.end(), y.frequency.begin(), y.frequency.end(),
                    [&](const Frequency& f, const Frequency& g) { return close(f.hi, g.hi); });
}

}  // namespace

std::string difference_on_permuted_rows(const ModelRotation& a, const ModelRotation& b) {
  const bool known =
      a.unknown.empty() && b.unknown.empty() && a.rotation.not_a_rotation.empty() && b.rotation.not_a_rotation.empty();
  if (!known) return "";
  if (a.rotation.rotates != b.rotation.rotates) return "it rotates in one of them only";
  if (!a.rotation.rotates) return "";
  const std::string declared = a.spec && b.spec ? declared_difference(*a.spec, *b.spec) : "";
  LayerRotation x = in_halves(a), y = in_halves(b);
  if (same_in_float32(x.query, y.query)) y.query = x.query;
  const MapDifference found = compare(x, y, 1, declared);
  return found.same ? "" : found.cause;
}

namespace {

int count_layers(const ModelConfig& config, bool vision) {
  int last = -1;
  for (const ModelRotation& r : config.rotations)
    if (is_vision(r) == vision && !r.layers.empty()) last = std::max(last, r.layers.back());
  return last + 1;
}

}  // namespace

std::optional<std::vector<int>> shared_layers(const ModelRotation& a, const ModelRotation& b) {
  if (a.all_layers) return b.layers;
  if (b.all_layers) return a.layers;
  std::vector<int> out;
  std::set_intersection(a.layers.begin(), a.layers.end(), b.layers.begin(), b.layers.end(), std::back_inserter(out));
  return out.empty() ? std::nullopt : std::optional(out);
}

void compare_configs(ModelConfig& first, const ModelConfig& second) {
  const std::string &one = first.files.at(0).path, &other = second.files.at(0).path;
  std::vector<ConfigWarning> found;
  for (const ModelRotation& a : first.rotations)
    for (const ModelRotation& b : second.rotations) {
      if (is_vision(a) != is_vision(b) || a.part != b.part) continue;
      const auto layers = shared_layers(a, b);
      if (!layers) continue;
      if (const std::string cause = difference_on_permuted_rows(a, b); !cause.empty())
        found.push_back({other, name_of(*layers) + " rotate otherwise than " + one + " says: " + cause});
    }
  for (bool vision : {false, true}) {
    const int a = count_layers(first, vision), b = count_layers(second, vision);
    if (a > 0 && b > 0 && a != b)
      found.push_back({other, "has " + std::to_string(b) + " layers, " + one + " " + std::to_string(a)});
  }
  first.warnings.insert(first.warnings.end(), found.begin(), found.end());
}

}  // namespace rotary::detail
