// A GGUF file as a model's configuration.
#pragma once

#include <string>

#include "rotary/formats/gguf.h"
#include "rotary/formats/model_config.h"

namespace rotary::detail {

/// Whether the file can be opened and begins with "GGUF".
bool begins_as_gguf(const std::string& path);

/// Reads the metadata and the tensors of frequency factors. References are llama.cpp, which is the default, and
/// original: the file as written, where all keys count, also those that the architecture's loader passes over.
/// Throws std::runtime_error naming file and key.
ModelConfig read_gguf_config(const std::string& path, const ReadOptions& options);

/// The same from a file that is open.
ModelConfig read_gguf_config(const GgufFile& file, const ReadOptions& options);

}  // namespace rotary::detail
