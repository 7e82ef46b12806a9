// The rotation that weights alone tell.
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "formats/config_view.h"
#include "formats/stored_frequencies.h"

namespace rotary::detail {
namespace {

struct Progression {
  double base = 0;
  double divisor = 1;  // of every frequency
};

std::string number(double x) {
  return show(x == std::floor(x) && std::abs(x) < 1e15 ? Json(static_cast<std::int64_t>(x)) : Json(x));
}

// f_i = base^(-i / n) / divisor, if every number is that up to its type's rounding; the base with the fewest digits.
std::optional<Progression> fit(const StoredFrequencies& stored) {
  const std::vector<double>& f = stored.values;
  if (f.size() < 4 || !std::all_of(f.begin(), f.end(), [](double x) { return x > 0; })) return std::nullopt;
  const double n = static_cast<double>(f.size()), tolerance = rounding_of(stored.dtype);
  const double base = std::pow(f.front() / f.back(), n / (n - 1));
  const auto fits = [&](double b, double divisor) {
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double want = std::pow(b, -static_cast<double>(i) / n) / divisor;
      if (!(std::abs(f[i] - want) <= tolerance * want)) return false;
    }
    return true;
  };
  // A float32 number stands for many divisors: the shortest that it rounds to.
  const auto shortest = [&](double x, auto&& holds) {
    for (int digits = 1; digits <= 15; ++digits) {
      const double place = digits - 1 - std::floor(std::log10(x));
      const double unit = std::pow(10.0, std::abs(place));  // a power of ten above 1 is exact
      const double rounded = place < 0 ? std::round(x / unit) * unit : std::round(x * unit) / unit;
      if (holds(rounded)) return std::optional(rounded);
    }
    return std::optional<double>();
  };
  const auto divisor = shortest(1 / f[0], [&](double d) { return std::abs(1 / d - f[0]) <= tolerance * f[0]; });
  if (!divisor || !std::isfinite(base) || base <= 1) return std::nullopt;
  const auto found = shortest(base, [&](double b) { return b > 1 && fits(b, *divisor); });
  return found ? std::optional(Progression{*found, *divisor}) : std::nullopt;
}

std::string note_of(const std::optional<Progression>& progression) {
  std::string out =
      "frequencies as stored; weights do not tell the pairing (half is assumed), nor how many channels of "
      "a head pass unrotated";
  if (!progression) return out + "; no geometric progression fits";
  out += "; they are the progression of base " + number(progression->base);
  if (progression->divisor > 1) out += " divided by " + number(progression->divisor) + ", as linear scaling does";
  return out;
}

ModelRotation rotation_of(const StoredFrequencies& stored, const std::string& component, const ReadOptions& options) {
  ModelRotation out;
  out.component = component;
  RopeSpec s;
  s.head_dim = s.rotary_dim = out.head_dim = 2 * static_cast<int>(stored.values.size());
  s.scaling = GivenFrequencies{1, stored.values};
  const std::optional<Progression> progression = fit(stored);
  if (progression) s.base = progression->base;
  out.rotation.query = make_rotation_map(s, options.seq_len, options.arithmetic);
  out.rotation.axes.resize(1);
  out.note = note_of(progression);
  out.sources.push_back({"frequencies", stored.tensor,
                         std::to_string(stored.values.size()) + " numbers, " + std::string(to_string(stored.dtype)) +
                             (stored.is_table ? ", from the sines and cosines of position 1" : "")});
  if (progression) out.sources.push_back({"base", stored.tensor, number(progression->base)});
  out.sources.push_back({"pairing", "pairing", "half", true});
  out.sources.push_back({"head_dim", "head_dim", std::to_string(s.head_dim), true});
  out.spec = std::move(s);
  return out;
}

void add_projections(const ModelTensors& tensors, ModelConfig& out) {
  std::set<std::string> seen;
  for (const SafetensorsFile& file : tensors.files())
    for (const StoredTensor& tensor : file.tensors())
      if (const std::string part = projection_of_tensor(tensor.name); !part.empty() && seen.insert(part).second)
        for (ModelRotation& r : out.rotations)
          r.sources.push_back({part == "q" ? "query projection" : "key projection", tensor.name, shape_text(tensor)});
}

}  // namespace

ModelConfig read_stored_frequencies(const ModelTensors& tensors, const std::string& path, const ReadOptions& options) {
  ModelConfig out;
  out.reference = Reference::kOriginal;
  out.files.push_back({path, "safetensors", "read"});
  const std::vector<StoredFrequencies> stored = stored_frequencies(tensors);
  std::set<std::string> modules;
  for (const StoredFrequencies& s : stored) modules.insert(s.module);
  std::vector<const StoredFrequencies*> groups;
  constexpr std::size_t kMaxGroups = 1024;
  for (const StoredFrequencies& s : stored) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const StoredFrequencies* g) {
      return g->module == s.module && (g->layer < 0) == (s.layer < 0) && g->values == s.values;
    });
    const auto place = static_cast<std::size_t>(same - groups.begin());
    if (same == groups.end()) {
      if (groups.size() == kMaxGroups)
        throw std::runtime_error(path + ": " + s.tensor + " must be one of at most 1024 different buffers, got more");
      groups.push_back(&s);
      out.rotations.push_back(rotation_of(s, modules.size() > 1 ? s.module : "", options));
      out.rotations.back().all_layers = s.layer < 0;
    }
    if (s.layer >= 0) out.rotations[place].layers.push_back(s.layer);
  }
  for (ModelRotation& r : out.rotations) std::sort(r.layers.begin(), r.layers.end());
  if (stored.empty()) {
    out.rotations.emplace_back();
    out.rotations[0].all_layers = true;
    out.rotations[0].unknown = "the weights hold no buffer of frequencies, and no config.json is beside them";
  }
  add_projections(tensors, out);
  return out;
}

}  // namespace rotary::detail
