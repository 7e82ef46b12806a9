// bfloat16 <-> float32 by integer arithmetic: no conversion instruction, the same bits everywhere.
#pragma once

#include <bit>
#include <cstdint>

namespace rotary::detail {

/// The bfloat16 nearest to a float32, ties to even; overflow gives infinity, denormals are kept, a NaN stays a (quiet)
/// NaN with its sign and the upper bits of its payload.
constexpr std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto upper = static_cast<std::uint16_t>(bits >> 16);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>(upper | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (upper & 1U)) >> 16);
}

/// Exact.
constexpr float from_bfloat16(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

constexpr float rounded_to_bfloat16(float value) { return from_bfloat16(to_bfloat16(value)); }

}  // namespace rotary::detail
