#include "core/table_rows.h"

#include <string>
#include <utility>
#include <vector>

#include "core/bfloat16.h"
#include "core/double_double.h"
#include "core/ggml_angles.h"
#include "core/require.h"
#include "core/trigonometry.h"

namespace rotary::detail {
namespace {

// One frequency of a pair that is not zero.
template <class Real>
struct Term {
  int pair, axis;
  Real frequency;
};

template <class Real>
std::vector<Term<Real>> terms_of(const RotationMap& map, int set, Real (*convert)(DoubleDouble)) {
  std::vector<Term<Real>> terms;
  for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair)
    for (int axis = 0; axis < map.num_axes; ++axis)
      if (const Frequency& f = map.at(set, pair, axis); f.hi != 0) terms.push_back({pair, axis, convert({f.hi, f.lo})});
  return terms;
}

// Calls store(pair, angle) for every pair; angle = sum of the pair's terms in the order of the axes.
template <class Real, class Position, class Store>
void for_each_angle(const std::vector<Term<Real>>& terms, std::size_t num_pairs, const Position& at,
                    const Store& store) {
  std::size_t next = 0;
  for (std::size_t pair = 0; pair < num_pairs; ++pair) {
    Real angle{};
    bool first = true;
    for (; next < terms.size() && static_cast<std::size_t>(terms[next].pair) == pair; ++next) {
      const Real product = terms[next].frequency * at(terms[next].axis);
      angle = std::exchange(first, false) ? product : angle + product;
    }
    store(pair, angle);
  }
}

RowWriter exact_rows(const RotationMap& map, int set) {
  auto terms = terms_of<DoubleDouble>(map, set, [](DoubleDouble f) { return f; });
  return [terms = std::move(terms), pairs = map.pairs.size(), factor = map.attention_factor](const double* position,
                                                                                             float* cos, float* sin) {
    const auto at = [&](int axis) { return position[axis]; };
    for_each_angle(terms, pairs, at, [&](std::size_t pair, DoubleDouble angle) {
      const CosSin value = cos_sin_float(angle, factor);
      cos[pair] = value.cos;
      sin[pair] = value.sin;
    });
  };
}

RowWriter float32_rows(const RotationMap& map, int set, float (*round)(float)) {
  auto terms = terms_of<float>(map, set, to_float);
  const auto factor = static_cast<float>(map.attention_factor);
  return [terms = std::move(terms), pairs = map.pairs.size(), factor, round](const double* position, float* cos,
                                                                             float* sin) {
    const auto at = [&](int axis) { return static_cast<float>(position[axis]); };
    for_each_angle(terms, pairs, at, [&](std::size_t pair, float angle) {
      const CosSin value = cos_sin_float(DoubleDouble{angle});
      cos[pair] = round(value.cos * factor);
      sin[pair] = round(value.sin * factor);
    });
  };
}

}  // namespace

RowWriter ggml_rows(const RopeSpec& spec, std::int64_t seq_len) {
  const GgmlAngles ggml(spec, seq_len);
  return [ggml](const double* position, float* cos, float* sin) {
    ggml.angles(position, {sin, ggml.num_pairs()});
    for (std::size_t pair = 0; pair < ggml.num_pairs(); ++pair) {
      const CosSin value = cos_sin_glibc(sin[pair]);
      cos[pair] = value.cos * ggml.magnitude();
      sin[pair] = value.sin * ggml.magnitude();
    }
  };
}

RowWriter map_rows(const RotationMap& map, Arithmetic arithmetic, int set, std::string_view function) {
  require(set >= 0 && set < map.num_sets, function, "set must be in 0 .. " + std::to_string(map.num_sets - 1), set);
  require(arithmetic != Arithmetic::kGgml, function, "arithmetic must be one that needs no RopeSpec", "ggml");
  if (arithmetic == Arithmetic::kExact) return exact_rows(map, set);
  if (arithmetic == Arithmetic::kTransformersFloat32) return float32_rows(map, set, [](float x) { return x; });
  return float32_rows(map, set, rounded_to_bfloat16);
}

}  // namespace rotary::detail
