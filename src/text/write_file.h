#pragma once

#include <filesystem>
#include <string_view>

namespace rotary::text {

/// Writes a file beside its final name and renames it: a crash leaves the old contents or the new. Throws
/// std::runtime_error naming the file.
void write_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace rotary::text
