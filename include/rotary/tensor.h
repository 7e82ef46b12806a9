// Views of head vectors in memory that belongs to the caller.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rotary/version.h"

namespace rotary {

enum class DType { kFloat32, kFloat16, kBfloat16, kFloat64 };

ROTARY_API std::string_view to_string(DType dtype);

/// Bytes of one element.
constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return 4;
    case DType::kFloat16:
    case DType::kBfloat16: return 2;
    case DType::kFloat64: return 8;
  }
  return 0;
}

/// Head vectors [batch][token][head][channel], in whatever order they lie in memory. Strides are in elements; they may
/// be negative, and zero where the tensor is only read. A channel stride of 1 is the fast case.
template <class Void>
struct BasicTensorView {
  Void* data = nullptr;
  DType dtype = DType::kFloat32;
  std::array<std::int64_t, 4> shape{};    ///< batch, tokens, heads, channels
  std::array<std::int64_t, 4> strides{};  ///< elements
};

using TensorView = BasicTensorView<void>;
using ConstTensorView = BasicTensorView<const void>;

/// The same memory, read only.
inline ConstTensorView as_const(const TensorView& x) { return {x.data, x.dtype, x.shape, x.strides}; }

/// Contiguous [batch][token][head][channel].
template <class Void>
BasicTensorView<Void> bshd(Void* data, DType dtype, std::int64_t batch, std::int64_t tokens, std::int64_t heads,
                           std::int64_t channels) {
  return {data, dtype, {batch, tokens, heads, channels}, {tokens * heads * channels, heads * channels, channels, 1}};
}

/// Contiguous [batch][head][token][channel].
template <class Void>
BasicTensorView<Void> bhsd(Void* data, DType dtype, std::int64_t batch, std::int64_t heads, std::int64_t tokens,
                           std::int64_t channels) {
  return {data, dtype, {batch, tokens, heads, channels}, {heads * tokens * channels, channels, tokens * channels, 1}};
}

/// Contiguous [token][head][channel]: packed sequences, or one sequence.
template <class Void>
BasicTensorView<Void> thd(Void* data, DType dtype, std::int64_t tokens, std::int64_t heads, std::int64_t channels) {
  return bshd(data, dtype, 1, tokens, heads, channels);
}

}  // namespace rotary
