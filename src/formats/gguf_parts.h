// A GGUF model of one file or of several (name-00001-of-00003.gguf).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/gguf_header.h"

namespace rotary::detail {

struct GgufParts {
  std::vector<std::string> paths;  ///< in their order
  std::vector<std::shared_ptr<const void>> memory;
  GgufHeader whole;  ///< the first part's, with the tensors of all
};

/// Opens the part at `path` and those that it names. Throws std::runtime_error; the rules are GgufFile's.
GgufParts open_gguf_parts(const std::string& path);

}  // namespace rotary::detail
