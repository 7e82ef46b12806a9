// Is it UTF-8?
#pragma once

#include <cstddef>
#include <string_view>

namespace rotary::text {

/// The place of the first byte that begins no character as RFC 3629 has it (no overlong form, no surrogate, nothing
/// above U+10FFFF) or is NUL; `bytes.size()` when there is none.
std::size_t find_bad_utf8(std::string_view bytes);

}  // namespace rotary::text
