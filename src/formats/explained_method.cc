#include "formats/explained_method.h"

#include <cmath>

#include "formats/wording.h"
#include "rotary/bands.h"
#include "rotary/formats/recommend.h"

namespace rotary::detail {
namespace {

// What the method means to do, before its bands show what it did.
struct Purpose {
  static std::string times(double turns) { return turns == 1 ? "once" : number(turns) + " times"; }

  static std::string yarn_range(const YarnScaling& m) {
    const std::string kept = "Pairs that turn more than " + times(m.beta_fast) + " within the original " +
                             positions_text(m.original_max_position) + " are kept, ",
                      rounded = m.truncate ? " (the range is rounded outwards to whole pairs)."
                                           : " (the range is not rounded).";
    if (m.beta_fast == m.beta_slow) return kept + "the others are divided by the factor " + number(m.factor) + rounded;
    return kept + "those that turn less than " + times(m.beta_slow) + " are divided by the factor " + number(m.factor) +
           ", those between are blended, by their index" + rounded;
  }

  std::string operator()(const DefaultScaling&) const { return "No scaling: every pair turns as the base says."; }
  std::string operator()(const LinearScaling& m) const {
    return "Position interpolation: every frequency is divided by " + number(m.factor) +
           ", as if positions were that much closer together.";
  }
  std::string operator()(const NtkScaling& m) const {
    return "NTK-aware: the base is raised by alpha " + number(m.alpha) +
           ", so that the first pair is kept, the last is divided by alpha, and those between by less.";
  }
  std::string operator()(const NtkScaledBaseScaling& m) const {
    return "NTK of vLLM: the base is multiplied by " + number(m.factor) + " and all frequencies divided by a little.";
  }
  std::string operator()(const NtkMixedScaling& m) const {
    return "NTK, mixed: frequencies are divided by more and more, up to " + number(m.factor) + " at the last pair.";
  }
  std::string operator()(const DynamicNtkScaling& m) const {
    return "Dynamic NTK: plain up to " + positions_text(m.original_max_position) +
           "; beyond, the base grows with the length of the sequence (factor " + number(m.factor) + ").";
  }
  std::string operator()(const NtkByPartsScaling& m) const {
    return "NTK by parts, as first released, with factor " + number(m.factor) + " from " +
           positions_text(m.original_max_position) + ".";
  }
  std::string operator()(const NtkByPartsPaperScaling& m) const {
    return "NTK by parts, as in the YaRN paper, with factor " + number(m.factor) + " from " +
           positions_text(m.original_max_position) + ".";
  }
  std::string operator()(const YarnScaling& m) const { return "YaRN. " + yarn_range(m); }
  std::string operator()(const LongRopeScaling& m) const {
    return "LongRoPE: each frequency is divided by a number of its own, from a short list up to " +
           positions_text(m.original_max_position) + " and from a long list in longer sequences.";
  }
  std::string operator()(const Llama3Scaling& m) const {
    return "Llama 3.1's rule: wavelengths below " + number(m.original_max_position / m.high_freq_factor) +
           " positions are kept, those above " + number(m.original_max_position / m.low_freq_factor) +
           " are divided by " + number(m.factor) + ", those between are blended. The original length is " +
           number(m.original_max_position) + ".";
  }
  std::string operator()(const ProportionalScaling& m) const {
    return "Proportional (p-RoPE): " + number(100 * m.proportion) +
           " % of the pairs turn, spaced as if all did; the slow rest stands still" +
           (m.factor == 1 ? "." : ", and all are divided by " + number(m.factor) + ".");
  }
  std::string operator()(const GivenFrequencies&) const {
    return "The frequencies are given as numbers; no formula says them.";
  }
};

std::string waves(double first, double last) {
  return rough(first) == rough(last) ? rough(first) : rough(first) + " to " + rough(last);
}

std::string effect_of(const Band& band) {
  switch (band.effect) {
    case BandEffect::kKept: return "kept";
    case BandEffect::kStill: return "still: they do not turn and compare content at any distance";
    case BandEffect::kGiven: return "as given";
    case BandEffect::kDivided: return "divided by " + rough(band.first_divisor);
    case BandEffect::kBlended:
      return "blended: divided by " + (band.first_divisor == band.last_divisor
                                           ? rough(band.first_divisor)
                                           : rough(band.first_divisor) + " to " + rough(band.last_divisor));
  }
  return "";
}

bool is_scaled(const Band& band) { return band.effect == BandEffect::kDivided || band.effect == BandEffect::kBlended; }

std::string band_sentence(const Band& band, double trained, const std::string& unit) {
  std::string out = pairs_text(band.begin, band.end) + ": " + effect_of(band);
  if (band.effect == BandEffect::kStill) return out + ".";
  out += ", a full turn every " + waves(band.first_wavelength, band.last_wavelength) + " " + unit;
  if (trained > 0) {
    const double most = trained * band.first_divisor / band.first_wavelength,
                 least = trained * band.last_divisor / band.last_wavelength;
    out += (is_scaled(band) ? "; before scaling, " : "; ") + waves(most, least) + " turns within " + number(trained);
  }
  return out + ".";
}

// Pairs that stand still are one band, whatever their unscaled wavelength would be.
std::vector<Band> bands_of(const RopeSpec& spec, std::int64_t seq_len) {
  std::vector<Band> out;
  for (const Band& band : frequency_bands(spec, seq_len)) {
    if (!out.empty() && out.back().effect == BandEffect::kStill && band.effect == BandEffect::kStill)
      out.back().end = band.end;
    else
      out.push_back(band);
  }
  return out;
}

std::string bands_text(const RopeSpec& spec, std::int64_t seq_len) {
  const std::string unit = spec.angle_multiplier == 1 ? "positions" : "units";
  std::string out;
  for (const Band& band : bands_of(spec, seq_len)) out += "\n" + band_sentence(band, trained_length(spec), unit);
  return out;
}

}  // namespace

Passage explain_speed(const RopeSpec& spec) {
  if (std::holds_alternative<GivenFrequencies>(spec.scaling))
    return {"How fast", "Each pair has a frequency of its own.", ""};
  RopeSpec plain = spec;
  plain.scaling = DefaultScaling{};
  const std::vector<Band> bands = frequency_bands(plain);
  const int count = bands.back().end;
  const std::string unit = spec.angle_multiplier == 1 ? "position" : "unit of its coordinate";
  const std::string exponent = "-2i/" + std::to_string(spec.frequency_dim > 0 ? spec.frequency_dim : 2 * count);
  return {"How fast",
          "The base is " + number(spec.base) + ". Before any scaling, frequency i of " + std::to_string(count) +
              " turns its pair by " + (spec.angle_multiplier == 1 ? "" : rough(spec.angle_multiplier) + " * ") +
              number(spec.base) + "^(" + exponent + ") radians per " + unit + ": the first makes a full turn in " +
              rough(bands.front().first_wavelength) + " " + (spec.angle_multiplier == 1 ? "positions" : "units") +
              ", the last in " + rough(bands.back().last_wavelength) +
              ". Fast pairs tell neighbours apart, slow ones say roughly how far apart two tokens are.",
          ""};
}

Passage explain_method(const RopeSpec& spec, std::int64_t seq_len) {
  std::string text = std::visit(Purpose{}, spec.scaling);
  if (depends_on_length(spec.scaling))
    text += seq_len > 0 ? " Shown for a sequence of " + number(static_cast<double>(seq_len)) + "."
                        : " Shown for a short sequence.";
  return {"Method: " + std::string(scaling_name(spec.scaling)), text + bands_text(spec, seq_len), ""};
}

Passage explain_beyond(const ModelRotation& rotation, std::int64_t seq_len) {
  const RopeSpec& spec = *rotation.spec;
  const double trained = trained_length(spec);
  if (trained <= 0)
    return {"Beyond the limit", "The file declares no length, so it is not known what was trained.", ""};
  int first_slow = -1, last_slow = 0;
  bool scaled = false;
  double slowest = 0;
  for (const Band& band : frequency_bands(spec, seq_len)) {
    scaled |= is_scaled(band);
    if (band.effect == BandEffect::kStill) continue;
    last_slow = band.end;
    slowest = trained * band.last_divisor / band.last_wavelength;
    if (!band.turns_in_training && first_slow < 0) first_slow = band.begin;
  }
  std::string text =
      spec.max_position != trained && spec.max_position > 0
          ? "Declared: " + positions_text(spec.max_position) + ", from an original " + number(trained) + "."
          : "Declared: " + positions_text(trained) + ".";
  if (is_local(rotation))
    text += " These layers see a window or a chunk only: the distances that they meet do not grow with the text.";
  if (is_local(rotation) && first_slow >= 0) {
    // Angles of distances, which the window bounds.
  } else if (first_slow < 0) {
    text +=
        " Every pair completed a turn within the trained length: no angle is new beyond it, only combinations of "
        "angles are.";
  } else {
    text += " Within " + number(trained) + " positions " + pairs_text(first_slow, last_slow) +
            " never completed a turn (the slowest made " + rough(slowest) +
            " of one): beyond, unscaled, they reach angles that no training has shown.";
    if (scaled) text += " That is what the method is for: a pair divided by s is at position s * m where it was at m.";
  }
  return {"Beyond the limit", text + " Nothing enforces the limit; cos and sin exist for every position.", ""};
}

}  // namespace rotary::detail
