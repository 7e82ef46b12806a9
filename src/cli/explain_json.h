// What `rotary explain` says, for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "rotary/formats/model_config.h"
#include "rotary/formats/recommend.h"

namespace rotary::cli {

nlohmann::ordered_json to_json(const Recommendation& recommendation);

/// The rotations in numbers, with the passages that say them in words.
nlohmann::ordered_json explanation_json(const ModelConfig& config, const ReadOptions& options);

}  // namespace rotary::cli
