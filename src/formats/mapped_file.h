// A file's bytes in memory, without reading them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace rotary::detail {

struct MappedFile {
  std::shared_ptr<const void> memory;  ///< unmapped with its last owner; none for an empty file
  std::span<const std::byte> bytes;
};

/// Read only. Throws std::runtime_error naming the file if it is not a regular file that can be opened.
MappedFile map_file(const std::string& path);

}  // namespace rotary::detail
