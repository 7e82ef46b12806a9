// Context scaling as the verbs offer it: a method's name, a factor and the trained length.
#pragma once

#include <string>

#include "rotary/scaling.h"

namespace rotary::nn {

struct ScalingChoice {
  std::string method = "default";  ///< or linear, ntk, dynamic, ntk_by_parts (the paper's ramp), yarn
  double factor = 1;
  double original_max_position = 0;  ///< the length of training
};

/// Throws std::invalid_argument: an unknown method (lists the names), a factor below 1.
Scaling make_scaling(const ScalingChoice& choice);

}  // namespace rotary::nn
