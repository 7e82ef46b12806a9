// A read configuration for people: one block per component and part.
#pragma once

#include <string>

#include "rotary/formats/model_config.h"

namespace rotary::cli {

std::string to_text(const ModelConfig& config, const ReadOptions& options);

}  // namespace rotary::cli
