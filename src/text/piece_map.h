#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rotary::text {

/// Hashes strings and views alike, so that a look-up makes no string.
struct PieceHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

template <class Value>
using PieceMap = std::unordered_map<std::string, Value, PieceHash, std::equal_to<>>;

}  // namespace rotary::text
