// Bytes of a file, of the standard input or of memory, one block after the other, unpacked where they are gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace rotary::text {

class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Puts up to `size` > 0 bytes at `out` and returns how many; 0 at the end. Throws std::runtime_error.
  virtual std::size_t read(char* out, std::size_t size) = 0;

  /// For messages.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// The bytes in `bytes`, which must outlive the source.
std::unique_ptr<ByteSource> memory_source(std::string name, std::string_view bytes);

/// The bytes of a file; "-" is the standard input. Throws std::runtime_error for what cannot be opened.
std::unique_ptr<ByteSource> file_source(const std::string& path);

/// What `packed` holds: unpacked where it begins like gzip (one member or several), as it is otherwise. Reading throws
/// std::runtime_error for gzip that ends early, is damaged or is followed by other bytes.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> packed);

}  // namespace rotary::text
