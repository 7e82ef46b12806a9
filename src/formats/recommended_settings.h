// What each engine is told, read back under its own rules.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "rotary/formats/recommend.h"

namespace rotary::detail {

/// The file that the recommendation is for.
struct SettingSubject {
  nlohmann::json document;
  const ModelConfig& config;
  const ModelRotation& rotation;
  const std::string& name;
  const ReadOptions& options;
};

/// Adds the settings and the caveats to a decided recommendation (kExtend or kKeepMethod). It becomes kNotPossible if
/// the family takes no setting under the reference in question.
void add_settings(Recommendation& out, const SettingSubject& subject);

}  // namespace rotary::detail
