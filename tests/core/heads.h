// Head vectors of every dtype and stride in memory of their own.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "core/bfloat16.h"
#include "core/float16.h"
#include "rotary/tensor.h"

namespace rotary::testing {

/// Half the distance between numbers near 1.
inline double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return 0x1p-24;
    case DType::kFloat16: return 0x1p-11;
    case DType::kBfloat16: return 0x1p-8;
    case DType::kFloat64: return 0x1p-53;
  }
  return 0;
}

/// The float16 nearest to a number, ties to even, by its definition: an integer multiple of the last place.
inline std::uint16_t to_float16(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
  const double size = std::fabs(value);
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
  const auto places = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));  // 1024 is the next exponent
  return static_cast<std::uint16_t>(sign | (((exponent + 14) << 10) + places));
}

/// Memory that starts with a cache line and ends where its vector ends, so that sanitizers see the byte after it.
template <class T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* memory, std::size_t) { ::operator delete (memory, std::align_val_t{64}); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

/// Elements of a dtype in memory of their own, as numbers.
class Elements {
 public:
  Elements(DType dtype, std::size_t count) : dtype_(dtype), size_(count), bytes_(count * size_of(dtype)) {}

  DType dtype() const { return dtype_; }
  std::size_t size() const { return size_; }
  void* data() { return bytes_.data(); }
  const void* data() const { return bytes_.data(); }

  void set(std::size_t i, double value) {
    switch (dtype_) {
      case DType::kFloat32: return put(i, static_cast<float>(value));
      case DType::kFloat16: return put(i, to_float16(value));
      case DType::kBfloat16: return put(i, detail::to_bfloat16(static_cast<float>(value)));
      case DType::kFloat64: return put(i, value);
    }
  }
  double operator[](std::size_t i) const {
    switch (dtype_) {
      case DType::kFloat32: return get<float>(i);
      case DType::kFloat16: return detail::from_float16(get<std::uint16_t>(i));
      case DType::kBfloat16: return detail::from_bfloat16(get<std::uint16_t>(i));
      case DType::kFloat64: return get<double>(i);
    }
    return 0;
  }
  template <class T>
  void put(std::size_t i, T value) {
    std::memcpy(static_cast<std::byte*>(data()) + i * sizeof(T), &value, sizeof(T));
  }
  template <class T>
  T get(std::size_t i) const {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(data()) + i * sizeof(T), sizeof(T));
    return value;
  }
  friend bool operator==(const Elements& a, const Elements& b) { return a.dtype_ == b.dtype_ && a.bytes_ == b.bytes_; }

 private:
  DType dtype_;
  std::size_t size_;
  std::vector<std::byte, LineAllocator<std::byte>> bytes_;
};

/// Head vectors and the memory they lie in.
struct Heads {
  Elements memory;
  std::int64_t start = 0;
  std::array<std::int64_t, 4> shape{}, strides{};

  TensorView view() {
    return {static_cast<std::byte*>(memory.data()) + start * static_cast<std::int64_t>(size_of(memory.dtype())),
            memory.dtype(), shape, strides};
  }
  ConstTensorView read() const { return as_const(const_cast<Heads*>(this)->view()); }
  std::size_t at(std::int64_t b, std::int64_t t, std::int64_t h, std::int64_t c) const {
    return static_cast<std::size_t>(start + b * strides[0] + t * strides[1] + h * strides[2] + c * strides[3]);
  }
  std::vector<double> head(std::int64_t b, std::int64_t t, std::int64_t h) const {
    std::vector<double> out(static_cast<std::size_t>(shape[3]));
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = memory[at(b, t, h, static_cast<std::int64_t>(c))];
    return out;
  }
};

/// Contiguous and zero.
inline Heads zero_heads(DType dtype, std::array<std::int64_t, 4> shape) {
  const auto [b, t, h, c] = shape;
  return {Elements(dtype, static_cast<std::size_t>(b * t * h * c)), 0, shape, {t * h * c, h * c, c, 1}};
}

/// Calls visit(b, t, h) for every head vector.
template <class Visit>
void for_each_head(const Heads& x, const Visit& visit) {
  for (std::int64_t b = 0; b < x.shape[0]; ++b)
    for (std::int64_t t = 0; t < x.shape[1]; ++t)
      for (std::int64_t h = 0; h < x.shape[2]; ++h) visit(b, t, h);
}

}  // namespace rotary::testing
