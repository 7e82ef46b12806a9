#include "core/scaled_frequencies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace rotary::detail {
namespace {

// Two kinds of numbers share the formulas: DoubleDouble (exact) and float (the reference's tensors).
template <class Real>
Real real(double x) {
  if constexpr (std::is_same_v<Real, float>)
    return static_cast<float>(x);
  else
    return DoubleDouble{x, 0};
}

template <class Real>
Real power(Real x, Real y) {
  if constexpr (std::is_same_v<Real, float>)
    return pow_float(x, y);
  else
    return pow(x, y);
}

// x^(numerator/denominator) where Python holds the exponent: the reference computes such a power in double.
template <class Real>
Real scalar_power(Real x, int numerator, int denominator) {
  if constexpr (std::is_same_v<Real, float>)
    return static_cast<float>(
        to_double(pow(DoubleDouble{x, 0}, DoubleDouble{static_cast<double>(numerator) / denominator, 0})));
  else
    return pow(x, DoubleDouble{static_cast<double>(numerator), 0} / DoubleDouble{static_cast<double>(denominator), 0});
}

// number / x. The reference multiplies by the reciprocal, which rounds twice in float32.
template <class Real>
Real over(Real number, Real x) {
  return real<Real>(1) / x * number;
}

double log_double(double x) { return to_double(log(DoubleDouble{x, 0})); }

template <class Real>
Real two_pi() {
  if constexpr (std::is_same_v<Real, float>)
    return 6.283185307179586F;
  else
    return DoubleDouble{6.283185307179586, 2.4492935982947064e-16};
}

// b^(2i/D): the wavelength over 2 pi.
template <class Real>
std::vector<Real> powers(Real base, const FrequencyList& list) {
  std::vector<Real> out;
  out.reserve(static_cast<std::size_t>(list.count));
  for (int i = 0; i < list.count; ++i) {
    const Real exponent = real<Real>(2.0 * i) / real<Real>(list.denominator);
    out.push_back(power(base, exponent));
  }
  return out;
}

template <class Real>
std::vector<Real> inverse(std::vector<Real> values) {
  for (Real& v : values) v = real<Real>(1) / v;
  return values;
}

// a - b of two numbers that Python holds: the reference subtracts in double.
template <class Real>
Real difference(DoubleDouble a, DoubleDouble b) {
  if constexpr (std::is_same_v<Real, float>)
    return static_cast<float>(a.hi - b.hi);
  else
    return a - b;
}

// 0 below low, 1 above high, linear between; equal bounds are widened as the released code does.
template <class Real>
Real ramp(int i, const CorrectionRange& range) {
  const DoubleDouble high = range.low == range.high ? range.high + 0.001 : range.high;
  const Real low = difference<Real>(range.low, DoubleDouble{});
  const Real x = (real<Real>(i) - low) / difference<Real>(high, range.low);
  return x < real<Real>(0) ? real<Real>(0) : real<Real>(1) < x ? real<Real>(1) : x;
}

// share * a + (1 - share) * b, in the order of the released code.
template <class Real>
Real blend(Real a, Real b, Real share) {
  return b * (real<Real>(1) - share) + a * share;
}

template <class Real>
struct Formula {
  const FrequencyList& list;

  using List = std::vector<Real>;

  List plain(Real base) const { return inverse(powers(base, list)); }
  List plain() const { return plain(real<Real>(list.base)); }

  List divided(List values, Real by) const {
    for (Real& v : values) v = v / by;
    return values;
  }

  // b * ratio^(d/(d-2)), computed by Python in doubles where ratio is a number of the config.
  Real ntk_base(double ratio) const {
    const DoubleDouble exact =
        DoubleDouble{list.base, 0} * pow(DoubleDouble{ratio, 0}, DoubleDouble{double(list.denominator), 0} /
                                                                     DoubleDouble{double(list.denominator - 2), 0});
    if constexpr (std::is_same_v<Real, float>)
      return static_cast<float>(to_double(exact));
    else
      return exact;
  }

  List operator()(const DefaultScaling&) const { return plain(); }
  List operator()(const LinearScaling& s) const { return divided(plain(), real<Real>(s.factor)); }
  List operator()(const NtkScaling& s) const { return plain(ntk_base(s.alpha)); }

  List operator()(const NtkScaledBaseScaling& s) const {
    const Real shrink = power(real<Real>(s.factor), real<Real>(2) / real<Real>(list.denominator));
    return divided(plain(real<Real>(list.base) * real<Real>(s.factor)), shrink);
  }

  List operator()(const NtkMixedScaling& s) const {
    List out = plain();
    // exp(a m^b) = s^((m / (d/2))^b)
    for (int i = 0; i < list.count; ++i) {
      const Real share = power(real<Real>(i + 1) / real<Real>(list.denominator / 2.0), real<Real>(s.mixed_b));
      auto& value = out[static_cast<std::size_t>(i)];
      value = value / power(real<Real>(s.factor), share);
    }
    return out;
  }

  List operator()(const DynamicNtkScaling& s) const {
    const double length = static_cast<double>(list.seq_len);
    if (!(length > s.original_max_position)) return plain();
    // Tensor arithmetic in the reference: the length is a tensor there.
    const Real ratio = s.paper_form ? real<Real>(length) / real<Real>(s.original_max_position)
                                    : real<Real>(s.factor) * real<Real>(length) / real<Real>(s.original_max_position) -
                                          real<Real>(s.factor - 1);
    return plain(real<Real>(list.base) * scalar_power(ratio, list.denominator, list.denominator - 2));
  }

  List operator()(const NtkByPartsScaling& s) const {
    const List scale = powers(real<Real>(list.base), list);
    const List ntk = plain(ntk_base(s.factor));
    const CorrectionRange mix = correction_range(s.beta_0, s.beta_1, list, s.original_max_position, true);
    const CorrectionRange keep = correction_range(s.gamma_0, s.gamma_1, list, s.original_max_position, true);
    List out;
    for (int i = 0; i < list.count; ++i) {
      const auto n = static_cast<std::size_t>(i);
      const Real linear = real<Real>(1) / (real<Real>(s.factor) * scale[n]);
      const Real ntk_share = (real<Real>(1) - ramp<Real>(i, mix)) * real<Real>(s.ntk_factor);
      const Real kept_share = (real<Real>(1) - ramp<Real>(i, keep)) * real<Real>(s.extrapolation_factor);
      out.push_back(blend(real<Real>(1) / scale[n], blend(ntk[n], linear, ntk_share), kept_share));
    }
    return out;
  }

  List operator()(const NtkByPartsPaperScaling& s) const {
    List out = plain();
    for (Real& f : out) {
      const Real rotations = real<Real>(s.original_max_position) * f / two_pi<Real>();
      Real kept = s.beta == s.alpha ? real<Real>(0)
                                    : (rotations - real<Real>(s.alpha)) / (real<Real>(s.beta) - real<Real>(s.alpha));
      if (rotations < real<Real>(s.alpha)) kept = real<Real>(0);
      if (real<Real>(s.beta) < rotations) kept = real<Real>(1);
      f = blend(f, f / real<Real>(s.factor), kept);
    }
    return out;
  }

  List operator()(const YarnScaling& s) const {
    const List scale = powers(real<Real>(list.base), list);
    const CorrectionRange range = correction_range(s.beta_fast, s.beta_slow, list, s.original_max_position, s.truncate);
    List out;
    for (int i = 0; i < list.count; ++i) {
      const auto n = static_cast<std::size_t>(i);
      out.push_back(blend(real<Real>(1) / scale[n], real<Real>(1) / (real<Real>(s.factor) * scale[n]),
                          real<Real>(1) - ramp<Real>(i, range)));
    }
    return out;
  }

  List operator()(const LongRopeScaling& s) const {
    List out = powers(real<Real>(list.base), list);
    const double length = static_cast<double>(list.seq_len);
    const bool is_long = length > s.original_max_position;
    const std::vector<double>& divisors = is_long ? s.long_factor : s.short_factor;
    for (std::size_t i = 0; i < out.size(); ++i) {
      Real divisor = real<Real>(divisors[i]);
      if (is_long && s.dynamic_blend)
        divisor = real<Real>(1) + (divisor - real<Real>(1)) *
                                      (real<Real>(length) / real<Real>(s.original_max_position) - real<Real>(1)) /
                                      real<Real>(s.factor - 1);
      out[i] = real<Real>(1) / (divisor * out[i]);
    }
    return out;
  }

  List operator()(const Llama3Scaling& s) const {
    List out = plain();
    const Real low_wavelength = real<Real>(s.original_max_position / s.low_freq_factor);
    const Real high_wavelength = real<Real>(s.original_max_position / s.high_freq_factor);
    for (Real& f : out) {
      const Real wavelength = over(two_pi<Real>(), f);
      if (wavelength < high_wavelength) continue;
      if (low_wavelength < wavelength || s.high_freq_factor == s.low_freq_factor) {
        f = f / real<Real>(s.factor);
        continue;
      }
      const Real smooth = (over(real<Real>(s.original_max_position), wavelength) - real<Real>(s.low_freq_factor)) /
                          difference<Real>({s.high_freq_factor}, {s.low_freq_factor});
      f = (real<Real>(1) - smooth) * f / real<Real>(s.factor) + smooth * f;
    }
    return out;
  }

  List operator()(const ProportionalScaling& s) const {
    const int turning = std::min(list.count, static_cast<int>(s.proportion * list.denominator / 2));
    List out = divided(plain(), real<Real>(s.factor));
    for (std::size_t i = static_cast<std::size_t>(turning); i < out.size(); ++i) out[i] = real<Real>(0);
    return out;
  }

  // Only for one list; make_rotation_map handles several sets and axes itself.
  List operator()(const GivenFrequencies& s) const {
    List out;
    for (double f : s.frequencies) out.push_back(real<Real>(f));
    return out;
  }
};

struct AttentionFactor {
  std::int64_t seq_len;

  template <class T>
  double operator()(const T&) const {
    return 1;
  }

  double operator()(const NtkByPartsPaperScaling& s) const { return s.temperature ? yarn_magnitude(s.factor, 1) : 1; }

  double operator()(const YarnScaling& s) const {
    if (s.attention_factor) return *s.attention_factor;
    const bool ratio = s.mscale.value_or(0) != 0 && s.mscale_all_dim.value_or(0) != 0;
    if (!ratio) return yarn_magnitude(s.factor, 1, s.mscale_coefficient);
    return yarn_magnitude(s.factor, *s.mscale, s.mscale_coefficient) /
           yarn_magnitude(s.factor, *s.mscale_all_dim, s.mscale_coefficient);
  }

  double operator()(const LongRopeScaling& s) const {
    const auto& own = static_cast<double>(seq_len) > s.original_max_position ? s.long_mscale : s.short_mscale;
    if (own) return *own;
    if (s.attention_factor) return *s.attention_factor;
    if (s.factor <= 1) return 1;
    return std::sqrt(1 + log_double(s.factor) / log_double(s.original_max_position));
  }
};

}  // namespace

CorrectionRange correction_range(double fast, double slow, const FrequencyList& list, double original_max_position,
                                 bool truncate) {
  const auto pair_of = [&](double rotations) {
    const DoubleDouble turn = DoubleDouble{original_max_position} / (two_pi<DoubleDouble>() * rotations);
    return log(turn) * static_cast<double>(list.denominator) / (log(DoubleDouble{list.base}) * 2.0);
  };
  CorrectionRange range{pair_of(fast), pair_of(slow)};
  if (truncate) range = {{std::floor(range.low.hi)}, {std::ceil(range.high.hi)}};
  // The upper clamp is d - 1, not the last pair: what the released code does and every checkpoint was trained with.
  return {std::max(range.low, DoubleDouble{0}), std::min(range.high, DoubleDouble{list.denominator - 1.0})};
}

std::vector<DoubleDouble> exact_frequencies(const Scaling& scaling, const FrequencyList& list) {
  return std::visit(Formula<DoubleDouble>{list}, scaling);
}

std::vector<float> float32_frequencies(const Scaling& scaling, const FrequencyList& list) {
  return std::visit(Formula<float>{list}, scaling);
}

double yarn_magnitude(double factor, double k, double coefficient) {
  return factor <= 1 ? 1.0 : coefficient * k * log_double(factor) + 1.0;
}

double attention_factor(const Scaling& scaling, std::int64_t seq_len) {
  return std::visit(AttentionFactor{seq_len}, scaling);
}

}  // namespace rotary::detail
