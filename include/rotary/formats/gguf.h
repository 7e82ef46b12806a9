// Files of tensors and metadata in the GGUF format of llama.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rotary/formats/stored_tensor.h"

namespace rotary {

namespace detail {
struct GgufHeader;
}

/// The types of metadata values, with the format's numbers.
enum class GgufType : std::uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

/// "u8", "i8", ..., "f32", "bool", "str", "arr", "u64", "i64", "f64".
ROTARY_API std::string_view to_string(GgufType type);

/// A metadata value where it lies in the file: nothing is copied before it is asked for, however large the array.
class ROTARY_API GgufValue {
 public:
  /// `encoded`: the bytes after the type, as a file has them; they must live as long as the value.
  GgufValue(GgufType type, std::span<const std::byte> encoded) : type_(type), encoded_(encoded) {}

  GgufType type() const { return type_; }
  std::span<const std::byte> encoded() const { return encoded_; }

  /// None of these if the value is of another kind. Integers of every width; u64 only below 2^63.
  std::optional<std::int64_t> integer() const;
  std::optional<double> floating() const;  ///< f32 and f64
  std::optional<bool> boolean() const;
  std::optional<std::string_view> text() const;

  /// Of an array; none and 0 of any other value.
  std::optional<GgufType> element_type() const;
  std::uint64_t size() const;
  /// The elements of an array, all of one kind as above (`integers` takes booleans too). They cost what they take, so
  /// look at size() first where a file is not trusted.
  std::optional<std::vector<std::int64_t>> integers() const;
  std::optional<std::vector<double>> floatings() const;
  std::optional<std::vector<std::string_view>> texts() const;

 private:
  GgufType type_;
  std::span<const std::byte> encoded_;
};

struct GgufKey {
  std::string_view name;
  GgufValue value;
};

/// ggml's types of elements, with its numbers (as of 2026-09).
enum class GgmlType : std::uint32_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kInt8 = 24,
  kInt16 = 25,
  kInt32 = 26,
  kInt64 = 27,
  kFloat64 = 28,
  kBfloat16 = 30,
  // the others are quantised: to_string() and block_of() know them, nothing here decodes them
};

/// "F32", "Q4_K", ...; "" for a number that is not a type, or that ggml has withdrawn.
ROTARY_API std::string_view to_string(GgmlType type);

/// How elements are stored: `num_bytes` for every `num_elements` along the first extent. Zeros for an unknown type.
struct GgmlBlock {
  std::int64_t num_elements = 0;
  std::int64_t num_bytes = 0;
};
ROTARY_API GgmlBlock block_of(GgmlType type);

struct GgufTensor {
  std::string name;
  GgmlType type = GgmlType::kFloat32;
  /// In ggml's order: extents[0] is the innermost, the reverse of StoredTensor::shape. At most 4.
  std::vector<std::int64_t> extents;
  std::span<const std::byte> data;
  std::uint64_t offset = 0;  ///< of the data, from the beginning of their file; not read by write_gguf
};

/// The same tensor with its shape in row-major order; none for a quantised type.
ROTARY_API std::optional<StoredTensor> to_stored(const GgufTensor& tensor);
/// The inverse. Throws std::invalid_argument for a type that ggml lacks.
ROTARY_API GgufTensor to_gguf(const StoredTensor& tensor);

/// A GGUF file, mapped into memory: opening it reads the header alone.
///
///     "GGUF", version (u32), number of tensors, number of keys (u64)
///     keys:     name (u64 length, bytes), type (u32), value
///     tensors:  name, number of extents (u32), extents (u64), type (u32), offset (u64) from the begin of the data
///     data:     begin at a multiple of general.alignment (32 if absent), as does every tensor
///
/// Versions 2 and 3, little-endian. No key and no tensor twice; tensors lie within the file and do not overlap. Limits:
/// 65,536 keys, 262,144 tensors, 65,535 bytes of a name, arrays nested 8 deep, alignment up to 2^20.
///
/// A file of which `split.count` says that it is one of several (name-00001-of-00003.gguf) brings the others with it,
/// whichever is opened: the metadata are the first one's, the tensors all of them. Parts must have the names and
/// numbers that they should, agree in what metadata they repeat, and hold `split.tensors.count` tensors together.
///
/// Errors are std::runtime_error in one line: file, byte, key or tensor, what must hold, what came. As with
/// SafetensorsFile, a file that is shortened while it is mapped ends the process.
class ROTARY_API GgufFile {
 public:
  explicit GgufFile(const std::string& path);
  /// Reads from memory that must live as long as this object; `name` stands for the file in messages. Other parts are
  /// not looked for.
  GgufFile(std::span<const std::byte> bytes, const std::string& name);

  GgufFile(GgufFile&&) = default;
  GgufFile& operator=(GgufFile&&) = default;
  GgufFile(const GgufFile&) = delete;
  GgufFile& operator=(const GgufFile&) = delete;

  const std::string& path() const { return path_; }
  /// The parts, in their order: path() alone if there is one.
  const std::vector<std::string>& parts() const { return parts_; }
  std::uint32_t version() const { return version_; }
  std::uint64_t alignment() const { return alignment_; }

  /// In the order of the file.
  std::span<const GgufKey> metadata() const { return metadata_; }
  std::span<const GgufTensor> tensors() const { return tensors_; }

  /// Null if there is none of that name. O(log n).
  const GgufValue* value(std::string_view key) const;
  const GgufTensor* find(std::string_view tensor) const;
  /// Throws if there is none of that name.
  const GgufTensor& at(std::string_view tensor) const;

  /// The elements, innermost extent first: what SafetensorsFile's functions of these names give. Throws for quantised
  /// types, with their name.
  std::vector<float> read_float(std::string_view tensor) const;
  std::vector<std::int64_t> read_int64(std::string_view tensor) const;

 private:
  void take(detail::GgufHeader&& header);

  std::string path_;
  std::vector<std::string> parts_;
  std::uint32_t version_ = 0;
  std::uint64_t alignment_ = 0;
  std::vector<std::shared_ptr<const void>> memory_;  // a mapping for every part; none where the bytes are the caller's
  std::vector<GgufKey> metadata_;
  std::vector<GgufTensor> tensors_;
  std::map<std::string_view, std::size_t> key_index_;  // the names lie in the mapping
  std::map<std::string, std::size_t, std::less<>> tensor_index_;
};

/// A key to be written. gguf_uint32() and the others below make one.
struct GgufEntry {
  std::string key;
  GgufType type = GgufType::kUint32;
  std::string encoded;  ///< as GgufValue::encoded()
};

ROTARY_API GgufEntry gguf_uint32(std::string key, std::uint32_t value);
ROTARY_API GgufEntry gguf_float32(std::string key, float value);
ROTARY_API GgufEntry gguf_bool(std::string key, bool value);
ROTARY_API GgufEntry gguf_string(std::string key, std::string_view value);
ROTARY_API GgufEntry gguf_int32s(std::string key, std::span<const std::int32_t> values);
ROTARY_API GgufEntry gguf_float32s(std::string key, std::span<const float> values);
ROTARY_API GgufEntry gguf_bools(std::string key, const std::vector<bool>& values);
ROTARY_API GgufEntry gguf_strings(std::string key, std::span<const std::string> values);
ROTARY_API GgufEntry gguf_copy(const GgufKey& key);

/// Writes a GGUF file of version 3, as write_file_atomically writes. Keys and tensors stand in the order given, each
/// tensor at a multiple of the alignment: general.alignment, if among the keys, else 32. The same arguments give the
/// same bytes. Throws std::invalid_argument for what GgufFile would not read (a name twice or too long, a value that
/// does not fit its type, data of another size than type and extents ask for, an alignment that is no power of two);
/// for the file std::runtime_error with the system's reason, and then `path` is as it was.
ROTARY_API void write_gguf(const std::string& path, std::span<const GgufEntry> metadata,
                           std::span<const GgufTensor> tensors);

}  // namespace rotary
