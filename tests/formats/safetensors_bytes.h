// Safetensors files made by hand, right or wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "rotary/formats/safetensors.h"

namespace rotary::testing {

// A header of whatever text, preceded by its size, and `num_data` bytes 0, 1, 2, ...
inline std::string safetensors(const std::string& header, std::size_t num_data = 0) {
  const std::uint64_t size = header.size();
  std::string out(sizeof size, '\0');
  std::memcpy(out.data(), &size, sizeof size);
  out += header;
  for (std::size_t i = 0; i < num_data; ++i) out += static_cast<char>(i);
  return out;
}

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// What reading the bytes as "x.safetensors" throws; "" if nothing.
inline std::string safetensors_error(const std::string& bytes) {
  try {
    SafetensorsFile(bytes_of(bytes), "x.safetensors");
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace rotary::testing
