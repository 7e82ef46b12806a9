// Everything that is known about a model's rotation, as a page to show to somebody.
#pragma once

#include <string>

#include "rotary/formats/model_config.h"

namespace rotary::cli {

/// HTML: facts, bands, figures with their numbers and commands, other references, sources, warnings. `path` is read
/// again for the other references. Throws std::runtime_error if nothing of the model rotates.
std::string report_page(const std::string& path, const ModelConfig& config, const ReadOptions& options);

}  // namespace rotary::cli
