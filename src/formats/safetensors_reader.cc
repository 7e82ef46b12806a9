#include <stdexcept>

#include "core/require.h"
#include "formats/mapped_file.h"
#include "formats/safetensors_header.h"
#include "formats/tensor_values.h"
#include "rotary/formats/safetensors.h"

namespace rotary {

SafetensorsFile::SafetensorsFile(const std::string& path) {
  const detail::MappedFile file = detail::map_file(path);
  *this = SafetensorsFile(file.bytes, path);
  memory_ = file.memory;
}

SafetensorsFile::SafetensorsFile(std::span<const std::byte> bytes, const std::string& name) : path_(name) {
  detail::SafetensorsHeader header = detail::read_safetensors_header(bytes, name);
  tensors_ = std::move(header.tensors);
  metadata_ = std::move(header.metadata);
  for (std::size_t i = 0; i < tensors_.size(); ++i) index_.emplace(tensors_[i].name, i);
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> out;
  out.reserve(tensors_.size());
  for (const StoredTensor& tensor : tensors_) out.push_back(tensor.name);
  return out;
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

const StoredTensor& SafetensorsFile::at(std::string_view name) const {
  if (const StoredTensor* tensor = find(name)) return *tensor;
  throw std::runtime_error(detail::place_of(path_, name) + ": must be in the file, got " +
                           std::to_string(tensors_.size()) + " tensors of other names");
}

std::vector<float> SafetensorsFile::read_float(std::string_view name) const {
  const StoredTensor& tensor = at(name);
  std::vector<float> out(static_cast<std::size_t>(num_elements(tensor)));
  detail::read_float_into(tensor, detail::place_of(path_, name), out);
  return out;
}

void SafetensorsFile::read_float_into(std::string_view name, std::span<float> out) const {
  const StoredTensor& tensor = at(name);
  const std::string place = detail::place_of(path_, name);
  const auto needed = static_cast<std::size_t>(num_elements(tensor));
  detail::require(out.size() == needed, "read_float_into",
                  "out must have the " + std::to_string(needed) + " elements of " + place, out.size());
  detail::read_float_into(tensor, place, out);
}

std::vector<std::int64_t> SafetensorsFile::read_int64(std::string_view name) const {
  const StoredTensor& tensor = at(name);
  std::vector<std::int64_t> out(static_cast<std::size_t>(num_elements(tensor)));
  detail::read_int64_into(tensor, detail::place_of(path_, name), out);
  return out;
}

}  // namespace rotary
