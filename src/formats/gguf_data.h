// The table of GGUF architectures, src/formats/gguf_architectures.json, as the build embeds it.
#pragma once

#include <string_view>

namespace rotary::detail {

/// The text of gguf_architectures.json.
std::string_view gguf_architectures_json();

}  // namespace rotary::detail
