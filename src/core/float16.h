// float16 -> float32 by integer arithmetic.
#pragma once

#include <bit>
#include <cstdint>

namespace rotary::detail {

/// Exact.
constexpr float from_float16(std::uint16_t value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value & 0x8000U) << 16;
  const std::uint32_t rest = static_cast<std::uint32_t>(value & 0x7fffU) << 13;
  const std::uint32_t exponent = rest & 0x0f800000U;
  if (exponent == 0x0f800000U) return std::bit_cast<float>(sign | (rest + 0x70000000U));  // infinity, NaN
  if (exponent == 0)                                                                      // zero, denormal
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest + 0x38800000U) -
                                                                    std::bit_cast<float>(0x38800000U)));
  return std::bit_cast<float>(sign | (rest + 0x38000000U));
}

}  // namespace rotary::detail
