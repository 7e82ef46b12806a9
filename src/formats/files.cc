#include "rotary/formats/files.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <system_error>

#include "formats/atomic_file.h"
#include "formats/descriptor.h"

namespace rotary {
namespace {

std::string limit(std::size_t max_bytes) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  return max_bytes % kMebibyte == 0 ? std::to_string(max_bytes / kMebibyte) + " MiB"
                                    : std::to_string(max_bytes) + " bytes";
}

[[noreturn]] void fail(const std::string& path, const std::string& got) {
  throw std::runtime_error(path + ": must be a readable file, got" + got);
}

// Waits for a pipe or a terminal, also for its first writer, but not for ever.
std::size_t read_some(int file, std::span<char> out, const std::string& path) {
  constexpr int kPatienceMs = 10'000;
  for (;;) {
    pollfd wait{file, POLLIN, 0};
    if (::poll(&wait, 1, kPatienceMs) == 0) fail(path, " nothing for 10 seconds");
    const ssize_t got = ::read(file, out.data(), out.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN) fail(path, ": " + std::generic_category().message(errno));
  }
}

}  // namespace

std::string read_file(const std::string& path, std::size_t max_bytes) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > max_bytes)
    throw std::runtime_error(path + ": must be at most " + limit(max_bytes) + ", got " + std::to_string(size) +
                             " bytes");
  const detail::Descriptor file(path);
  if (file.number() < 0) fail(path, ": " + std::generic_category().message(errno));
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t got = read_some(file.number(), buffer, path)) {
    text.append(buffer, got);
    if (text.size() > max_bytes)
      throw std::runtime_error(path + ": must be at most " + limit(max_bytes) + ", got more");
  }
  return text;
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  detail::AtomicFile file(path);
  file.write(std::as_bytes(std::span(bytes)));
  file.commit();
}

}  // namespace rotary
