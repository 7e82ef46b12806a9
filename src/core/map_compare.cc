// Comparison of two maps: how far apart they turn, and the likely cause by name.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/canonical.h"
#include "core/require.h"
#include "rotary/rotation_map.h"

namespace rotary {
namespace {

constexpr double kSame = 1e-12;

bool close(double x, double y, double relative) {
  return std::abs(x - y) <= relative * std::max(std::abs(x), std::abs(y));
}

bool close(const Frequency& x, const Frequency& y, double relative) {
  return close(x.hi + x.lo, y.hi + y.lo, relative);
}

bool same_frequencies(const RotationMap& x, const RotationMap& y, double relative) {
  return std::equal(x.frequency.begin(), x.frequency.end(), y.frequency.begin(), y.frequency.end(),
                    [&](const Frequency& f, const Frequency& g) { return close(f, g, relative); });
}

// One frequency per pair, the sum over the axes (all but one are zero in regular maps).
std::vector<double> frequencies(const RotationMap& map) {
  std::vector<double> out;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    double sum = 0;
    for (int axis = 0; axis < map.num_axes; ++axis) sum += map.at(0, i, axis).hi;
    out.push_back(sum);
  }
  return out;
}

bool same_inputs(const RotationMap& x, const RotationMap& y) {
  return std::equal(x.pairs.begin(), x.pairs.end(), y.pairs.begin(), y.pairs.end(),
                    [](const ChannelPair& p, const ChannelPair& q) { return p.a == q.a && p.b == q.b; });
}

std::string structural_cause(const RotationMap& x, const RotationMap& y) {
  if (x.channels != y.channels) return "head width";
  if (x.pairs.empty() != y.pairs.empty()) return "rotation present in one only";
  if (x.pairs.size() != y.pairs.size()) return "rotary width";
  if (x.pairs.empty()) return x.pass_to == y.pass_to ? "" : "output layout";
  if (!same_inputs(x, y)) return x.pairs.front().a != y.pairs.front().a ? "slice offset" : "pairing";
  if (x.pairs != y.pairs || x.pass_to != y.pass_to) return "output layout";
  if (x.num_sets != y.num_sets) return "frequencies per head";
  for (int i = 0; i < static_cast<int>(x.pairs.size()); ++i)
    if (axis_of(x, i) != axis_of(y, i) || x.num_axes != y.num_axes) return "axis assignment";
  return "";
}

// ln(y_i / x_i) as a line in i: 0 everywhere but a slope means another base or another exponent denominator.
std::string frequency_cause(const RotationMap& x, const RotationMap& y) {
  const std::vector<double> f = frequencies(x), g = frequencies(y);
  const std::size_t n = f.size();
  std::vector<double> ratio;
  for (std::size_t i = 0; i < n; ++i) ratio.push_back(f[i] == 0 ? (g[i] == 0 ? 1 : 0) : g[i] / f[i]);
  const auto all = [&](auto holds) { return std::all_of(ratio.begin(), ratio.end(), holds); };
  if (all([](double r) { return close(r, -1, 1e-6); })) return "sign";
  if (all([](double r) { return close(r, 1, 1e-6); })) return "float32 rounding of the frequencies";
  if (all([](double r) { return close(r, 1, 1.0 / 256); })) return "16-bit frequencies";
  if (all([&](double r) { return close(r, ratio[0], 1e-6); })) return "constant factor (linear scaling)";
  if (!all([](double r) { return r > 0; })) return "pairs that do not turn";
  const double slope = std::log(ratio[n - 1]) / static_cast<double>(n - 1);
  bool straight = close(ratio[0], 1, 1e-6);
  for (std::size_t i = 0; i < n; ++i) straight &= std::abs(std::log(ratio[i]) - slope * static_cast<double>(i)) < 1e-5;
  if (straight) {
    const double decay_ratio = std::log(g[1] / g[0]) / std::log(f[1] / f[0]);
    const double widths = static_cast<double>(x.channels) / (2.0 * static_cast<double>(n));
    const bool denominator = widths != 1 && (close(decay_ratio, widths, 1e-5) || close(decay_ratio, 1 / widths, 1e-5));
    return denominator ? "exponent denominator" : "base";
  }
  const auto kept = std::count_if(ratio.begin(), ratio.end(), [](double r) { return close(r, 1, 1e-6); });
  return kept > 0 ? "context scaling (part of the pairs)" : "context scaling";
}

std::string factor_cause(double x, double y) {
  if (close(y, x * x, 1e-6)) return "attention factor squared";
  if (close(x, y * y, 1e-6)) return "attention factor squared in the first";
  return x == 1 || y == 1 ? "attention factor missing in one" : "attention factor";
}

void find_largest_angle(const RotationMap& x, const RotationMap& y, double position, MapDifference& out) {
  const int pairs = static_cast<int>(std::min(x.pairs.size(), y.pairs.size()));
  for (int set = 0; set < std::min(x.num_sets, y.num_sets); ++set)
    for (int i = 0; i < pairs; ++i) {
      double angle = 0;
      for (int axis = 0; axis < std::max(x.num_axes, y.num_axes); ++axis) {
        const Frequency f = axis < x.num_axes ? x.at(set, i, axis) : Frequency{};
        const Frequency g = axis < y.num_axes ? y.at(set, i, axis) : Frequency{};
        angle += position * ((g.hi - f.hi) + (g.lo - f.lo));
      }
      if (std::abs(angle) > out.max_angle || out.pair < 0) {
        out.max_angle = std::abs(angle);
        out.pair = i;
      }
    }
}

}  // namespace

MapDifference compare(const RotationMap& first, const RotationMap& second, double position) {
  validate_map(first);
  validate_map(second);
  detail::require(std::isfinite(position), "compare", "position must be finite", position);
  const RotationMap x = detail::canonical(first), y = detail::canonical(second);
  MapDifference out;
  out.factor_ratio = y.attention_factor / x.attention_factor;
  find_largest_angle(x, y, position, out);
  out.cause = structural_cause(x, y);
  if (!out.cause.empty()) return out;
  const bool turns_alike = same_frequencies(x, y, kSame);
  const bool scales_alike = close(x.attention_factor, y.attention_factor, kSame);
  out.same = turns_alike && scales_alike;
  if (!turns_alike) out.cause = frequency_cause(x, y);
  if (!scales_alike)
    out.cause += (out.cause.empty() ? "" : " and ") + factor_cause(x.attention_factor, y.attention_factor);
  return out;
}

}  // namespace rotary
