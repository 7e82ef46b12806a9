// Random numbers that are the same on every machine and depend on what they are for, not on what was drawn before: a
// SplitMix64 generator (Steele, Lea, Flood 2014) that starts from a seed and a list of counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace rotary::text {

/// What a stream is for: the first counter, so that no two uses share numbers.
enum RandomUse : std::uint64_t {
  kDrawLines = 1,
  kShuffleDocuments,
  kDrawCrop,
  kShuffleBatches,
  kDrawMasks,
  kDropTokens
};

class Random {
 public:
  explicit Random(std::uint64_t seed, std::initializer_list<std::uint64_t> counters = {}) : state_(seed) {
    for (const std::uint64_t counter : counters) state_ = mix(next() + counter);
  }

  std::uint64_t next() {
    state_ += kStep;
    return mix(state_);
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Uniform in 0 … bound−1, without bias. `bound` must be positive.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t uneven = (0 - bound) % bound;  // 2^64 mod bound
    std::uint64_t x = next();
    while (x < uneven) x = next();
    return x % bound;
  }

  /// Fisher and Yates's shuffle.
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;

  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
  }

  std::uint64_t state_;
};

}  // namespace rotary::text
