// The table of model families, src/formats/families.json, as the build embeds it.
#pragma once

#include <string_view>

namespace rotary::detail {

/// The text of families.json.
std::string_view families_json();

}  // namespace rotary::detail
