// GGUF files made by hand, right or wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "rotary/formats/gguf.h"

namespace rotary::testing {

template <class Number>
std::string le(Number value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

inline std::string u32(std::uint32_t value) { return le(value); }
inline std::string u64(std::uint64_t value) { return le(value); }
inline std::string str(std::string_view text) { return u64(text.size()) + std::string(text); }

inline std::string key(std::string_view name, GgufType type, const std::string& value) {
  return str(name) + u32(static_cast<std::uint32_t>(type)) + value;
}

inline std::string array(GgufType type, std::uint64_t size, const std::string& elements) {
  return u32(static_cast<std::uint32_t>(type)) + u64(size) + elements;
}

inline std::string tensor(std::string_view name, const std::vector<std::uint64_t>& extents, std::uint32_t type,
                          std::uint64_t offset) {
  std::string out = str(name) + u32(static_cast<std::uint32_t>(extents.size()));
  for (const std::uint64_t extent : extents) out += u64(extent);
  return out + u32(type) + u64(offset);
}

struct MadeGguf {
  std::vector<std::string> keys = {}, tensors = {};
  std::size_t num_data = 0;  // bytes 0, 1, 2, ...
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
};

inline std::string gguf(const MadeGguf& parts) {
  std::string out = "GGUF" + u32(parts.version) + u64(parts.tensors.size()) + u64(parts.keys.size());
  for (const std::string& k : parts.keys) out += k;
  for (const std::string& t : parts.tensors) out += t;
  if (parts.num_data > 0) out.resize((out.size() + parts.alignment - 1) / parts.alignment * parts.alignment, '\0');
  for (std::size_t i = 0; i < parts.num_data; ++i) out += static_cast<char>(i);
  return out;
}

inline std::span<const std::byte> gguf_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// What reading the bytes as "x.gguf" throws; "" if nothing.
inline std::string gguf_error(const std::string& bytes) {
  try {
    GgufFile(gguf_bytes(bytes), "x.gguf");
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace rotary::testing
