// A folder for a test's own data, gone when the test is.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace rotary::testing {

class DataFolder {
 public:
  DataFolder() {
    std::string name = ::testing::TempDir() + "/rotary-text-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = name;
  }
  ~DataFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  std::string root() const { return root_.string(); }
  std::string path(const std::string& name) const { return (root_ / name).string(); }

  // Writes a file, its folders too, and returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << content;
    return path(name);
  }

  std::string make_folder(const std::string& name) const {
    std::filesystem::create_directories(root_ / name);
    return path(name);
  }

 private:
  std::filesystem::path root_;
};

inline std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace rotary::testing
