#include "rotary/layer_rotation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/double_double.h"
#include "core/require.h"

namespace rotary {

double query_scale_at(const QueryScaleRule& rule, double position) {
  constexpr std::string_view kFunction = "query_scale_at";
  using Kind = QueryScaleRule::Kind;
  detail::require(std::isfinite(position), kFunction, "position must be finite", position);
  if (rule.kind == Kind::kNone) return 1;
  const double least = rule.kind == Kind::kLogN ? 1 : 0;
  detail::require(
      std::isfinite(rule.floor_scale) && rule.floor_scale > least, kFunction,
      rule.kind == Kind::kLogN ? "floor_scale must be finite and above 1" : "floor_scale must be finite and positive",
      rule.floor_scale);
  detail::require(std::isfinite(rule.beta), kFunction, "beta must be finite", rule.beta);
  detail::require(std::isfinite(rule.shift), kFunction, "shift must be finite", rule.shift);
  const auto log_of = [](double x) { return detail::to_double(log(detail::DoubleDouble{x, 0})); };
  const double steps = (position + rule.shift) / rule.floor_scale;
  const auto positive = [&](double x) {
    detail::require(x > 0, kFunction, "1 + (position + shift) / floor_scale must be positive", x);
    return x;
  };
  switch (rule.kind) {
    case Kind::kNone: return 1;
    case Kind::kLogFloor: return 1 + rule.beta * log_of(positive(1 + std::floor(steps)));
    case Kind::kPower:
      return detail::to_double(pow(detail::DoubleDouble{positive(1 + steps), 0}, detail::DoubleDouble{rule.beta, 0}));
    case Kind::kLogN: return std::max(1.0, log_of(std::max(position + 1, 1.0)) / log_of(rule.floor_scale));
  }
  return 1;
}

double xpos_scale(const Xpos& xpos, int pair, int num_pairs, double position) {
  constexpr std::string_view kFunction = "xpos_scale";
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  detail::require(positive(xpos.scale_base), kFunction, "scale_base must be finite and positive", xpos.scale_base);
  detail::require(positive(xpos.gamma), kFunction, "gamma must be finite and positive", xpos.gamma);
  detail::require(std::isfinite(xpos.center), kFunction, "center must be finite", xpos.center);
  detail::require(pair >= 0 && pair < num_pairs, kFunction, "pair must be in 0 .. num_pairs-1", pair);
  detail::require(std::isfinite(position), kFunction, "position must be finite", position);
  using detail::DoubleDouble;
  const DoubleDouble share = DoubleDouble{double(pair)} / DoubleDouble{double(num_pairs)};
  const DoubleDouble zeta = (share + xpos.gamma) / (DoubleDouble{1} + xpos.gamma);
  const DoubleDouble exponent = detail::two_sum(position, -xpos.center) / DoubleDouble{xpos.scale_base};
  const double magnitude = exponent.hi * log(zeta).hi;
  if (magnitude > 710) return std::numeric_limits<double>::infinity();
  if (!(magnitude > -746)) return 0;
  return to_double(pow(zeta, exponent));
}

}  // namespace rotary
