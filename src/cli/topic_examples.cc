#include "cli/topic_examples.h"

#include <cmath>
#include <cstdio>
#include <numeric>
#include <span>
#include <utility>

#include "rotary/apply.h"

namespace rotary::cli {
namespace {

std::string printed(const char* pattern, double x) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, x);
  return text;
}

}  // namespace

RotationMap plain_map(int width, double base, Pairing pairing) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = width;
  spec.base = base;
  spec.pairing = spec.output_pairing = pairing;
  return make_rotation_map(spec);
}

RotationMap one_pair(double frequency) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = 2;
  spec.scaling = GivenFrequencies{1, {frequency}};
  return make_rotation_map(spec);
}

Vector turned(const RotationMap& map, Vector x, double position) {
  const auto heads = thd<void>(x.data(), DType::kFloat64, 1, 1, map.channels);
  apply_rotary_inplace(Rotary(map), heads, PositionIds{std::span<const double>(&position, 1)});
  return x;
}

double dot(const Vector& x, const Vector& y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0); }

std::string fixed(double x) { return printed("%.5f", std::fabs(x) < 5e-6 ? 0 : x); }

std::string fixed(const Vector& x) {
  std::string out;
  for (double value : x) out += (out.empty() ? "(" : ", ") + fixed(value);
  return out + ")";
}

std::string short_number(double x) { return printed(std::fabs(x) >= 1000 && std::fabs(x) < 1e6 ? "%.0f" : "%.3g", x); }

}  // namespace rotary::cli
