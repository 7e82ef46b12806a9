// What rotary diff says of models.
#pragma once

#include <string>
#include <vector>

#include "rotary/formats/model_compare.h"

namespace rotary::cli {

bool same(const std::vector<RotationDifference>& rows);

/// A line for each rotation.
std::string to_text(const std::vector<RotationDifference>& rows, double position);
std::string to_json(const std::vector<RotationDifference>& rows, double position);

/// A block for each reference.
std::string to_text(const std::vector<ReferenceAnswer>& answers, double position);
std::string to_json(const std::vector<ReferenceAnswer>& answers, double position);

}  // namespace rotary::cli
