#include <bit>
#include <limits>
#include <set>

#include "core/require.h"
#include "formats/atomic_file.h"
#include "formats/gguf_bytes.h"
#include "formats/gguf_header.h"

namespace rotary {
namespace {

using namespace detail;

constexpr const char* kFunction = "write_gguf";

template <class Number>
void append(std::string& out, Number value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

void append_text(std::string& out, std::string_view text) {
  append<std::uint64_t>(out, text.size());
  out += text;
}

template <class Number>
GgufEntry one(std::string key, GgufType type, Number value) {
  GgufEntry out{std::move(key), type, {}};
  append(out.encoded, value);
  return out;
}

GgufEntry array(std::string key, GgufType element, std::uint64_t size) {
  GgufEntry out{std::move(key), GgufType::kArray, {}};
  append(out.encoded, static_cast<std::uint32_t>(element));
  append(out.encoded, size);
  return out;
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// The value must be one that a file could hold, and all of it.
void validate_entry(const GgufEntry& entry) {
  const std::string item = key_item(entry.key);
  require(entry.key.size() <= kMaxGgufName, kFunction, "a key must have at most 65535 bytes", entry.key.size());
  require(static_cast<std::uint32_t>(entry.type) <= static_cast<std::uint32_t>(GgufType::kFloat64), kFunction,
          "the type of " + item + " must be one of the format's", static_cast<std::uint32_t>(entry.type));
  GgufCursor cursor(bytes_of(entry.encoded), item);
  try {
    cursor.value(entry.type);
  } catch (const std::runtime_error& error) {
    require(false, kFunction, "every value must be encoded as its type asks", error.what());
  }
  require(cursor.left() == 0, kFunction, "the value of " + item + " must end with its bytes", cursor.left());
}

std::uint64_t validate_entries(std::span<const GgufEntry> metadata) {
  std::uint64_t alignment = kDefaultGgufAlignment;
  std::set<std::string_view> names;
  require(metadata.size() <= kMaxGgufKeys, kFunction, "there must be at most 65536 keys", metadata.size());
  for (const GgufEntry& entry : metadata) {
    validate_entry(entry);
    require(names.insert(entry.key).second, kFunction, "keys must have names of their own",
            key_item(entry.key) + " twice");
    if (entry.key != kAlignmentKey) continue;
    const auto given = GgufValue(entry.type, bytes_of(entry.encoded)).integer();
    alignment = static_cast<std::uint64_t>(given.value_or(0));
    require(entry.type == GgufType::kUint32 && std::has_single_bit(alignment) && alignment <= kMaxGgufAlignment,
            kFunction, "general.alignment must be a u32 and a power of two up to 2^20", alignment);
  }
  return alignment;
}

void validate_tensors(std::span<const GgufTensor> tensors) {
  std::set<std::string_view> names;
  require(tensors.size() <= kMaxGgufTensors, kFunction, "there must be at most 262144 tensors", tensors.size());
  for (const GgufTensor& tensor : tensors) {
    const std::string item = tensor_item(tensor.name);
    require(tensor.name.size() <= kMaxGgufName, kFunction, "a name must have at most 65535 bytes", tensor.name.size());
    require(names.insert(tensor.name).second, kFunction, "tensors must have names of their own", item + " twice");
    require(tensor.extents.size() <= kMaxGgufExtents, kFunction, item + " must have at most 4 extents",
            tensor.extents.size());
    for (const std::int64_t extent : tensor.extents)
      require(extent >= 0, kFunction, "the extents of " + item + " must not be negative", extent);
    const auto needed = num_bytes(tensor.type, tensor.extents);
    require(needed.has_value(), kFunction, item + " must have whole blocks of a type of ggml's",
            static_cast<std::uint32_t>(tensor.type));
    require(tensor.data.size() == *needed, kFunction,
            "the data of " + item + " must have " + std::to_string(*needed) + " bytes", tensor.data.size());
  }
}

std::string header_of(std::span<const GgufEntry> metadata, std::span<const GgufTensor> tensors,
                      std::uint64_t alignment) {
  std::string out(kGgufMagic);
  append(out, kGgufVersion);
  append<std::uint64_t>(out, tensors.size());
  append<std::uint64_t>(out, metadata.size());
  for (const GgufEntry& entry : metadata) {
    append_text(out, entry.key);
    append(out, static_cast<std::uint32_t>(entry.type));
    out += entry.encoded;
  }
  std::uint64_t offset = 0;
  for (const GgufTensor& tensor : tensors) {
    append_text(out, tensor.name);
    append(out, static_cast<std::uint32_t>(tensor.extents.size()));
    for (const std::int64_t extent : tensor.extents) append(out, extent);
    append(out, static_cast<std::uint32_t>(tensor.type));
    append(out, offset);
    offset = aligned(offset + tensor.data.size(), alignment);
  }
  out.resize(aligned(out.size(), alignment), '\0');
  return out;
}

}  // namespace

GgufEntry gguf_uint32(std::string key, std::uint32_t value) { return one(std::move(key), GgufType::kUint32, value); }
GgufEntry gguf_float32(std::string key, float value) { return one(std::move(key), GgufType::kFloat32, value); }
GgufEntry gguf_bool(std::string key, bool value) {
  return one<std::uint8_t>(std::move(key), GgufType::kBool, value ? 1 : 0);
}

GgufEntry gguf_string(std::string key, std::string_view value) {
  GgufEntry out{std::move(key), GgufType::kString, {}};
  append_text(out.encoded, value);
  return out;
}

GgufEntry gguf_int32s(std::string key, std::span<const std::int32_t> values) {
  GgufEntry out = array(std::move(key), GgufType::kInt32, values.size());
  for (const std::int32_t value : values) append(out.encoded, value);
  return out;
}

GgufEntry gguf_float32s(std::string key, std::span<const float> values) {
  GgufEntry out = array(std::move(key), GgufType::kFloat32, values.size());
  for (const float value : values) append(out.encoded, value);
  return out;
}

GgufEntry gguf_bools(std::string key, const std::vector<bool>& values) {
  GgufEntry out = array(std::move(key), GgufType::kBool, values.size());
  for (const bool value : values) append<std::uint8_t>(out.encoded, value ? 1 : 0);
  return out;
}

GgufEntry gguf_strings(std::string key, std::span<const std::string> values) {
  GgufEntry out = array(std::move(key), GgufType::kString, values.size());
  for (const std::string& value : values) append_text(out.encoded, value);
  return out;
}

GgufEntry gguf_copy(const GgufKey& key) {
  const auto bytes = key.value.encoded();
  return {std::string(key.name), key.value.type(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
}

void write_gguf(const std::string& path, std::span<const GgufEntry> metadata, std::span<const GgufTensor> tensors) {
  const std::uint64_t alignment = validate_entries(metadata);
  validate_tensors(tensors);
  const std::string header = header_of(metadata, tensors, alignment);
  const std::string padding(alignment, '\0');
  AtomicFile file(path);
  file.write(bytes_of(header));
  for (const GgufTensor& tensor : tensors) {
    file.write(tensor.data);
    file.write(bytes_of(padding).first(aligned(tensor.data.size(), alignment) - tensor.data.size()));
  }
  file.commit();
}

}  // namespace rotary
