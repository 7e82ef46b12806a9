// A read configuration as JSON: the contract of `rotary inspect --json`.
#pragma once

#include <string>

#include "rotary/formats/model_config.h"

namespace rotary::cli {

std::string to_json(const ModelConfig& config, const ReadOptions& options);

}  // namespace rotary::cli
