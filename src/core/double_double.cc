#include "core/double_double.h"

#include <array>
#include <cstddef>

namespace rotary::detail {
namespace {

constexpr double kLn2[3] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1934p-111};
constexpr double kOneOverLn2 = 0x1.71547652b82fep+0;
constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;

// Scaling by a power of two is exact, so std::ldexp and std::frexp give the same bits everywhere.
DoubleDouble scaled(DoubleDouble x, std::int64_t exponent) {
  const int e = static_cast<int>(exponent);
  return {std::ldexp(x.hi, e), std::ldexp(x.lo, e)};
}

// x = 2^exponent * mantissa, mantissa in [sqrt(1/2), sqrt(2)).
struct Split {
  DoubleDouble mantissa;
  int exponent = 0;
};

Split split_exponent(DoubleDouble x) {
  int exponent = 0;
  if (std::frexp(x.hi, &exponent) < kSqrtHalf) --exponent;
  return {scaled(x, -exponent), exponent};
}

// log m = 2 (z + z^3/3 + z^5/5 + ...), z = (m-1)/(m+1), |z| <= 0.1716: the first term left out is below 2^-111 of the
// sum.
DoubleDouble log_of_mantissa(DoubleDouble m) {
  constexpr int kTerms = 22;
  const DoubleDouble z = (m - 1.0) / (m + 1.0);
  const DoubleDouble square = z * z;
  DoubleDouble sum;
  for (int k = kTerms - 1; k > 0; --k) sum = (sum + DoubleDouble{1} / DoubleDouble{2.0 * k + 1}) * square;
  return (z + z * sum) * 2.0;
}

}  // namespace

// exp x = 2^n exp r, n = x / ln 2 rounded, |r| <= 0.35: 25 terms of Taylor's series leave 2^-118.
DoubleDouble exp(DoubleDouble x) {
  constexpr int kTerms = 25;
  const std::int64_t n = nearest_integer(x.hi * kOneOverLn2);
  const DoubleDouble r = subtract_multiple(x, static_cast<double>(n), kLn2);
  DoubleDouble sum{1};
  for (int k = kTerms; k > 0; --k) sum = r * sum / DoubleDouble{double(k)} + 1.0;
  return scaled(sum, n);
}

DoubleDouble log(DoubleDouble x) {
  const Split parts = split_exponent(x);
  return subtract_multiple(log_of_mantissa(parts.mantissa), -parts.exponent, kLn2);
}

// x^y = 2^(e y) m^y. The integer part of e y is taken out before anything is rounded: y log x as one product would lose
// log2(y log x) bits, 6 for the inverse frequencies of a large base.
DoubleDouble pow(DoubleDouble x, DoubleDouble y) {
  const Split parts = split_exponent(x);
  const DoubleDouble product = two_product(y.hi, parts.exponent);
  const std::int64_t n = nearest_integer(product.hi);
  const DoubleDouble fraction = two_sum(product.hi - static_cast<double>(n), product.lo) + y.lo * parts.exponent;
  return scaled(exp(fraction * DoubleDouble{kLn2[0], kLn2[1]} + log_of_mantissa(parts.mantissa) * y), n);
}

// One Newton step doubles the 53 bits of the square-root instruction.
DoubleDouble sqrt(DoubleDouble x) {
  const double root = std::sqrt(x.hi);
  if (root == 0) return {};
  return fast_two_sum(root, (x - two_product(root, root)).hi / (2 * root));
}

float pow_float(float x, float y) {
  if (std::isinf(x)) return std::pow(x, y);  // a product that overflowed
  DoubleDouble exact = pow(DoubleDouble{x}, DoubleDouble{y});
  // Powers can be floats or midpoints of floats, which noise in lo would push off.
  if (std::fabs(exact.lo) < 0x1p-96 * exact.hi) exact.lo = 0;
  return to_float(exact);
}

float log_float(float x) { return to_float(log(DoubleDouble{x})); }

}  // namespace rotary::detail
