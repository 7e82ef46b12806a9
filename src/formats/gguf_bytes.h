// The bytes of a GGUF file, read in order and never beyond their end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rotary/formats/gguf.h"

namespace rotary::detail {

static_assert(std::endian::native == std::endian::little, "the format's numbers are little-endian");

constexpr std::size_t kMaxGgufName = 65535;         ///< the format's limit on keys
constexpr std::uint64_t kMaxGgufKeys = 1 << 16;     ///< of a file; the largest known have some hundred
constexpr std::uint64_t kMaxGgufTensors = 1 << 18;  ///< of a file; the largest known have some thousand
constexpr int kMaxGgufDepth = 8;                    ///< of arrays in arrays
constexpr std::size_t kMaxGgufExtents = 4;          ///< ggml's limit
constexpr std::uint64_t kMaxGgufAlignment = 1 << 20;
constexpr std::uint32_t kDefaultGgufAlignment = 32;
constexpr std::uint32_t kGgufVersion = 3;
constexpr std::string_view kGgufMagic = "GGUF";
constexpr std::string_view kAlignmentKey = "general.alignment";

/// Bytes of one number or truth value; 0 for strings and arrays.
std::size_t size_of(GgufType type);

class GgufCursor {
 public:
  /// `place` stands before errors: the file, and after a colon what is being read.
  GgufCursor(std::span<const std::byte> bytes, std::string place) : bytes_(bytes), place_(std::move(place)) {}

  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  /// What is being read: "key "general.name"", ...
  void set_item(std::string item) { item_ = std::move(item); }

  [[noreturn]] void fail(const std::string& must_hold, const std::string& got) const { fail_at(at_, must_hold, got); }
  [[noreturn]] void fail_at(std::size_t at, const std::string& must_hold, const std::string& got) const;

  template <class Number>
  Number number(const char* what) {
    Number out;
    std::memcpy(&out, take(sizeof out, what).data(), sizeof out);
    return out;
  }
  /// `count` bytes; `what` they are is said if the file ends before.
  std::span<const std::byte> take(std::uint64_t count, const char* what);
  /// A string: its length and its bytes.
  std::string_view text(const char* what, std::uint64_t max_bytes = ~std::uint64_t{0});
  GgufType type();
  /// Passes over a value; returns its bytes.
  std::span<const std::byte> value(GgufType type);

 private:
  void skip(GgufType type, int depth);
  void skip_array(int depth);

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::string place_, item_;
};

/// Bytes of a tensor's data; none if its extents do not fit its type or the number overflows 63 bits.
std::optional<std::uint64_t> num_bytes(GgmlType type, std::span<const std::int64_t> extents);

/// The next multiple; both below 2^62.
constexpr std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// A value as a message shows it, cut to a readable length.
std::string show(const GgufValue& value);

}  // namespace rotary::detail
