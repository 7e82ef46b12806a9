// Reads bytes as a safetensors file: whatever they are, a file or the one documented exception comes out, and of a file
// every tensor is read to its last byte.
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "rotary/formats/safetensors.h"

namespace {

void check(bool ok) {
  if (!ok) __builtin_trap();
}

template <class Read>
void read_or_refuse(const rotary::StoredTensor& tensor, Read&& read) {
  try {
    check(read(tensor.name).size() == static_cast<std::size_t>(rotary::num_elements(tensor)));
  } catch (const std::runtime_error&) {
  }
}

void read(std::span<const std::byte> bytes) {
  const rotary::SafetensorsFile file(bytes, "x.safetensors");
  const std::byte* end = bytes.data() + bytes.size();
  std::size_t num_bytes = 0;
  for (const rotary::StoredTensor& tensor : file.tensors()) {
    check(file.find(tensor.name) == &tensor);
    check(tensor.data.data() >= bytes.data() && tensor.data.data() + tensor.data.size() <= end);
    num_bytes += tensor.data.size();
    read_or_refuse(tensor, [&](const std::string& name) { return file.read_float(name); });
    read_or_refuse(tensor, [&](const std::string& name) { return file.read_int64(name); });
  }
  check(num_bytes <= bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read(std::as_bytes(std::span(data, size)));
  } catch (const std::runtime_error&) {
  }
  return 0;
}
