// Reads bytes as a GGUF file: whatever they are, a file or the one documented exception comes out; of a file every
// value and tensor is read to its last byte, and a rotation, or one error, is made of its keys.
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include "formats/gguf_config.h"
#include "rotary/formats/gguf.h"

namespace {

void check(bool ok) {
  if (!ok) __builtin_trap();
}

bool within(std::span<const std::byte> part, std::span<const std::byte> whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void read_values(const rotary::GgufFile& file, std::span<const std::byte> bytes) {
  for (const rotary::GgufKey& key : file.metadata()) {
    const rotary::GgufValue* value = file.value(key.name);
    check(value != nullptr && within(value->encoded(), bytes));
    check(value->integer().has_value() + value->floating().has_value() + value->boolean().has_value() +
              value->text().has_value() + value->element_type().has_value() <=
          1);
    for (const auto& list : {value->integers().has_value() ? value->integers()->size() : value->size(),
                             value->floatings().has_value() ? value->floatings()->size() : value->size(),
                             value->texts().has_value() ? value->texts()->size() : value->size()})
      check(list == value->size());
  }
}

void read_tensors(const rotary::GgufFile& file, std::span<const std::byte> bytes) {
  std::size_t num_bytes = 0;
  for (const rotary::GgufTensor& tensor : file.tensors()) {
    check(file.find(tensor.name) == &tensor && within(tensor.data, bytes));
    num_bytes += tensor.data.size();
    try {
      const auto stored = to_stored(tensor);
      check(file.read_float(tensor.name).size() == static_cast<std::size_t>(num_elements(stored.value())));
    } catch (const std::runtime_error&) {
    }
    try {
      file.read_int64(tensor.name);
    } catch (const std::runtime_error&) {
    }
  }
  check(num_bytes <= bytes.size());
}

void read_rotation(const rotary::GgufFile& file, rotary::Reference reference) {
  try {
    const rotary::ModelConfig config =
        rotary::detail::read_gguf_config(file, {.reference = reference, .seq_len = 5000});
    for (const rotary::ModelRotation& r : config.rotations)
      if (r.spec.has_value()) validate_map(r.rotation.query);
  } catch (const std::runtime_error& error) {
    check(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    const rotary::GgufFile file(bytes, "x.gguf");
    read_values(file, bytes);
    read_tensors(file, bytes);
    read_rotation(file, rotary::Reference::kLlamaCpp);
    read_rotation(file, rotary::Reference::kOriginal);
  } catch (const std::runtime_error&) {
  }
  return 0;
}
