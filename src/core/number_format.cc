#include <algorithm>
#include <cmath>
#include <limits>

#include "rotary/precision.h"

namespace rotary {
namespace {

struct Shape {
  std::string_view name;
  int bits;           // significant, the leading one included
  int least_power;    // exponent of the smallest normal number
  int largest_power;  // of the largest
};

const Shape& shape_of(NumberFormat format) {
  static constexpr Shape kShapes[] = {
      {"float16", 11, -14, 15}, {"bfloat16", 8, -126, 127}, {"tfloat32", 11, -126, 127}, {"float32", 24, -126, 127}};
  return kShapes[static_cast<std::size_t>(format)];
}

}  // namespace

std::string_view to_string(NumberFormat format) { return shape_of(format).name; }
int significant_bits(NumberFormat format) { return shape_of(format).bits; }

double rounded_to(NumberFormat format, double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const Shape& shape = shape_of(format);
  const int unit = std::max(std::ilogb(x), shape.least_power) - (shape.bits - 1);
  const double steps = std::ldexp(x, -unit);  // exact: below 2^53 in magnitude
  // Adding and taking away 2^52 rounds to a whole number, ties to even; a double of 53 bits is whole already.
  constexpr double kShift = 4503599627370496.0;
  const double whole = std::copysign((std::fabs(steps) + kShift) - kShift, x);
  const double rounded = std::ldexp(whole, unit);
  return std::ilogb(rounded) > shape.largest_power && rounded != 0
             ? std::copysign(std::numeric_limits<double>::infinity(), x)
             : rounded;
}

std::int64_t first_equal_positions(NumberFormat format) { return std::int64_t{1} << significant_bits(format); }

}  // namespace rotary
