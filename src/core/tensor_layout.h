// What can be said about tensor views before they are touched: valid, the same memory, overlapping.
#pragma once

#include <string_view>

#include "rotary/tensor.h"

namespace rotary::detail {

inline bool is_empty(const ConstTensorView& x) {
  return x.shape[0] == 0 || x.shape[1] == 0 || x.shape[2] == 0 || x.shape[3] == 0;
}

/// The usual case at a glance: not empty, valid, to be written or read, its axes in order one within the other and all
/// its strides safe to multiply.
bool is_plain(const ConstTensorView& x);

/// Throws std::invalid_argument, naming `name`, for an unknown dtype, negative sizes, sizes or strides whose bytes
/// overflow, null or misaligned data.
void validate_view(const ConstTensorView& x, std::string_view function, std::string_view name);

/// Throws if two elements of a view that is written share memory (as far as nested strides show).
void validate_written(const ConstTensorView& out, std::string_view function, std::string_view name);

/// The view with strides that are safe to multiply: those of axes with one index mean nothing and may be huge (NumPy).
template <class Void>
BasicTensorView<Void> with_plain_strides(const BasicTensorView<Void>& x) {
  BasicTensorView<Void> plain = x;
  for (std::size_t k = 0; k < 4; ++k)
    if (x.shape[k] <= 1) plain.strides[k] = k == 3 ? 1 : 0;
  return plain;
}

/// The same elements in the same places.
bool same_memory(const ConstTensorView& x, const ConstTensorView& y);

/// Whether the memory of two plain views, from the first element to the last, has nothing in common.
bool lie_apart(const ConstTensorView& x, const ConstTensorView& y);

/// True unless the elements of the two views surely lie apart: in ranges of their own, or in blocks that alternate with
/// the same strides (queries and keys in one fused buffer).
bool may_overlap(const ConstTensorView& x, const ConstTensorView& y);

}  // namespace rotary::detail
