// A read configuration for people: one block per component and part.
#pragma once

#include <string>
#include <vector>

#include "core/ranges.h"
#include "rotary/bands.h"
#include "rotary/formats/model_config.h"

namespace rotary::cli {

using detail::ranges;

/// The words of the blocks, for other pages.
std::string number(double value);
std::string channels_text(const RopeSpec& spec, const RotationMap& map);
std::string axes_text(const ModelRotation& rotation);
std::string method_text(const RopeSpec& spec);
std::string effect_text(const Band& band);
std::string factors_text(const LayerRotation& layer);
std::string temperature_text(const QueryScaleRule& rule);  ///< "" without one
std::string applied_text(const LayerRotation& layer);

/// "text_config (qwen2_5_vl_text): layers 0-27", with a line break.
std::string title(const ModelRotation& r);

/// "llama, read as transformers 5.24 does".
std::string reading(const ModelConfig& config);

std::string to_text(const ModelConfig& config, const ReadOptions& options);

}  // namespace rotary::cli
