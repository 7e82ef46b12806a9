// The header of one GGUF file: what is where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rotary/formats/gguf.h"

namespace rotary::detail {

struct GgufHeader {
  std::uint32_t version = 0;
  std::uint64_t alignment = 0;
  std::vector<GgufKey> metadata;    ///< parts of the file's bytes
  std::vector<GgufTensor> tensors;  ///< likewise
};

/// Throws std::runtime_error naming `path`, the byte and the key or tensor; the rules are GgufFile's.
GgufHeader read_gguf_header(std::span<const std::byte> file, const std::string& path);

/// `key "name"`, `tensor "name"`, with the name quoted as JSON and cut.
std::string key_item(std::string_view name);
std::string tensor_item(std::string_view name);

/// Null if there is none of that name. O(n).
const GgufValue* find_key(std::span<const GgufKey> metadata, std::string_view name);

}  // namespace rotary::detail
