// Scratch memory of a row: on the stack for all but very wide heads.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace rotary::detail {

/// `count` numbers, not initialised.
template <class T>
class SmallBuffer {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  explicit SmallBuffer(std::size_t count) : wide_(count > kInline ? count : 0) {}
  SmallBuffer(const SmallBuffer&) = delete;
  SmallBuffer& operator=(const SmallBuffer&) = delete;

  T* data() { return wide_.empty() ? reinterpret_cast<T*>(inline_) : wide_.data(); }

 private:
  static constexpr std::size_t kInline = 256;
  alignas(64) std::byte inline_[kInline * sizeof(T)];
  std::vector<T> wide_;
};

}  // namespace rotary::detail
