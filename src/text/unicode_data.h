#pragma once

#include <string_view>

namespace rotary::detail {

/// The text of unicode.txt, compiled in.
std::string_view unicode_data();

}  // namespace rotary::detail
