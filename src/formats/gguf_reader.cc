#include <stdexcept>

#include "formats/gguf_parts.h"
#include "formats/tensor_values.h"

namespace rotary {
namespace {

using namespace detail;

StoredTensor stored(const GgufTensor& tensor, const std::string& path) {
  if (auto out = to_stored(tensor)) return *out;
  throw std::runtime_error(path + ": " + tensor_item(tensor.name) +
                           ": must be of a type that is not quantised to be read as numbers, got " +
                           std::string(to_string(tensor.type)));
}

}  // namespace

GgufFile::GgufFile(const std::string& path) : path_(path) {
  GgufParts parts = open_gguf_parts(path);
  parts_ = std::move(parts.paths);
  memory_ = std::move(parts.memory);
  take(std::move(parts.whole));
}

GgufFile::GgufFile(std::span<const std::byte> bytes, const std::string& name) : path_(name), parts_{name} {
  take(read_gguf_header(bytes, name));
}

void GgufFile::take(GgufHeader&& header) {
  version_ = header.version;
  alignment_ = header.alignment;
  metadata_ = std::move(header.metadata);
  tensors_ = std::move(header.tensors);
  for (std::size_t i = 0; i < metadata_.size(); ++i) key_index_.emplace(metadata_[i].name, i);
  for (std::size_t i = 0; i < tensors_.size(); ++i) tensor_index_.emplace(tensors_[i].name, i);
}

const GgufValue* GgufFile::value(std::string_view key) const {
  const auto found = key_index_.find(key);
  return found == key_index_.end() ? nullptr : &metadata_[found->second].value;
}

const GgufTensor* GgufFile::find(std::string_view tensor) const {
  const auto found = tensor_index_.find(tensor);
  return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

const GgufTensor& GgufFile::at(std::string_view tensor) const {
  if (const GgufTensor* found = find(tensor)) return *found;
  throw std::runtime_error(path_ + ": " + tensor_item(tensor) + ": must be in the file, got " +
                           std::to_string(tensors_.size()) + " tensors of other names");
}

std::vector<float> GgufFile::read_float(std::string_view tensor) const {
  const StoredTensor source = stored(at(tensor), path_);
  std::vector<float> out(static_cast<std::size_t>(num_elements(source)));
  read_float_into(source, path_ + ": " + tensor_item(tensor), out);
  return out;
}

std::vector<std::int64_t> GgufFile::read_int64(std::string_view tensor) const {
  const StoredTensor source = stored(at(tensor), path_);
  std::vector<std::int64_t> out(static_cast<std::size_t>(num_elements(source)));
  read_int64_into(source, path_ + ": " + tensor_item(tensor), out);
  return out;
}

}  // namespace rotary
