// One idea at a time, each with an example that the library computes on the spot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rotary/formats/explanation.h"

namespace rotary::cli {

struct Topic {
  std::string_view name, title;
  std::vector<Passage> (*explain)();
};

/// In the order in which they build on each other.
const std::vector<Topic>& topics();

std::vector<Passage> explain_relative_property();
std::vector<Passage> explain_pairing();
std::vector<Passage> explain_frequencies();
std::vector<Passage> explain_scaling();
std::vector<Passage> explain_precision();
std::vector<Passage> explain_cache();

}  // namespace rotary::cli
