#include "rotary/formats/files.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <system_error>

#include "formats/atomic_file.h"

namespace rotary {
namespace {

std::string limit(std::size_t max_bytes) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  return max_bytes % kMebibyte == 0 ? std::to_string(max_bytes / kMebibyte) + " MiB"
                                    : std::to_string(max_bytes) + " bytes";
}

}  // namespace

std::string read_file(const std::string& path, std::size_t max_bytes) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > max_bytes)
    throw std::runtime_error(path + ": must be at most " + limit(max_bytes) + ", got " + std::to_string(size) +
                             " bytes");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": must be a readable file, got: " + std::generic_category().message(errno));
  std::string text;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_bytes)
      throw std::runtime_error(path + ": must be at most " + limit(max_bytes) + ", got more");
  }
  if (in.bad()) throw std::runtime_error(path + ": must be a readable file, got a read error");
  return text;
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  detail::AtomicFile file(path);
  file.write(std::as_bytes(std::span(bytes)));
  file.commit();
}

}  // namespace rotary
