#include "formats/safetensors_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "core/require.h"
#include "formats/json_reader.h"

namespace rotary::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "the format's integers and elements are little-endian");

[[noreturn]] void fail(const std::string& place, const std::string& must_hold, const std::string& got) {
  throw std::runtime_error(place + ": " + must_hold + ", got " + got);
}

std::string_view header_of(std::span<const std::byte> file, const std::string& path) {
  std::uint64_t size = 0;
  if (file.size() < sizeof size)
    fail(path, "must begin with the 8 bytes of the header's size", "a file of " + std::to_string(file.size()));
  std::memcpy(&size, file.data(), sizeof size);
  if (size > kMaxHeaderBytes)
    fail(path, "the header must have at most " + std::to_string(kMaxHeaderBytes) + " bytes", std::to_string(size));
  if (size > file.size() - sizeof size)
    fail(path, "the header must lie within the file's " + std::to_string(file.size()) + " bytes",
         std::to_string(size) + " bytes after the first 8");
  const std::string_view header(reinterpret_cast<const char*>(file.data()) + sizeof size, size);
  if (!header.starts_with('{'))
    fail(path, "the header must begin with {", header.empty() ? "nothing" : show(Json(header.substr(0, 1))));
  return header;
}

// A list of numbers 0, 1, ...: extents or offsets.
std::vector<std::int64_t> whole_numbers(const Json& node, const char* key, const std::string& place) {
  const auto found = node.find(key);
  if (found == node.end()) fail(place, std::string(key) + " must be given", show(node));
  std::vector<std::int64_t> out;
  bool ok = found->is_array();
  for (std::size_t i = 0; ok && i < found->size(); ++i) {
    const Json& value = (*found)[i];
    ok = value.is_number_unsigned() && value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
    if (ok) out.push_back(value.get<std::int64_t>());
  }
  if (!ok) fail(place, std::string(key) + " must be a list of whole numbers from 0 to 2^63 - 1", show(*found));
  return out;
}

StoredDType dtype_of(const Json& node, const std::string& place) {
  const auto found = node.find("dtype");
  if (found == node.end()) fail(place, "dtype must be given", show(node));
  const auto dtype = found->is_string() ? parse_stored_dtype(found->get_ref<const std::string&>()) : std::nullopt;
  if (!dtype) fail(place, "dtype must be one of the format's (F64, F32, F16, BF16, I64, ...)", show(*found));
  return *dtype;
}

StoredTensor tensor_of(const std::string& name, const Json& node, std::span<const std::byte> data,
                       const std::string& place) {
  if (!node.is_object()) fail(place, "must be an object with dtype, shape and data_offsets", show(node));
  StoredTensor out{name, dtype_of(node, place), whole_numbers(node, "shape", place), {}};
  if (out.shape.size() > kMaxDimensions)
    fail(place, "shape must have at most 64 dimensions", std::to_string(out.shape.size()));
  const std::vector<std::int64_t> offsets = whole_numbers(node, "data_offsets", place);
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    fail(place, "data_offsets must be a begin and an end not before it", show(node.at("data_offsets")));
  const auto begin = static_cast<std::uint64_t>(offsets[0]), end = static_cast<std::uint64_t>(offsets[1]);
  if (end > data.size())
    fail(place, "data_offsets must lie within the " + std::to_string(data.size()) + " bytes of data",
         show(node.at("data_offsets")));
  const auto needed = num_bytes(out.dtype, out.shape);
  const std::string type_and_shape = std::string(to_string(out.dtype)) + " of shape " + show(node.at("shape"));
  if (!needed) fail(place, "must have a size in whole bytes below 2^64", type_and_shape);
  if (*needed != end - begin)
    fail(place, type_and_shape + " must have " + std::to_string(*needed) + " bytes", std::to_string(end - begin));
  out.data = data.subspan(begin, end - begin);
  return out;
}

std::map<std::string, std::string> metadata_of(const Json& node, const std::string& path) {
  const std::string place = path + ": " + std::string(kMetadataKey);
  if (!node.is_object()) fail(place, "must be an object of strings", show(node));
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : node.items()) {
    if (!value.is_string()) fail(place + ": " + show(Json(key)), "must be a string", show(value));
    out.emplace(key, value.get_ref<const std::string&>());
  }
  return out;
}

// Sorts the tensors by their place; from the first byte to the last, each must begin where the one before it ends.
void order_and_check_cover(std::vector<StoredTensor>& tensors, std::span<const std::byte> data,
                           const std::string& path) {
  const auto begin = [&](const StoredTensor& t) { return static_cast<std::size_t>(t.data.data() - data.data()); };
  std::ranges::stable_sort(tensors, {}, [&](const StoredTensor& t) { return std::tuple(begin(t), t.data.size()); });
  std::size_t covered = 0;
  for (const StoredTensor& tensor : tensors) {
    if (begin(tensor) != covered)
      fail(place_of(path, tensor.name),
           "must begin at byte " + std::to_string(covered) + " of the data, where the one before it ends",
           std::to_string(begin(tensor)) + (begin(tensor) < covered ? ": they overlap" : ": there is a hole"));
    covered += tensor.data.size();
  }
  if (covered != data.size())
    fail(path, "the tensors must fill the " + std::to_string(data.size()) + " bytes of data",
         std::to_string(covered) + " bytes");
}

}  // namespace

SafetensorsHeader read_safetensors_header(std::span<const std::byte> file, const std::string& path) {
  const std::string_view header = header_of(file, path);
  const std::span<const std::byte> data = file.subspan(sizeof(std::uint64_t) + header.size());
  const JsonDocument document =
      parse_json(header, path + ": header", {.max_bytes = kMaxHeaderBytes, .python_numbers = false});
  if (!document.duplicate_keys.empty())
    fail(path, "the header must not give a key twice", document.duplicate_keys.front());
  SafetensorsHeader out;
  out.tensors.reserve(document.root.size());
  for (const auto& [name, node] : document.root.items()) {
    if (name != kMetadataKey)
      out.tensors.push_back(tensor_of(name, node, data, place_of(path, name)));
    else if (!node.is_null())
      out.metadata = metadata_of(node, path);
  }
  order_and_check_cover(out.tensors, data, path);
  return out;
}

std::optional<std::uint64_t> num_bytes(StoredDType dtype, std::span<const std::int64_t> shape) {
  auto bits = static_cast<std::uint64_t>(bits_of(dtype));
  std::uint64_t elements = 1;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(extent), &elements)) return std::nullopt;
  if (__builtin_mul_overflow(elements, bits, &bits) || bits % 8 != 0) return std::nullopt;
  return bits / 8;
}

std::string place_of(const std::string& path, std::string_view tensor) {
  return path + ": tensor " + show(Json(tensor));
}

}  // namespace rotary::detail
