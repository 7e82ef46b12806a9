// A table of cosines and sines -> the rotation that it holds.
#include <algorithm>
#include <cmath>

#include "core/measured_angles.h"
#include "core/require.h"

namespace rotary {
namespace {

using namespace detail;

struct Columns {
  std::size_t num_pairs = 0, stride = 1;  // column of pair i: i * stride
  Pairing pairing = Pairing::kHalf;
  bool known = false;
};

// Whether column x holds what column y holds, in both tables.
bool same_columns(std::span<const float> cos, std::span<const float> sin, std::size_t width, std::size_t x,
                  std::size_t y) {
  for (std::size_t row = 0; row < cos.size(); row += width)
    if (cos[row + x] != cos[row + y] || sin[row + x] != sin[row + y]) return false;
  return true;
}

Columns columns_of(std::span<const float> cos, std::span<const float> sin, std::size_t width) {
  const std::size_t half = width / 2;
  const auto twice = [&](auto first, auto second) {
    for (std::size_t i = 0; i < half; ++i)
      if (!same_columns(cos, sin, width, first(i), second(i))) return false;
    return width % 2 == 0;
  };
  if (twice([](std::size_t i) { return i; }, [&](std::size_t i) { return i + half; }))
    return {half, 1, Pairing::kHalf, true};
  if (twice([](std::size_t i) { return 2 * i; }, [](std::size_t i) { return 2 * i + 1; }))
    return {half, 2, Pairing::kInterleaved, true};
  return {width, 1, Pairing::kHalf, false};
}

void require_finite(std::span<const float> values, const char* must_hold) {
  for (float x : values) require(std::isfinite(x), "measure_table", must_hold, x);
}

void set_pairs(RotationMap& map, std::size_t num_pairs, Pairing pairing) {
  const int pairs = static_cast<int>(num_pairs);
  map.channels = 2 * pairs;
  map.pass_to.assign(2 * num_pairs, -1);
  for (int i = 0; i < pairs; ++i) {
    const int a = pairing == Pairing::kHalf ? i : 2 * i, b = pairing == Pairing::kHalf ? i + pairs : 2 * i + 1;
    map.pairs.push_back({a, b, a, b});
  }
}

}  // namespace

MeasuredRotation measure_table(std::span<const float> cos, std::span<const float> sin, std::int64_t num_rows) {
  constexpr const char* kName = "measure_table";
  require(num_rows >= 2, kName, "num_rows must be at least 2", num_rows);
  require(!cos.empty() && cos.size() % static_cast<std::size_t>(num_rows) == 0, kName,
          "cos must have the same number of values in each row", cos.size());
  require(sin.size() == cos.size(), kName, "sin must have as many values as cos", sin.size());
  require_finite(cos, "cos must be finite");
  require_finite(sin, "sin must be finite");
  const std::size_t width = cos.size() / static_cast<std::size_t>(num_rows);
  const Columns columns = columns_of(cos, sin, width);

  MeasuredAngles rows;
  rows.num_pairs = columns.num_pairs;
  rows.value_bits = std::max(value_bits_of(cos), value_bits_of(sin));
  rows.noise = std::ldexp(1.5, -std::min(rows.value_bits, 22));
  for (std::int64_t row = 0; row < num_rows; ++row) {
    rows.positions.push_back(row);
    for (std::size_t i = 0; i < columns.num_pairs; ++i) {
      const std::size_t at = static_cast<std::size_t>(row) * width + i * columns.stride;
      rows.angle.push_back(std::atan2(double{sin[at]}, double{cos[at]}));
      rows.magnitude.push_back(std::hypot(double{sin[at]}, double{cos[at]}));
    }
  }
  MeasuredRotation out;
  out.knows_pairs = columns.known;
  set_pairs(out.map, columns.num_pairs, columns.pairing);
  fit_rotation(rows, out);
  return out;
}

}  // namespace rotary
