// The table of GGUF architectures: one row of rules per architecture (gguf_architectures.json; docs/formats.md explains
// the columns).
#pragma once

#include <string>

#include "formats/json_reader.h"

namespace rotary::detail {

/// The row; null if there is none.
const Json* gguf_architecture(const std::string& name);

}  // namespace rotary::detail
