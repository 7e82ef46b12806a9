// Hashes that are the same on every machine.
#pragma once

#include <cstdint>

namespace rotary::text {

/// A bijection of 64-bit numbers that spreads every bit (the finaliser of SplitMix64; Steele, Lea and Flood 2014).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// `hash` continued by `value`; the order counts.
constexpr std::uint64_t chain64(std::uint64_t hash, std::uint64_t value) { return mix64(hash ^ mix64(value)); }

}  // namespace rotary::text
