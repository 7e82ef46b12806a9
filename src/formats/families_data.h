// The tables of rules, src/formats/families.json and dialects.json, as the build embeds them.
#pragma once

#include <string_view>

namespace rotary::detail {

/// The text of families.json.
std::string_view families_json();
/// The text of dialects.json.
std::string_view dialects_json();

}  // namespace rotary::detail
