#include "formats/numpy_file.h"

#include <stdexcept>
#include <string_view>

#include "formats/mapped_file.h"
#include "formats/tensor_values.h"

namespace rotary::detail {
namespace {

constexpr std::size_t kMaxHeader = 65536;
constexpr std::size_t kMaxValues = std::size_t{1} << 31;

[[noreturn]] void fail(const std::string& path, const std::string& must_hold, const std::string& got) {
  throw std::runtime_error(path + ": must " + must_hold + ", got " + got);
}

// The header's text, and where the data begins.
std::string_view header_of(std::string_view bytes, const std::string& path, std::size_t& data) {
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12) fail(path, "be a NumPy array (.npy)", "other bytes");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const bool is_long = byte(6) > 1;
  std::size_t size = byte(8) | byte(9) << 8;
  if (is_long) size |= byte(10) << 16 | byte(11) << 24;
  const std::size_t begin = is_long ? 12 : 10;
  if (size > kMaxHeader || size > bytes.size() - begin)
    fail(path, "have a header within the file and " + std::to_string(kMaxHeader) + " bytes", std::to_string(size));
  data = begin + size;
  return bytes.substr(begin, size);
}

// The text behind 'key': up to one of `ends`, without the character `begin` before it. The header is a Python literal,
// but NumPy writes it in one form.
std::string_view field(std::string_view header, std::string_view key, std::string_view begin, std::string_view ends,
                       const std::string& path) {
  const std::size_t at = header.find(key);
  const std::size_t first =
      at == header.npos ? at : header.find_first_not_of(" :" + std::string(begin), at + key.size());
  const std::size_t last = first == header.npos ? first : header.find_first_of(ends, first);
  if (last == header.npos) fail(path, "have " + std::string(key) + " in its header", std::string(header.substr(0, 80)));
  return header.substr(first, last - first);
}

std::vector<std::int64_t> to_shape(std::string_view text, const std::string& path) {
  std::vector<std::int64_t> out;
  std::int64_t extent = 0;
  bool in_number = false;
  const auto end_number = [&] {
    if (in_number) out.push_back(extent);
    in_number = false;
    extent = 0;
  };
  for (char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if ((!is_digit && c != ',' && c != ' ') || extent > (std::int64_t{1} << 40) || out.size() > 8)
      fail(path, "have a sensible shape", "(" + std::string(text) + ")");
    if (!is_digit) {
      end_number();
      continue;
    }
    extent = extent * 10 + (c - '0');
    in_number = true;
  }
  end_number();
  return out;
}

StoredDType to_dtype(std::string_view type, const std::string& path) {
  if (type == "<f2") return StoredDType::kFloat16;
  if (type == "<f4") return StoredDType::kFloat32;
  if (type == "<f8") return StoredDType::kFloat64;
  fail(path, "hold little-endian floats of 16, 32 or 64 bits", "'" + std::string(type) + "'");
}

}  // namespace

NumpyArray read_numpy(const std::string& path) {
  const MappedFile file = map_file(path);
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  std::size_t data = 0;
  const std::string_view header = header_of(bytes, path, data);
  if (field(header, "'fortran_order'", "", ",}", path) != "False") fail(path, "be in C order", "another");
  StoredTensor tensor;
  tensor.name = "array";
  tensor.dtype = to_dtype(field(header, "'descr'", "'", "'", path), path);
  // An empty shape is a number.
  tensor.shape = to_shape(field(header, "'shape'", "(", ")", path), path);
  std::size_t count = 1;
  for (std::int64_t extent : tensor.shape) {
    if (extent != 0 && count > kMaxValues / static_cast<std::size_t>(extent))
      fail(path, "have a sensible size", "more");
    count *= static_cast<std::size_t>(extent);
  }
  const std::size_t wanted = count * static_cast<std::size_t>(bits_of(tensor.dtype) / 8);
  if (bytes.size() - data != wanted)
    fail(path, "hold " + std::to_string(wanted) + " bytes of data", std::to_string(bytes.size() - data));
  tensor.data = file.bytes.subspan(data);
  NumpyArray out{tensor.shape, std::vector<float>(count)};
  read_float_into(tensor, path, out.values);
  return out;
}

}  // namespace rotary::detail
