// DoubleDouble: the unevaluated sum of two doubles, about 106 bits, from + - * / alone.
//
//     x = hi + lo,  hi = x rounded to double,  |lo| <= ulp(hi) / 2
//
// Error-free transformations: Knuth's sum, and Dekker's product by Veltkamp splitting rather than std::fma, because on
// baseline x86-64 that is a library call per product, while both give the same exact error. Error bounds: Joldes,
// Muller, Popescu, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic" (2017), with u
// = 2^-53. The same bits on every machine that rounds doubles to nearest; valid for magnitudes between about 2^-900 and
// 2^900, where no error term underflows.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <compare>
#include <cstdint>

namespace rotary::detail {

static_assert(FLT_EVAL_METHOD == 0, "double expressions must be rounded to double");

struct DoubleDouble {
  double hi = 0;
  double lo = 0;

  /// Exact.
  static constexpr DoubleDouble from_int64(std::int64_t n);

  friend constexpr auto operator<=>(const DoubleDouble&, const DoubleDouble&) = default;
};

/// a + b exactly.
constexpr DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// a + b exactly, if |a| >= |b| or a is 0.
constexpr DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// The upper 26 bits of a double and the rest, so that products of parts are exact.
constexpr DoubleDouble split(double a) {
  const double shifted = 134217729.0 * a;  // 2^27 + 1
  const double upper = shifted - (shifted - a);
  return {upper, a - upper};
}

/// a * b exactly.
constexpr DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  const DoubleDouble x = split(a);
  const DoubleDouble y = split(b);
  return {product, ((x.hi * y.hi - product) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

constexpr DoubleDouble DoubleDouble::from_int64(std::int64_t n) {
  return two_sum(static_cast<double>(n >> 32) * 4294967296.0, static_cast<double>(n & 0xffffffff));
}

constexpr DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }

/// Relative error <= 2 u^2, whatever cancels.
constexpr DoubleDouble operator+(DoubleDouble a, double b) {
  const DoubleDouble sum = two_sum(a.hi, b);
  return fast_two_sum(sum.hi, a.lo + sum.lo);
}

/// Relative error <= 3 u^2, whatever cancels.
constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble upper = two_sum(a.hi, b.hi);
  const DoubleDouble lower = two_sum(a.lo, b.lo);
  const DoubleDouble sum = fast_two_sum(upper.hi, upper.lo + lower.hi);
  return fast_two_sum(sum.hi, lower.lo + sum.lo);
}

constexpr DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
constexpr DoubleDouble operator-(DoubleDouble a, double b) { return a + -b; }

/// Relative error <= 2 u^2.
constexpr DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble product = two_product(a.hi, b);
  return fast_two_sum(product.hi, a.lo * b + product.lo);
}

/// Relative error <= 5 u^2.
constexpr DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = two_product(a.hi, b.hi);
  return fast_two_sum(product.hi, (a.hi * b.lo + a.lo * b.hi + a.lo * b.lo) + product.lo);
}

/// Three steps of long division: about 2 u^2 relative, and the nearest sum of two doubles when both operands are
/// doubles.
constexpr DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  DoubleDouble rest = a - b * first;
  const double second = rest.hi / b.hi;
  rest = rest - b * second;
  return fast_two_sum(first, second) + rest.hi / b.hi;
}

constexpr double to_double(DoubleDouble x) { return x.hi; }

/// hi + lo rounded once to float32, to nearest even, denormals included.
constexpr float to_float(DoubleDouble x) {
  // hi is first rounded to odd: then it lies strictly on the right side of any float midpoint that it had been rounded
  // onto.
  auto bits = std::bit_cast<std::uint64_t>(x.hi);
  if (x.lo != 0 && (bits & 1) == 0) bits += (x.lo > 0) == (x.hi > 0) ? 1 : ~std::uint64_t{0};
  return static_cast<float>(std::bit_cast<double>(bits));
}

/// a * b + c rounded once to float32: the product of two floats is exact in double.
constexpr float fma_float(float a, float b, float c) {
  return to_float(two_sum(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
}

/// x - n (p[0] + p[1] + p[2]) for an integer-valued n; the error is a few u^2 of the larger of the result and |n| u.
constexpr DoubleDouble subtract_multiple(DoubleDouble x, double n, const double (&p)[3]) {
  const DoubleDouble first = two_product(n, p[0]);
  const DoubleDouble second = two_product(n, p[1]);
  const DoubleDouble upper = two_sum(x.hi, -first.hi) + -first.lo + x.lo;
  return upper + -second.hi + -(second.lo + n * p[2]);
}

/// Nearest integer (halves away from zero), for |x| < 2^62.
inline std::int64_t nearest_integer(double x) { return static_cast<std::int64_t>(x + std::copysign(0.5, x)); }

/// Relative error below 2^-100; |x| <= 700 and, for log, pow and sqrt, x > 0. pow also wants |y log x| <= 600; its
/// error is below 2^-99 for y exactly given and |y| <= 2 (2^-98 when y itself is rounded).
DoubleDouble exp(DoubleDouble x);
DoubleDouble log(DoubleDouble x);
DoubleDouble pow(DoubleDouble x, DoubleDouble y);
DoubleDouble sqrt(DoubleDouble x);

/// Correctly rounded float32 functions, for the reference arithmetics; x > 0 and finite.
float pow_float(float x, float y);
float log_float(float x);

}  // namespace rotary::detail
