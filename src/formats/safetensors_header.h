// The header of a safetensors file: what is where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rotary/formats/stored_tensor.h"

namespace rotary::detail {

constexpr std::size_t kMaxHeaderBytes = 100'000'000;  ///< the reference implementation's limit
constexpr std::size_t kMaxDimensions = 64;            ///< PyTorch's and NumPy's limit
constexpr std::string_view kMetadataKey = "__metadata__";

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  ///< in the order of their data, which are parts of the file's bytes
  std::map<std::string, std::string> metadata;
};

/// Throws std::runtime_error naming `path` and the tensor; the rules are SafetensorsFile's.
SafetensorsHeader read_safetensors_header(std::span<const std::byte> file, const std::string& path);

/// Bytes of a tensor; none if they overflow or are not whole. Extents must not be negative.
std::optional<std::uint64_t> num_bytes(StoredDType dtype, std::span<const std::int64_t> shape);

/// `path: tensor "name"`, with the name quoted as JSON and cut.
std::string place_of(const std::string& path, std::string_view tensor);

}  // namespace rotary::detail
