#include "text/write_file.h"

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace rotary::text {

void write_file(const std::filesystem::path& path, std::string_view contents) {
  std::filesystem::path beside = path;
  beside += ".new";
  errno = 0;
  std::ofstream out(beside, std::ios::binary);
  out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  out.close();
  std::error_code error;
  if (out) {
    std::filesystem::rename(beside, path, error);
    if (!error) return;
  } else {
    error = {errno, std::generic_category()};
  }
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  throw std::runtime_error(path.string() + ": must be writable, got: " + error.message());
}

}  // namespace rotary::text
