// A file that appears under its name as a whole, or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace rotary::detail {

/// Written piece by piece beside its name; commit() gives it the name. Destroyed before that, it leaves nothing.
/// All members throw std::runtime_error naming the file and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  [[noreturn]] void fail(const char* step) const;

  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace rotary::detail
