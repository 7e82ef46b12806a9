// Comparison of two maps or layers: how far apart they turn, and the likely cause by name.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/canonical.h"
#include "core/require.h"
#include "rotary/layer_rotation.h"

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

// One frequency per pair of a set, the sum over the axes (all but one are zero in regular maps).
std::vector<Frequency> frequencies(const RotationMap& map, int set) {
  std::vector<Frequency> out;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    Frequency sum;
    for (int axis = 0; axis < map.num_axes; ++axis) {
      sum.hi += map.at(set, i, axis).hi;
      sum.lo += map.at(set, i, axis).lo;
    }
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

// The frequencies of the first set in which the maps differ.
struct Lists {
  std::vector<Frequency> f, g;

  std::size_t size() const { return f.size(); }
  double ratio(std::size_t i) const { return f[i].hi == 0 ? (g[i].hi == 0 ? 1 : 0) : g[i].hi / f[i].hi; }
  template <class Holds>
  bool all(Holds holds) const {
    for (std::size_t i = 0; i < size(); ++i)
      if (!holds(i)) return false;
    return true;
  }
};

Lists differing_lists(const RotationMap& x, const RotationMap& y) {
  for (int set = 0; set < x.num_sets; ++set) {
    Lists lists{frequencies(x, set), frequencies(y, set)};
    if (!lists.all([&](std::size_t i) { return close(lists.f[i], lists.g[i], kSame); })) return lists;
  }
  return {frequencies(x, 0), frequencies(y, 0)};
}

// Whether all frequencies are numbers of at most `bits` binary digits.
bool fit(const std::vector<Frequency>& list, int bits) {
  return std::all_of(list.begin(), list.end(), [&](const Frequency& f) {
    int exponent = 0;
    const double digits = std::ldexp(std::frexp(f.hi, &exponent), bits);
    return f.lo == 0 && digits == std::floor(digits);
  });
}

std::string rounding_cause(const Lists& lists) {
  const auto near = [&](double relative, double absolute) {
    return lists.all([&](std::size_t i) {
      return std::abs(lists.g[i].hi - lists.f[i].hi) <= relative * std::abs(lists.f[i].hi) + absolute;
    });
  };
  if (near(1e-6, 0) && fit(lists.f, 24) != fit(lists.g, 24)) return "float32 rounding of the frequencies";
  // bfloat16 has 8 digits, float16 11 and none below 2^-24.
  if (near(1.0 / 256, 0x1p-25) && fit(lists.f, 11) != fit(lists.g, 11)) return "16-bit frequencies";
  return "";
}

// p where g_i / g_0 = (f_i / f_0)^p and g_0 = f_0, else 0: another base or exponent denominator, in whatever order and
// number of lists. What is left over must be small beside the difference itself.
double common_power(const Lists& lists) {
  const auto octaves = [](const std::vector<Frequency>& list, std::size_t i) {
    return std::log(list[i].hi / list[0].hi);
  };
  std::size_t last = 0;
  for (std::size_t i = 1; i < lists.size(); ++i)
    if (std::abs(octaves(lists.f, i)) > std::abs(octaves(lists.f, last))) last = i;
  if (last == 0 || !close(lists.ratio(0), 1, 1e-6)) return 0;
  const double power = octaves(lists.g, last) / octaves(lists.f, last);
  const double difference = std::abs(octaves(lists.g, last) - octaves(lists.f, last));
  const bool common = lists.all(
      [&](std::size_t i) { return std::abs(octaves(lists.g, i) - power * octaves(lists.f, i)) <= 0.01 * difference; });
  return common ? power : 0;
}

std::string frequency_cause(const RotationMap& x, const RotationMap& y) {
  const Lists lists = differing_lists(x, y);
  if (lists.all([&](std::size_t i) { return close(lists.ratio(i), -1, 1e-6); })) return "sign";
  if (const std::string rounding = rounding_cause(lists); !rounding.empty()) return rounding;
  const double first = lists.ratio(0);
  if (lists.all([&](std::size_t i) { return std::abs(lists.ratio(i) - first) <= 1e-3 * std::abs(first - 1); }))
    return "constant factor (linear scaling)";
  if (!lists.all([&](std::size_t i) { return lists.ratio(i) > 0; })) return "pairs that do not turn";
  if (const double power = common_power(lists); power != 0) {
    const double widths = static_cast<double>(x.channels) / (2.0 * static_cast<double>(lists.size()));
    const bool denominator = widths != 1 && (close(power, widths, 1e-5) || close(power, 1 / widths, 1e-5));
    return denominator ? "exponent denominator" : "base";
  }
  const bool some_kept = !lists.all([&](std::size_t i) { return !close(lists.ratio(i), 1, 1e-6); });
  return some_kept ? "context scaling (part of the pairs)" : "context scaling";
}

std::string factor_cause(double x, double y) {
  if (close(y, x * x, 1e-6)) return "attention factor squared";
  if (close(x, y * y, 1e-6)) return "attention factor squared in the first";
  return x == 1 || y == 1 ? "attention factor missing in one" : "attention factor";
}

// The pair of y that stands against pair i of x, -1 for none: the next in order, or, where their numbers differ, the
// one that starts at the same channel.
int counterpart(const RotationMap& x, const RotationMap& y, int i) {
  if (x.pairs.size() == y.pairs.size()) return i;
  const int a = x.pairs[static_cast<std::size_t>(i)].a;
  const auto found = std::find_if(y.pairs.begin(), y.pairs.end(), [&](const ChannelPair& p) { return p.a == a; });
  return found == y.pairs.end() ? -1 : static_cast<int>(found - y.pairs.begin());
}

void find_largest_angle(const RotationMap& x, const RotationMap& y, double position, MapDifference& out) {
  for (int set = 0; set < std::min(x.num_sets, y.num_sets); ++set)
    for (int i = 0; i < static_cast<int>(x.pairs.size()); ++i) {
      const int other = counterpart(x, y, i);
      double angle = 0;
      for (int axis = 0; axis < std::max(x.num_axes, y.num_axes); ++axis) {
        const Frequency f = axis < x.num_axes ? x.at(set, i, axis) : Frequency{};
        const Frequency g = other >= 0 && axis < y.num_axes ? y.at(set, other, axis) : Frequency{};
        angle += position * ((g.hi - f.hi) + (g.lo - f.lo));
      }
      if (std::abs(angle) > out.max_angle || out.pair < 0) {
        out.max_angle = std::abs(angle);
        out.pair = i;
      }
    }
}

void add(std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + name; }

bool same_axes(const std::vector<PositionAxis>& x, const std::vector<PositionAxis>& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const PositionAxis& a, const PositionAxis& b) {
    return a.offset == b.offset && a.multiplier == b.multiplier;
  });
}

const RotationMap& key_map(const LayerRotation& layer) { return layer.key ? *layer.key : layer.query; }

}  // namespace

std::string declared_difference(const RopeSpec& first, const RopeSpec& second) {
  std::string out;
  const auto number = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", x);
    return std::string(text);
  };
  if (first.base != second.base) add(out, "base " + number(first.base) + " / " + number(second.base));
  if (first.frequency_dim != second.frequency_dim) add(out, "exponent denominator");
  if (first.angle_multiplier != second.angle_multiplier) add(out, "angle multiplier");
  const std::string method(scaling_name(first.scaling)), other(scaling_name(second.scaling));
  if (method != other)
    add(out, "scaling " + method + " / " + other);
  else if (first.scaling != second.scaling)
    add(out, method + " parameters");
  return out;
}

MapDifference compare(const RotationMap& first, const RotationMap& second, double position, std::string_view declared) {
  validate_map(first);
  validate_map(second);
  detail::require(std::isfinite(position), "compare", "position must be finite", position);
  const RotationMap x = detail::canonical(first), y = detail::canonical(second);
  MapDifference out;
  out.factor_ratio = y.attention_factor / x.attention_factor;
  find_largest_angle(first, second, position, out);
  out.cause = structural_cause(x, y);
  if (!out.cause.empty()) return out;
  const bool turns_alike = same_frequencies(x, y, kSame);
  const bool scales_alike = close(x.attention_factor, y.attention_factor, kSame);
  out.same = turns_alike && scales_alike;
  if (!turns_alike) out.cause = declared.empty() ? frequency_cause(x, y) : declared;
  // What explains the frequencies explains the factor.
  if (!scales_alike && (turns_alike || declared.empty()))
    out.cause += (out.cause.empty() ? "" : " and ") + factor_cause(x.attention_factor, y.attention_factor);
  return out;
}

MapDifference compare(const LayerRotation& first, const LayerRotation& second, double position,
                      std::string_view declared) {
  const LayerRotation &x = first, &y = second;
  const auto turns = [](const LayerRotation& layer) { return layer.rotates && layer.not_a_rotation.empty(); };
  MapDifference out;
  if (x.rotates != y.rotates || turns(x) != turns(y)) {
    out.cause = "rotation present in one only";
    return out;
  }
  std::string others;
  if (turns(x)) {
    out = compare(x.query, y.query, position, declared);
    if (out.same && (x.key || y.key)) {
      out = compare(key_map(x), key_map(y), position, declared);
      if (!out.same) out.cause += " of the keys";
    }
    if (x.xpos != y.xpos) add(others, "xPos");
    if (x.query.num_axes == y.query.num_axes && !same_axes(x.axes, y.axes)) add(others, "positions of the axes");
  }
  if (x.not_a_rotation != y.not_a_rotation) add(others, "another operation");
  if (x.rotates) {
    if (x.heads != y.heads) add(others, "heads that rotate");
    if (x.rotates_keys != y.rotates_keys) add(others, "keys rotated in one only");
    if (x.rotates_values != y.rotates_values) add(others, "values rotated in one only");
    if (x.rotates_output_back != y.rotates_output_back) add(others, "output rotated back in one only");
    if (x.before_projection != y.before_projection) add(others, "before the projections in one only");
  }
  if (!close(x.query_scale, y.query_scale, kSame)) add(others, "query scale");
  if (x.query_scale_rule != y.query_scale_rule) add(others, "temperature");
  if (!close(x.softmax_factor, y.softmax_factor, kSame)) add(others, "softmax factor");
  out.same = others.empty() && (out.same || !turns(x));
  if (!others.empty()) add(out.cause, others);
  return out;
}

}  // namespace rotary
