// White space in UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace rotary::text {

/// Bytes of the white space that `text` begins with, one character of it; 0 if it begins with something else. ASCII
/// white space, U+00A0 (no-break space) and U+3000 (ideographic space).
inline std::size_t leading_space(std::string_view text) {
  if (text.empty()) return 0;
  const char c = text[0];
  if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
  if (c == '\xC2' && text.starts_with("\xC2\xA0")) return 2;
  if (c == '\xE3' && text.starts_with("\xE3\x80\x80")) return 3;
  return 0;
}

}  // namespace rotary::text
