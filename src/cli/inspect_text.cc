#include "cli/inspect_text.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <vector>

#include "rotary/bands.h"

namespace rotary::cli {
namespace {

__attribute__((format(printf, 1, 2))) std::string format(const char* pattern, ...) {
  char text[512];
  va_list args;
  va_start(args, pattern);
  std::vsnprintf(text, sizeof text, pattern, args);
  va_end(args);
  return text;
}

}  // namespace

std::string number(double x) { return format("%.10g", x); }

namespace {

// Four digits, no exponent below a million.
std::string rough(double x) { return format(x >= 1000 && x < 1e6 ? "%.0f" : "%.4g", x); }

std::string span_text(double first, double last) {
  return rough(first) == rough(last) ? rough(first) : rough(first) + " to " + rough(last);
}

std::string shortened(std::string text, std::size_t limit) {
  return text.size() <= limit ? text : text.substr(0, limit - 3) + "...";
}

// Where the value of a field came from, in words.
std::string origin(const ModelRotation& r, const std::string& field) {
  for (const Source& s : r.sources)
    if (s.field == field) return s.assumed ? "family default; no " + s.key + " in the file" : s.key;
  return "";
}

std::string line(const std::string& name, const std::string& value, const std::string& from = "") {
  std::string out = format("  %-12s %s", name.c_str(), value.c_str());
  return out + (from.empty() ? "" : "   [" + from + "]") + "\n";
}

}  // namespace

std::string channels_text(const RopeSpec& s, const RotationMap& map) {
  const int turning = rotary_dim(map);
  const LayoutClass layout = layout_class(map);
  std::string out = std::to_string(turning) + " of " + std::to_string(s.head_dim) + " channels";
  if (s.rotary_offset > 0) out += ", from channel " + std::to_string(s.rotary_offset);
  if (map.pairs.empty()) return out;
  const ChannelPair& first = map.pairs.front();
  const bool half = s.pairing == Pairing::kHalf;
  out += format("; %s pairs (%d, %d), (%d, %d) ...", half ? "half" : "interleaved", first.a, first.b,
                map.pairs.size() > 1 ? map.pairs[1].a : first.a, map.pairs.size() > 1 ? map.pairs[1].b : first.b);
  if (layout.layout == Layout::kInterleavedToHalf) out += format(", written in halves (%d, %d) ...", first.c, first.d);
  if (s.negate_angle) out += ", turning the other way";
  return out;
}

// How many pairs each axis turns, with the first few.
std::string axes_text(const ModelRotation& r) {
  const RotationMap& map = r.rotation.query;
  std::string out;
  for (int axis = 0; axis < map.num_axes; ++axis) {
    std::vector<int> pairs;
    for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i)
      if (map.at(0, i, axis).hi != 0) pairs.push_back(i);
    const PositionAxis& a = r.rotation.axes[static_cast<std::size_t>(axis)];
    out += (out.empty() ? "" : "; ") + a.name + (a.offset != 0 ? " from " + number(a.offset) : "") + ": " +
           std::to_string(pairs.size()) + " pairs (" + shortened(ranges(pairs), 28) + ")";
  }
  return out;
}

std::string method_text(const RopeSpec& s) {
  struct Text {
    std::string operator()(const DefaultScaling&) const { return "default (no scaling)"; }
    std::string operator()(const LinearScaling& m) const { return "linear, factor " + number(m.factor); }
    std::string operator()(const NtkScaling& m) const { return "ntk, alpha " + number(m.alpha); }
    std::string operator()(const NtkScaledBaseScaling& m) const {
      return "ntk (scaled base), factor " + number(m.factor);
    }
    std::string operator()(const NtkMixedScaling& m) const {
      return "ntk (mixed), factor " + number(m.factor) + ", mixed_b " + number(m.mixed_b);
    }
    std::string operator()(const DynamicNtkScaling& m) const {
      return "dynamic ntk beyond " + number(m.original_max_position) + ", factor " + number(m.factor);
    }
    std::string operator()(const NtkByPartsScaling& m) const {
      return "ntk by parts (released code), factor " + number(m.factor);
    }
    std::string operator()(const NtkByPartsPaperScaling& m) const {
      return "ntk by parts (paper), factor " + number(m.factor);
    }
    std::string operator()(const YarnScaling& m) const {
      return "yarn, factor " + number(m.factor) + " of " + number(m.original_max_position) + ", beta " +
             number(m.beta_fast) + " / " + number(m.beta_slow) + (m.truncate ? "" : ", range not rounded");
    }
    std::string operator()(const LongRopeScaling& m) const {
      return "longrope, short list up to " + number(m.original_max_position) + ", long list beyond";
    }
    std::string operator()(const Llama3Scaling& m) const {
      return "llama3, factor " + number(m.factor) + " of " + number(m.original_max_position) + ", low " +
             number(m.low_freq_factor) + ", high " + number(m.high_freq_factor);
    }
    std::string operator()(const ProportionalScaling& m) const {
      return "proportional, " + number(m.proportion) + " of the pairs" +
             (m.factor == 1 ? "" : ", factor " + number(m.factor));
    }
    std::string operator()(const GivenFrequencies&) const { return "frequencies given as numbers"; }
  };
  return std::visit(Text{}, s.scaling);
}

std::string pairs_text(const Band& band) {
  return std::to_string(band.begin) + (band.end - band.begin == 1 ? "" : "-" + std::to_string(band.end - 1));
}

std::string effect_text(const Band& band) {
  switch (band.effect) {
    case BandEffect::kKept: return "kept";
    case BandEffect::kStill: return "does not turn";
    case BandEffect::kDivided: return "divided by " + format("%.6g", band.first_divisor);
    case BandEffect::kBlended: return "divided by " + span_text(band.first_divisor, band.last_divisor);
    case BandEffect::kGiven: return "as given";
  }
  return "";
}

namespace {

std::string bands_text(const RopeSpec& s, std::int64_t seq_len) {
  const double trained = trained_length(s);
  std::string out;
  const std::vector<Band> bands = frequency_bands(s, seq_len);
  for (const Band& band : bands) {
    const std::string pairs = pairs_text(band);
    const std::string waves =
        std::isinf(band.last_wavelength) ? "-" : span_text(band.first_wavelength, band.last_wavelength);
    std::string note = effect_text(band);
    if (trained > 0 && band.effect != BandEffect::kStill)
      note += band.turns_in_training ? "" : "; no full turn in training";
    out += line(out.empty() ? "bands" : "", format("%-9s %-24s %s", pairs.c_str(), waves.c_str(), note.c_str()));
  }
  const std::string heading = std::string("wavelength (") + (s.angle_multiplier == 1 ? "positions" : "units") + ")";
  const bool by_axis = !bands.empty() && bands.back().end < s.rotary_dim / 2;  // every axis goes through the list
  return line("", format("%-9s %-24s %s", "pairs", heading.c_str(), "what the method does") +
                      (by_axis ? ", on each axis" : "")) +
         out;
}

}  // namespace

std::string factors_text(const LayerRotation& layer) {
  std::string out = "attention " + number(layer.query.attention_factor) + " (on cos and sin), softmax " +
                    number(layer.softmax_factor) + ", query " + number(layer.query_scale);
  return out;
}

std::string temperature_text(const QueryScaleRule& rule) {
  const std::string position = rule.shift == 0 ? "m" : "m + " + number(rule.shift);
  switch (rule.kind) {
    case QueryScaleRule::Kind::kNone: return "";
    case QueryScaleRule::Kind::kLogFloor:
      return "query * (1 + " + number(rule.beta) + " ln(1 + floor((" + position + ") / " + number(rule.floor_scale) +
             ")))";
    case QueryScaleRule::Kind::kPower:
      return "query * (1 + (" + position + ") / " + number(rule.floor_scale) + ")^" + number(rule.beta);
    case QueryScaleRule::Kind::kLogN: return "query * max(1, ln(m + 1) / ln(" + number(rule.floor_scale) + "))";
  }
  return "";
}

std::string applied_text(const LayerRotation& layer) {
  std::string out = layer.rotates_values ? "queries, keys and values" : "queries and keys";
  if (layer.rotates_output_back) out += "; the output is rotated back";
  if (layer.before_projection) out = "hidden states, before the query and key projections";
  if (!layer.heads.empty()) out += ", head " + ranges(layer.heads) + " only";
  return out;
}

namespace {

std::string rotation_text(const ModelRotation& r, const ReadOptions& options) {
  const RopeSpec& s = *r.spec;
  std::string out = line("rotates", channels_text(s, r.rotation.query), origin(r, "partial_rotary_factor"));
  out += line("applied to", applied_text(r.rotation));
  if (r.rotation.query.num_axes > 1 || r.rotation.axes[0].name != "token")
    out += line("axes", axes_text(r), origin(r, "sections"));
  // Frequencies given as numbers need no base.
  if (const std::string from = origin(r, "base"); !from.empty() || !std::holds_alternative<GivenFrequencies>(s.scaling))
    out += line("base", number(s.base), from);
  out += line("method", method_text(s));
  if (depends_on_length(s.scaling))
    out += line("", options.seq_len > 0
                        ? "shown for a sequence of " + std::to_string(options.seq_len)
                        : std::string("depends on the sequence length; shown unscaled, --seq-len N shows another"));
  out += bands_text(s, options.seq_len);
  out += line("factors", factors_text(r.rotation));
  if (s.max_position > 0) {
    const double trained = trained_length(s);
    out += line("limit", number(s.max_position) + " positions" +
                             (trained != s.max_position ? ", original " + number(trained) : ""));
  }
  out += line("fingerprint", format("%016llx", static_cast<unsigned long long>(fingerprint(r.rotation.query))));
  return out;
}

// What was read, but for what stands beside its line already.
std::string sources_text(const ModelRotation& r) {
  std::string out;
  for (const Source& s : r.sources) {
    if (s.field == "base" || s.field == "sections" || s.field == "partial_rotary_factor") continue;
    out += line(out.empty() ? "read" : "", s.field + " = " + shortened(s.value, 48) +
                                               (s.assumed ? "   (assumed: no " + s.key + ")" : "   (" + s.key + ")"));
  }
  return out;
}

std::string body(const ModelRotation& r, const ReadOptions& options) {
  std::string out;
  if (!r.rotation.not_a_rotation.empty())
    out += line("rotation", "none that can be named: " + r.rotation.not_a_rotation);
  else if (!r.unknown.empty())
    out += line("rotation", r.unknown);
  else if (!r.fails.empty())
    out += line("rotation", "none: " + r.fails);
  else if (!r.spec)
    out += line("rotation", "none");
  else
    out += rotation_text(r, options);
  if (const std::string t = temperature_text(r.rotation.query_scale_rule); !t.empty()) out += line("temperature", t);
  if (!r.note.empty()) out += line("note", r.note);
  return out + sources_text(r);
}

struct Block {
  ModelRotation head;  // component, part, layers and layer types of all that share the body
  std::string body;
};

// Layer types that rotate alike share a block.
std::vector<Block> blocks(const ModelConfig& config, const ReadOptions& options) {
  std::vector<Block> out;
  for (const ModelRotation& r : config.rotations) {
    const std::string text = body(r, options);
    const auto same = [&](const Block& b) {
      return b.body == text && b.head.component == r.component && b.head.part == r.part;
    };
    const auto found = std::find_if(out.begin(), out.end(), same);
    if (found == out.end()) {
      out.push_back({r, text});
      continue;
    }
    found->head.layers.insert(found->head.layers.end(), r.layers.begin(), r.layers.end());
    std::sort(found->head.layers.begin(), found->head.layers.end());
    found->head.layer_type += ", " + r.layer_type;
  }
  return out;
}

std::string files_text(const ModelConfig& config) {
  std::string out = "\n";
  for (const ModelFile& f : config.files)
    out += line(&f == config.files.data() ? "files" : "", f.path + "   (" + f.format + ", " + f.role + ")");
  return out;
}

}  // namespace

std::string title(const ModelRotation& r) {
  std::string out = r.component.empty() ? "model" : r.component;
  if (!r.model_type.empty() && !r.component.empty()) out += " (" + r.model_type + ")";
  if (!r.part.empty()) out += ", " + r.part;
  out += r.all_layers ? ": all layers" : ": layer" + std::string(r.layers.size() == 1 ? " " : "s ") + ranges(r.layers);
  return out + (r.layer_type.empty() ? "" : " (" + r.layer_type + ")") + "\n";
}

std::string reading(const ModelConfig& config) {
  return (config.model_type.empty() ? "(no model_type)" : config.model_type) + ", read as " +
         std::string(to_string(config.reference)) +
         (config.reference == Reference::kOriginal ? " (the file as written)"
                                                   : " " + std::string(release_of(config.reference)) + " does");
}

std::string to_text(const ModelConfig& config, const ReadOptions& options) {
  std::string out = reading(config) + ", " + std::string(to_string(options.arithmetic)) + " arithmetic\n";
  if (config.files.size() > 1) out += files_text(config);
  for (const Block& b : blocks(config, options)) out += "\n" + title(b.head) + b.body;
  if (config.rotations.empty()) out += "\nno attention that rotates\n";
  if (!config.warnings.empty()) out += "\n";
  for (const ConfigWarning& w : config.warnings) out += "warning: " + w.key + ": " + w.message + "\n";
  return out;
}

}  // namespace rotary::cli
