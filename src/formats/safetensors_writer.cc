#include <algorithm>
#include <set>

#include "core/require.h"
#include "formats/atomic_file.h"
#include "formats/json_reader.h"
#include "formats/safetensors_header.h"
#include "rotary/formats/safetensors.h"

namespace rotary {
namespace {

using namespace detail;

constexpr const char* kFunction = "write_safetensors";

void validate_tensors(std::span<const StoredTensor> tensors) {
  std::set<std::string_view> names;
  for (const StoredTensor& tensor : tensors) {
    const std::string name = show(Json(tensor.name));
    require(tensor.name != kMetadataKey, kFunction, "no tensor must have the name of the metadata", name);
    require(names.insert(tensor.name).second, kFunction, "tensors must have names of their own", name + " twice");
    require(tensor.shape.size() <= kMaxDimensions, kFunction, "tensor " + name + " must have at most 64 dimensions",
            tensor.shape.size());
    for (const std::int64_t extent : tensor.shape)
      require(extent >= 0, kFunction, "the extents of tensor " + name + " must not be negative", extent);
    const auto needed = num_bytes(tensor.dtype, tensor.shape);
    require(needed.has_value(), kFunction, "tensor " + name + " must have a size in whole bytes below 2^64",
            show(Json(tensor.shape)));
    require(tensor.data.size() == *needed, kFunction,
            "the data of tensor " + name + " must have " + std::to_string(*needed) + " bytes", tensor.data.size());
  }
}

std::string quoted(const std::string& text) {
  try {
    return Json(text).dump();
  } catch (const Json::type_error&) {
    require(false, kFunction, "names and metadata must be UTF-8", show(Json(text)));
    throw;  // not reached
  }
}

std::string metadata_text(const std::map<std::string, std::string>& metadata) {
  std::string out;
  for (const auto& [key, value] : metadata) out += (out.empty() ? "" : ",") + quoted(key) + ":" + quoted(value);
  return out;
}

std::string tensor_text(const StoredTensor& tensor, std::uint64_t begin) {
  const std::uint64_t end = begin + tensor.data.size();
  return quoted(tensor.name) + R"(:{"dtype":")" + std::string(to_string(tensor.dtype)) + R"(","shape":)" +
         Json(tensor.shape).dump() + R"(,"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

std::string header_text(std::span<const StoredTensor* const> tensors,
                        const std::map<std::string, std::string>& metadata) {
  std::string out = "{";
  if (!metadata.empty()) out += quoted(std::string(kMetadataKey)) + ":{" + metadata_text(metadata) + "}";
  std::uint64_t begin = 0;
  for (const StoredTensor* tensor : tensors) {
    if (out.size() > 1) out += ',';
    out += tensor_text(*tensor, begin);
    begin += tensor->data.size();
  }
  out += '}';
  out.resize((out.size() + 7) / 8 * 8, ' ');
  return out;
}

}  // namespace

void write_safetensors(const std::string& path, std::span<const StoredTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  validate_tensors(tensors);
  std::vector<const StoredTensor*> ordered;
  for (const StoredTensor& tensor : tensors) ordered.push_back(&tensor);
  std::ranges::stable_sort(ordered, std::ranges::greater{}, [](const StoredTensor* t) { return bits_of(t->dtype); });
  const std::string header = header_text(ordered, metadata);
  require(header.size() <= kMaxHeaderBytes, kFunction,
          "the header must have at most " + std::to_string(kMaxHeaderBytes) + " bytes", header.size());
  const std::uint64_t size = header.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&size, 1)));
  file.write(std::as_bytes(std::span(header)));
  for (const StoredTensor* tensor : ordered) file.write(tensor->data);
  file.commit();
}

}  // namespace rotary
