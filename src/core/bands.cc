#include "rotary/bands.h"

#include <cmath>
#include <limits>

#include "core/double_double.h"
#include "core/pair_slots.h"
#include "core/scaled_frequencies.h"

namespace rotary {
namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr double kSame = 1e-9;

struct Original {
  template <class T>
  double operator()(const T& s) const {
    if constexpr (requires { s.original_max_position; })
      return s.original_max_position;
    else
      return 0;
  }
};

// Unscaled and scaled frequencies of the list that every axis (or the only one) goes through.
struct Lists {
  std::vector<double> plain, scaled;
  bool given = false;
};

Lists lists_of(const RopeSpec& spec, std::int64_t seq_len) {
  Lists out;
  const double turn = std::abs(spec.angle_multiplier);
  if (const auto* given = std::get_if<GivenFrequencies>(&spec.scaling)) {
    const auto pairs = static_cast<std::size_t>(spec.rotary_dim / 2),
               axes = static_cast<std::size_t>(spec.axes.num_axes);
    for (std::size_t i = 0; i < pairs; ++i) {
      double sum = 0;
      for (std::size_t axis = 0; axis < axes; ++axis) sum += std::abs(given->frequencies[i * axes + axis]);
      out.plain.push_back(sum * turn);
    }
    out.scaled = out.plain;
    out.given = true;
    return out;
  }
  const detail::FrequencyList list{spec.base, detail::list_denominator(spec), detail::list_length(spec), seq_len};
  for (const auto& f : detail::exact_frequencies(DefaultScaling{}, list)) out.plain.push_back(f.hi * turn);
  for (const auto& f : detail::exact_frequencies(spec.scaling, list)) out.scaled.push_back(f.hi * turn);
  return out;
}

BandEffect effect_of(double plain, double scaled, double smallest_ratio) {
  if (scaled == 0) return BandEffect::kStill;
  const double ratio = scaled / plain;
  if (std::abs(ratio - 1) < kSame) return BandEffect::kKept;
  return std::abs(ratio - smallest_ratio) < kSame * smallest_ratio ? BandEffect::kDivided : BandEffect::kBlended;
}

}  // namespace

double trained_length(const RopeSpec& spec) {
  const double original = std::visit(Original{}, spec.scaling);
  return original > 0 ? original : spec.max_position;
}

std::vector<Band> frequency_bands(const RopeSpec& spec, std::int64_t seq_len) {
  validate_spec(spec);
  const Lists lists = lists_of(spec, seq_len);
  const double length = trained_length(spec);
  double smallest = 1;
  for (std::size_t i = 0; i < lists.plain.size(); ++i)
    if (lists.scaled[i] != 0) smallest = std::min(smallest, lists.scaled[i] / lists.plain[i]);
  std::vector<Band> out;
  for (std::size_t i = 0; i < lists.plain.size(); ++i) {
    const double plain = lists.plain[i], scaled = lists.scaled[i];
    const BandEffect effect = lists.given && scaled != 0 ? BandEffect::kGiven : effect_of(plain, scaled, smallest);
    const bool turns = length <= 0 || kTwoPi / plain <= length;
    const double wavelength = scaled == 0 ? std::numeric_limits<double>::infinity() : kTwoPi / scaled;
    const double divisor = scaled == 0 ? std::numeric_limits<double>::infinity() : plain / scaled;
    if (out.empty() || out.back().effect != effect || out.back().turns_in_training != turns)
      out.push_back({static_cast<int>(i), 0, effect, divisor, 0, wavelength, 0, turns});
    out.back().end = static_cast<int>(i) + 1;
    out.back().last_divisor = divisor;
    out.back().last_wavelength = wavelength;
  }
  return out;
}

}  // namespace rotary
