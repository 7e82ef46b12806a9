#include "formats/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace rotary::detail {
namespace {

// Two threads that write the same file must not share a temporary one; two processes differ by their number.
std::string beside(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return path + "." + std::to_string(::getpid()) + "." + std::to_string(count++) + ".tmp";
}

// So that the new name, too, survives a crash. The file is complete by now and some file systems refuse this for
// folders: a failure is no failure of the write.
void flush_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  namespace fs = std::filesystem;
  // A rename would put a file in the place of a device, as root even of /dev/null.
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw std::runtime_error(path + ": must be a regular file to be written, got " +
                             (fs::is_directory(status) ? "a folder" : "something else"));
  do {
    temporary_ = beside(path);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && (errno == EEXIST || errno == EINTR));
  if (descriptor_ < 0) fail("opened");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;  // Linux takes less than 2 GiB in one call
  while (!bytes.empty()) {
    const ::ssize_t written = ::write(descriptor_, bytes.data(), std::min(bytes.size(), kMaxAtOnce));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("written");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("flushed");
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail("closed");  // a network file system may say only here that it is full
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("renamed");
  temporary_.clear();
  flush_folder_of(path_);
}

void AtomicFile::fail(const char* step) const {
  const int error = errno;
  throw std::runtime_error(path_ + ": must be writable, got an error when its temporary file was " + step + ": " +
                           std::generic_category().message(error));
}

}  // namespace rotary::detail
