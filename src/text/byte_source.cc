#include "text/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "text/data_error.h"

namespace rotary::text {
namespace {

class MemorySource : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes) : ByteSource(std::move(name)), rest_(bytes) {}

  std::size_t read(char* out, std::size_t size) override {
    size = std::min(size, rest_.size());
    if (size != 0) std::memcpy(out, rest_.data(), size);
    rest_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view rest_;
};

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : ByteSource(path == "-" ? "standard input" : path) {
    if (path == "-") {
      file_ = stdin;
      return;
    }
    errno = 0;
    owned_.reset(std::fopen(path.c_str(), "rb"));
    if (!owned_) fail_to_read(path, errno);
    file_ = owned_.get();
  }

  std::size_t read(char* out, std::size_t size) override {
    errno = 0;
    const std::size_t count = std::fread(out, 1, size, file_);
    if (count == 0 && std::ferror(file_) != 0) fail_to_read(name(), errno);
    return count;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }  // read only: nothing to lose
  };
  std::unique_ptr<std::FILE, Close> owned_;
  std::FILE* file_ = nullptr;
};

}  // namespace

std::unique_ptr<ByteSource> memory_source(std::string name, std::string_view bytes) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

std::unique_ptr<ByteSource> file_source(const std::string& path) { return std::make_unique<FileSource>(path); }

}  // namespace rotary::text
