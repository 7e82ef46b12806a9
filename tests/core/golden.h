// Reading golden files and measuring the distance to them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace rotary::testing {

inline std::ifstream open_golden(const std::string& name) {
  std::ifstream file(std::string(ROTARY_TEST_DATA) + "/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open golden file " + name);
  return file;
}

/// The elements of a raw little-endian array.
template <class T>
std::vector<T> read_golden(const std::string& name) {
  std::ifstream file = open_golden(name);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(values.data()));
  return values;
}

/// Number of floats between two floats.
inline std::int64_t ulps_apart(float a, float b) {
  const auto rank = [](float x) {
    const auto bits = std::bit_cast<std::int32_t>(x);
    return static_cast<std::int64_t>(bits < 0 ? std::int32_t{-0x7fffffff - 1} - bits : bits);
  };
  return std::abs(rank(a) - rank(b));
}

/// Counts values that are bit-equal to the golden ones, and the largest distance of the others.
struct Agreement {
  std::int64_t equal = 0, total = 0, worst_ulps = 0;

  void add(float got, float want) {
    ++total;
    equal += got == want;
    worst_ulps = std::max(worst_ulps, ulps_apart(got, want));
  }
  double share() const { return static_cast<double>(equal) / static_cast<double>(total); }
};

}  // namespace rotary::testing
