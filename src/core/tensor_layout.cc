#include "core/tensor_layout.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "core/require.h"

namespace rotary::detail {
namespace {

constexpr std::size_t kRank = 4;
constexpr const char* kAxisNames[kRank] = {"batch", "tokens", "heads", "channels"};

struct Range {
  std::intptr_t begin, end;  // bytes

  bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
};

struct Dim {
  std::int64_t size, stride;  // stride in bytes

  friend bool operator==(const Dim&, const Dim&) = default;
};

// Axes with more than one index, the largest stride first.
struct Dims {
  std::array<Dim, kRank> dims{};
  std::size_t count = 0;
};

Dims dims_of(const ConstTensorView& x) {
  Dims out;
  const auto size = static_cast<std::int64_t>(size_of(x.dtype));
  for (std::size_t k = 0; k < kRank; ++k)
    if (x.shape[k] > 1) out.dims[out.count++] = {x.shape[k], x.strides[k] * size};
  const auto wider = [](const Dim& a, const Dim& b) { return std::abs(a.stride) > std::abs(b.stride); };
  for (std::size_t i = 1; i < out.count; ++i)  // std::stable_sort allocates
    for (std::size_t k = i; k > 0 && wider(out.dims[k], out.dims[k - 1]); --k) std::swap(out.dims[k], out.dims[k - 1]);
  return out;
}

// Bytes from the first to the last of the dims `first` and on.
Range range_of(const ConstTensorView& x, const Dims& dims, std::size_t first) {
  const auto start = reinterpret_cast<std::intptr_t>(x.data);
  Range range{start, start + static_cast<std::intptr_t>(size_of(x.dtype))};
  for (std::size_t k = first; k < dims.count; ++k) {
    const std::int64_t last = (dims.dims[k].size - 1) * dims.dims[k].stride;
    (last < 0 ? range.begin : range.end) += last;
  }
  return range;
}

// Sizes and strides that cannot overflow: each below 2^28 and not negative.
bool is_small(const ConstTensorView& x) {
  std::int64_t bits = 0;
  for (std::size_t k = 0; k < kRank; ++k) bits |= x.shape[k] | x.strides[k];
  return (bits >> 28) == 0;
}

// False for an unknown dtype.
bool is_aligned(const ConstTensorView& x) {
  const std::uintptr_t size = size_of(x.dtype);
  return size != 0 && (reinterpret_cast<std::uintptr_t>(x.data) & (size - 1)) == 0;
}

// Blocks of `extent` bytes repeated over the first `outer` dims never meet.
bool keeps_apart(const Dims& dims, std::size_t outer, std::int64_t extent) {
  for (std::size_t k = outer; k-- > 0;) {
    const std::int64_t stride = std::abs(dims.dims[k].stride);
    if (stride < extent) return false;
    extent += (dims.dims[k].size - 1) * stride;
  }
  return true;
}

}  // namespace

bool is_plain(const ConstTensorView& x) {
  const auto& n = x.shape;
  const auto& stride = x.strides;
  return is_small(x) && !is_empty(x) && stride[3] == 1 && stride[2] >= n[3] && stride[1] >= n[2] * stride[2] &&
         stride[0] >= n[1] * stride[1] && x.data != nullptr && is_aligned(x);
}

void validate_view(const ConstTensorView& x, std::string_view function, std::string_view name) {
  if (is_plain(x)) return;
  const auto size = static_cast<std::int64_t>(size_of(x.dtype));
  const auto what = [&](const char* rule) { return std::string(name) + rule; };
  if (size == 0) require(false, function, what(".dtype must be a DType"), static_cast<int>(x.dtype));
  for (std::size_t k = 0; k < kRank; ++k)
    if (x.shape[k] < 0) require(false, function, what(".shape must not be negative, ") + kAxisNames[k], x.shape[k]);
  if (is_empty(x)) return;
  std::int64_t span = size;
  for (std::size_t k = 0; k < kRank; ++k) {
    std::int64_t bytes = 0;
    const std::int64_t stride = x.shape[k] > 1 ? x.strides[k] : 0;
    const bool fits = stride != std::numeric_limits<std::int64_t>::min() &&
                      !__builtin_mul_overflow(x.shape[k] - 1, std::abs(stride), &bytes) &&
                      !__builtin_mul_overflow(bytes, size, &bytes) && !__builtin_add_overflow(span, bytes, &span) &&
                      span <= std::numeric_limits<std::int64_t>::max() / 2;
    if (!fits)
      require(false, function, what(": bytes of shape * strides must fit in memory, ") + kAxisNames[k], stride);
  }
  if (x.data == nullptr) require(false, function, what(".data must not be null"), "null");
  if (!is_aligned(x))
    require(false, function, what(".data must be aligned to its elements"), reinterpret_cast<std::uintptr_t>(x.data));
}

void validate_written(const ConstTensorView& out, std::string_view function, std::string_view name) {
  if (is_plain(out)) return;
  const Dims dims = dims_of(out);
  std::int64_t inner = static_cast<std::int64_t>(size_of(out.dtype));
  for (std::size_t k = dims.count; k-- > 0;) {
    const std::int64_t stride = std::abs(dims.dims[k].stride);
    if (stride < inner)
      require(false, function, std::string(name) + ".strides must keep elements apart in a tensor that is written",
              dims.dims[k].stride / static_cast<std::int64_t>(size_of(out.dtype)));
    inner += (dims.dims[k].size - 1) * stride;
  }
}

bool same_memory(const ConstTensorView& x, const ConstTensorView& y) {
  bool same = x.data == y.data && x.dtype == y.dtype;
  for (std::size_t k = 0; k < kRank; ++k)
    same &= x.shape[k] == y.shape[k] && (x.shape[k] <= 1 || x.strides[k] == y.strides[k]);
  return same;
}

bool lie_apart(const ConstTensorView& x, const ConstTensorView& y) {
  const auto range_of = [](const ConstTensorView& t) {
    std::int64_t last = 1;
    for (std::size_t k = 0; k < kRank; ++k) last += (t.shape[k] - 1) * t.strides[k];
    const auto start = reinterpret_cast<std::intptr_t>(t.data);
    return Range{start, start + last * static_cast<std::int64_t>(size_of(t.dtype))};
  };
  return !range_of(x).meets(range_of(y));
}

bool may_overlap(const ConstTensorView& x, const ConstTensorView& y) {
  if (is_empty(x) || is_empty(y)) return false;
  const Dims a = dims_of(x), b = dims_of(y);
  for (std::size_t outer = 0;; ++outer) {
    const Range p = range_of(x, a, outer), q = range_of(y, b, outer);
    const std::intptr_t together = std::max(p.end, q.end) - std::min(p.begin, q.begin);
    if (!p.meets(q) && keeps_apart(a, outer, together)) return false;
    if (outer == a.count || outer == b.count || !(a.dims[outer] == b.dims[outer])) return true;
  }
}

}  // namespace rotary::detail
