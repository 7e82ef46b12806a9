// Files of tensors in the safetensors format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rotary/formats/stored_tensor.h"

namespace rotary {

/// A safetensors file, mapped into memory: opening it reads the header alone.
///
///     8 bytes   N, little-endian
///     N bytes   JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...,
///                      "__metadata__": {"key": "text", ...}}, padded with spaces
///     the rest  the data, to which the offsets count
///
/// What the format and its reference reader (safetensors.deserialize, 0.8) ask for holds here: N is at most 100,000,000
/// and within the file; the header begins with "{"; every tensor has the bytes that its type and shape take, their
/// count without overflow; the tensors, in whatever order, cover the data from its first byte to its last without
/// overlap or hole; tensors without elements and with an empty shape are allowed; unknown keys beside the three are
/// ignored. Stricter than that reader, as the format's page says: no name twice, no key twice. Our own limits: 64
/// dimensions, 2^22 values in the header. NaN and infinite elements are data.
///
/// Errors are std::runtime_error and name the file and the tensor. A file that another process shortens while it is
/// mapped ends this one with SIGBUS; replace files by renaming (as write_safetensors does), never in place.
class ROTARY_API SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path);
  /// Reads from memory that must live as long as this object; `name` stands for the file in messages.
  SafetensorsFile(std::span<const std::byte> bytes, const std::string& name);

  SafetensorsFile(SafetensorsFile&&) = default;
  SafetensorsFile& operator=(SafetensorsFile&&) = default;
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  const std::string& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  /// In the order of their data. They and their data stay where they are as long as this object, or the one it is moved
  /// to, lives.
  std::span<const StoredTensor> tensors() const { return tensors_; }
  std::vector<std::string> names() const;

  /// Null if there is none of that name. O(log n).
  const StoredTensor* find(std::string_view name) const;
  /// Throws if there is none of that name.
  const StoredTensor& at(std::string_view name) const;

  /// The elements in row-major order. F32, F16 and BF16 come exactly (a NaN stays one), F64 rounded to nearest (beyond
  /// the range of float32: infinity). Throws for other types and for a name that is not there.
  std::vector<float> read_float(std::string_view name) const;
  /// The same into the caller's memory; std::invalid_argument if `out` has another number of elements.
  void read_float_into(std::string_view name, std::span<float> out) const;
  /// The elements of I64, I32, I16, I8, U32, U16, U8 or BOOL (any byte but 0 is 1). Throws for other types.
  std::vector<std::int64_t> read_int64(std::string_view name) const;

 private:
  std::string path_;
  std::shared_ptr<const void> memory_;  // the mapping; none where the bytes are the caller's
  std::vector<StoredTensor> tensors_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

/// Writes a safetensors file, as write_file_atomically writes: beside `path`, then renamed. The same arguments give the
/// same bytes. Tensors stand in the order given, but those of wider elements come first, and the header is padded to a
/// multiple of 8: so every element is aligned, which PyTorch's reader needs. Readers of the transformers library want
/// the metadata {"format": "pt"}.
/// Throws std::invalid_argument for a name given twice or "__metadata__", text that is not UTF-8, a negative extent,
/// more than 64 dimensions, data that has not the size its shape and type take, and a header above 100,000,000 bytes;
/// for the file std::runtime_error with the system's reason, and then `path` is as it was.
ROTARY_API void write_safetensors(const std::string& path, std::span<const StoredTensor> tensors,
                                  const std::map<std::string, std::string>& metadata = {});

}  // namespace rotary
