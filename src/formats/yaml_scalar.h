// What a plain scalar of YAML 1.1 is.
#pragma once

#include <string_view>

#include "formats/json_reader.h"

namespace rotary::detail {

/// As PyYAML's safe_load resolves it: null, a boolean, a number, text.
Json yaml_scalar(std::string_view text);

}  // namespace rotary::detail
