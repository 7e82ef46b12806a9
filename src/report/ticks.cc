#include "report/ticks.h"

#include <algorithm>
#include <cmath>

#include "report/number_text.h"

namespace rotary::report {
namespace {

constexpr double kSlack = 1e-9;  // of a step: a tick at the very end of the range belongs to it

// The smallest of 1, 2, 5 × 10^k that is at least `wanted`.
struct Step {
  int digit;
  int exponent;
  double size() const { return digit * std::pow(10.0, exponent); }
};
Step step_of(double wanted) {
  const int exponent = static_cast<int>(std::floor(std::log10(wanted)));
  for (const int digit : {1, 2, 5})
    if (digit * std::pow(10.0, exponent) >= wanted * (1 - kSlack)) return {digit, exponent};
  return {1, exponent + 1};
}

// Rounded once: a third of a decimal step would print as 0.30000000000000004.
double multiple(double times, Step step) {
  const double whole = times * step.digit;
  return step.exponent < 0 && step.exponent > -300 ? whole / std::pow(10.0, -step.exponent)
                                                   : whole * std::pow(10.0, step.exponent);
}

Ticks linear_ticks(double low, double high, int target) {
  const Step step = step_of((high - low) / target / 1.5);
  Ticks out;
  const double first = std::ceil(low / step.size() - kSlack), last = std::floor(high / step.size() + kSlack);
  const int count = static_cast<int>(std::min(last - first, 3.0 * target));  // past 2^53, i + 1 is i
  for (int i = 0; i <= count; ++i) out.values.push_back(multiple(first + i, step));
  out.values.erase(std::unique(out.values.begin(), out.values.end()), out.values.end());
  if (out.values.size() < 2 && target > 1 && target < 64) return linear_ticks(low, high, 2 * target);
  out.labels = step_labels(out.values, step.exponent);
  return out;
}

struct Exponents {
  int first, last;
  int count() const { return last - first + 1; }
};
Exponents exponents_in(double low, double high) {  // logarithms
  return {static_cast<int>(std::ceil(low - kSlack)), static_cast<int>(std::floor(high + kSlack))};
}

std::vector<double> powers(double base, Exponents exponents, int stride) {
  std::vector<double> out;
  for (int e = exponents.first; e <= exponents.last; ++e)
    if (e % stride == 0) out.push_back(std::pow(base, e));
  return out;
}

// Every exponent, or every 2nd, 5th, 10th ..., but two at least if there are two.
std::vector<double> thinned_powers(double base, Exponents exponents, int target) {
  const Step step = step_of(std::max(1.0, static_cast<double>(exponents.count()) / target));
  int stride = static_cast<int>(std::lround(step.size()));
  while (stride > 1 && powers(base, exponents, stride).size() < 2) stride /= 2;
  return powers(base, exponents, stride);
}

std::vector<double> in_decades(std::initializer_list<int> digits, double low, double high) {
  std::vector<double> out;
  const int first = static_cast<int>(std::floor(std::log10(low))),
            last = static_cast<int>(std::floor(std::log10(high)));
  for (int e = first; e <= last; ++e)
    for (const int digit : digits) {
      const double v = multiple(1, {digit, e});
      if (v >= low * (1 - kSlack) && v <= high * (1 + kSlack)) out.push_back(v);
    }
  return out;
}

Ticks decade_ticks(double low, double high, int target) {
  const Exponents decades = exponents_in(std::log10(low), std::log10(high));
  Ticks out;
  if (decades.count() <= target) out.values = in_decades({1, 2, 5}, low, high);
  if (decades.count() >= 2 && (out.values.empty() || out.values.size() > static_cast<std::size_t>(target)))
    out.values = thinned_powers(10, decades, target);
  if (out.values.size() < 2) return linear_ticks(low, high, target);
  out.labels = decade_labels(out.values);
  if (decades.count() <= target) out.minor = in_decades({2, 3, 4, 5, 6, 7, 8, 9}, low, high);
  return out;
}

Ticks octave_ticks(double low, double high, int target) {
  const Exponents octaves = exponents_in(std::log2(low), std::log2(high));
  Ticks out;
  out.values = thinned_powers(2, octaves, target);
  if (out.values.size() < 2) return linear_ticks(low, high, target);
  for (const double v : out.values) out.labels.push_back(short_number(v));
  return out;
}

}  // namespace

Ticks make_ticks(Scale scale, double low, double high, int target) {
  switch (scale) {
    case Scale::kLinear: return linear_ticks(low, high, target);
    case Scale::kLog: return decade_ticks(low, high, target);
    case Scale::kLog2: return octave_ticks(low, high, target);
  }
  return {};
}

}  // namespace rotary::report
