// A tensor as it lies in a model file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rotary/version.h"

namespace rotary {

/// The types of elements that safetensors files hold (the format's list as of safetensors 0.8). All are little-endian.
enum class StoredDType {
  kFloat64,
  kFloat32,
  kFloat16,
  kBfloat16,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUint64,
  kUint32,
  kUint16,
  kUint8,
  kBool,
  kComplex64,
  kFloat8E4M3,
  kFloat8E4M3Fnuz,
  kFloat8E5M2,
  kFloat8E5M2Fnuz,
  kFloat8E8M0,
  kFloat6E2M3,
  kFloat6E3M2,
  kFloat4,
};

/// As the format spells it: "F32", "BF16", "F8_E4M3", ...
ROTARY_API std::string_view to_string(StoredDType dtype);
/// The inverse; none for a word that is not in the format's list.
ROTARY_API std::optional<StoredDType> parse_stored_dtype(std::string_view name);

/// Bits of one element.
ROTARY_API std::int64_t bits_of(StoredDType dtype);

struct StoredTensor {
  std::string name;
  StoredDType dtype = StoredDType::kFloat32;
  std::vector<std::int64_t> shape;  ///< row-major; empty: a single number
  /// The elements, packed, at any alignment. They belong to the file's object, or to the caller who writes.
  std::span<const std::byte> data;
};

/// The product of a shape's extents, of a tensor whose data has the size that its shape and type ask for.
ROTARY_API std::int64_t num_elements(const StoredTensor& tensor);

}  // namespace rotary
