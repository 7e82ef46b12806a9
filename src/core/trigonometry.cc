// The picture: angle = quadrant * pi/2 + rest, |rest| <= pi/4, in double-double. The plain double series of the rest is
// good to 2^-51; if everything within 2^-50 of it rounds to the same float, that float is the correctly rounded value
// (Ziv's test), else (one value in some 10^7) the double-double series decides.
#include "core/trigonometry.h"

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/trigonometric_series.h"

namespace rotary::detail {
namespace {

struct ReducedAngle {
  DoubleDouble rest;
  std::int64_t quadrant = 0;
};

ReducedAngle reduce(DoubleDouble angle) {
  const std::int64_t n = nearest_integer(angle.hi * kTwoOverPi);
  if (n == 0) return {angle, 0};
  return {subtract_multiple(angle, static_cast<double>(n), kHalfPi), n};
}

// Beyond 2^45 the first quotient is itself rounded, and the rest of the first step is reduced once more.
ReducedAngle reduce_fully(DoubleDouble angle) {
  if (std::fabs(angle.hi) < 0x1p45) [[likely]]
    return reduce(angle);
  if (!(std::fabs(angle.hi) < 0x1p62)) return {{std::numeric_limits<double>::quiet_NaN(), 0}, 0};
  const ReducedAngle coarse = reduce(angle);
  const ReducedAngle fine = reduce(coarse.rest);
  return {fine.rest, coarse.quadrant + fine.quadrant};
}

// cos and sin of the rest, moved to the quadrant.
template <class Real>
std::pair<Real, Real> in_quadrant(std::int64_t quadrant, Real cos, Real sin) {
  if (quadrant & 1) cos = -std::exchange(sin, cos);
  return quadrant & 2 ? std::pair{-cos, -sin} : std::pair{cos, sin};
}

// sum over n = first, first + 2, ... last of (-1)^((n - first) / 2) w^((n - first) / 2) / n!
template <int kFirst, int kLast, class Real>
Real alternating_series(Real w) {
  Real sum{};
  for (int n = kLast; n >= kFirst; n -= 2) {
    const DoubleDouble& c = kInverseFactorial[static_cast<std::size_t>(n)];
    if constexpr (std::is_same_v<Real, double>)
      sum = c.hi - w * sum;
    else
      sum = c - w * sum;
  }
  return sum;
}

// Stores the float32 nearest to every value within 2^-50 of `value`, or returns false.
bool round_safely(double value, float& out) {
  const double margin = value * 0x1p-50;
  out = static_cast<float>(value + margin);
  return out == static_cast<float>(value - margin);
}

}  // namespace

SinCos sincos(DoubleDouble angle) {
  const ReducedAngle reduced = reduce_fully(angle);
  const DoubleDouble r = reduced.rest;
  const DoubleDouble w = r * r;
  const DoubleDouble sin = r - r * (w * alternating_series<3, 27>(w));
  const DoubleDouble cos = -(w * alternating_series<2, 28>(w)) + 1.0;
  const auto [x, y] = in_quadrant(reduced.quadrant, cos, sin);
  return {y, x};
}

CosSin cos_sin_float(DoubleDouble angle, double factor) {
  const ReducedAngle reduced = reduce_fully(angle);
  const auto [r, low] = reduced.rest;
  const double w = r * r;
  const double half = 0.5 * w;
  const double sin = r - (r * w * alternating_series<3, 17>(w) - low * (1 - half));
  const double cos = 1 - (half - (w * w * alternating_series<4, 18>(w) - r * low));
  const auto [x, y] = in_quadrant(reduced.quadrant, cos, sin);
  CosSin out;
  const bool safe =
      static_cast<int>(round_safely(x * factor, out.cos)) & static_cast<int>(round_safely(y * factor, out.sin));
  if (!safe) [[unlikely]] {
    const SinCos exact = sincos(angle);
    out = {to_float(exact.cos * factor), to_float(exact.sin * factor)};
  }
  out.sin += 0.0F;  // -0 for a zero angle of a negative frequency
  return out;
}

// Arm's optimized routines, which glibc took over, evaluate in double: pi/2 as one double with a fused product below
// 120, polynomials of degree 7 and 8 fitted on [-pi/4, pi/4]. What they contract elsewhere shows in no more than one
// float in 10^8.
CosSin cos_sin_glibc(float angle) {
  constexpr double kSin[3] = {-0x1.555545995a603p-3, 0x1.1107605230bc4p-7, -0x1.994eb3774cf24p-13};
  constexpr double kCos[4] = {-0x1.ffffffd0c621cp-2, 0x1.55553e1068f19p-5, -0x1.6c087e89a359dp-10,
                              0x1.99343027bf8c3p-16};
  ReducedAngle reduced = reduce_fully(DoubleDouble{angle});
  if (std::fabs(angle) < 120) {
    const DoubleDouble multiple = two_product(static_cast<double>(reduced.quadrant), kHalfPi[0]);
    reduced.rest.hi = (angle - multiple.hi) - multiple.lo;
  }
  const double r = reduced.rest.hi;
  const double w = r * r;
  const double sin = (r + r * w * kSin[0]) + r * w * w * (kSin[1] + w * kSin[2]);
  const double cos = ((1 + w * kCos[0]) + w * w * kCos[1]) + w * w * w * (kCos[2] + w * kCos[3]);
  const auto [x, y] = in_quadrant(reduced.quadrant, cos, sin);
  return {static_cast<float>(x), static_cast<float>(y)};
}

}  // namespace rotary::detail
