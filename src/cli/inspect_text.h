// A read configuration for people: one block per component and part.
#pragma once

#include <string>
#include <vector>

#include "rotary/formats/model_config.h"

namespace rotary::cli {

/// Ascending numbers, short: 0-2, 4, 6-9.
std::string ranges(const std::vector<int>& values);

/// "text_config (qwen2_5_vl_text): layers 0-27", with a line break.
std::string title(const ModelRotation& r);

/// "llama, read as transformers 5.24 does".
std::string reading(const ModelConfig& config);

std::string to_text(const ModelConfig& config, const ReadOptions& options);

}  // namespace rotary::cli
