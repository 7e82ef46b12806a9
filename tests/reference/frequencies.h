// The slow twin of every scaling method: one frequency from the published formula, in plain double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>

#include "rotary/scaling.h"

namespace rotary::reference {

constexpr double kTwoPi = 6.283185307179586;

/// One list: base b, exponent denominator d, sequence length L.
struct List {
  double base = 10000, d = 0, length = 0;

  double plain(double i) const { return std::pow(base, -2 * i / d); }
  double wavelength(double i) const { return kTwoPi / plain(i); }
  /// Frequency i after the base is multiplied by r^(d/(d-2)).
  double ntk(double r, double i) const { return plain(i) * std::pow(r, -2 * i / (d - 2)); }
  /// The (fractional) pair that makes r turns in L0 positions.
  double pair_with_turns(double r, double L0) const { return d * std::log(L0 / (kTwoPi * r)) / (2 * std::log(base)); }
};

/// How far i is on the way from low to high: 0 .. 1.
inline double way(double i, double low, double high) { return std::clamp((i - low) / (high - low), 0.0, 1.0); }

inline double frequency(const DefaultScaling&, const List& l, double i) { return l.plain(i); }
inline double frequency(const LinearScaling& s, const List& l, double i) { return l.plain(i) / s.factor; }
inline double frequency(const NtkScaling& s, const List& l, double i) { return l.ntk(s.alpha, i); }

inline double frequency(const NtkScaledBaseScaling& s, const List& l, double i) {
  return std::pow(l.base * s.factor, -2 * i / l.d) / std::pow(s.factor, 2 / l.d);
}

inline double frequency(const NtkMixedScaling& s, const List& l, double i) {
  const double a = std::log(s.factor) / std::pow(l.d / 2, s.mixed_b);
  return l.plain(i) / std::exp(a * std::pow(i + 1, s.mixed_b));
}

inline double frequency(const DynamicNtkScaling& s, const List& l, double i) {
  const double x = l.length / s.original_max_position;
  if (x <= 1) return l.plain(i);
  return l.ntk(s.paper_form ? x : s.factor * x - (s.factor - 1), i);
}

inline double frequency(const NtkByPartsScaling& s, const List& l, double i) {
  const auto beyond = [&](double first, double last) {
    const double low = std::max(0.0, std::floor(l.pair_with_turns(first, s.original_max_position)));
    return way(i, low, std::min(l.d - 1, std::ceil(l.pair_with_turns(last, s.original_max_position))));
  };
  const double ntk_share = (1 - beyond(s.beta_0, s.beta_1)) * s.ntk_factor;
  const double kept = (1 - beyond(s.gamma_0, s.gamma_1)) * s.extrapolation_factor;
  const double mixed = l.plain(i) / s.factor * (1 - ntk_share) + l.ntk(s.factor, i) * ntk_share;
  return mixed * (1 - kept) + l.plain(i) * kept;
}

inline double frequency(const NtkByPartsPaperScaling& s, const List& l, double i) {
  const double kept = way(s.original_max_position / l.wavelength(i), s.alpha, s.beta);
  return l.plain(i) * ((1 - kept) / s.factor + kept);
}

inline double frequency(const YarnScaling& s, const List& l, double i) {
  double low = l.pair_with_turns(s.beta_fast, s.original_max_position);
  double high = l.pair_with_turns(s.beta_slow, s.original_max_position);
  if (s.truncate) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0), high = std::min(high, l.d - 1);
  const double scaled = way(i, low, low == high ? high + 0.001 : high);
  return l.plain(i) * (scaled / s.factor + 1 - scaled);
}

inline double frequency(const LongRopeScaling& s, const List& l, double i) {
  const auto n = static_cast<std::size_t>(i);
  if (l.length <= s.original_max_position) return l.plain(i) / s.short_factor[n];
  const double grown = (l.length / s.original_max_position - 1) / (s.factor - 1);
  return l.plain(i) / (s.dynamic_blend ? 1 + (s.long_factor[n] - 1) * grown : s.long_factor[n]);
}

inline double frequency(const Llama3Scaling& s, const List& l, double i) {
  const double turns = s.original_max_position / l.wavelength(i);
  if (turns > s.high_freq_factor) return l.plain(i);
  if (turns < s.low_freq_factor) return l.plain(i) / s.factor;
  const double smooth = (turns - s.low_freq_factor) / (s.high_freq_factor - s.low_freq_factor);
  return l.plain(i) * ((1 - smooth) / s.factor + smooth);
}

inline double frequency(const ProportionalScaling& s, const List& l, double i) {
  return i < std::floor(s.proportion * l.d / 2) ? l.plain(i) / s.factor : 0;
}

inline double frequency(const GivenFrequencies& s, const List&, double i) {
  return s.frequencies[static_cast<std::size_t>(i)];
}

inline double frequency(const Scaling& scaling, const List& list, double i) {
  return std::visit([&](const auto& s) { return frequency(s, list, i); }, scaling);
}

}  // namespace rotary::reference
