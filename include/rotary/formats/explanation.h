// What a rotation is, in words with its own numbers.
#pragma once

#include <string>
#include <vector>

#include "rotary/formats/model_config.h"
#include "rotary/version.h"

namespace rotary {

/// A piece of an explanation.
struct Passage {
  std::string heading;
  std::string text;   ///< sentences in one line, to be wrapped; paragraphs end with a line break
  std::string block;  ///< lines that must stay as they are: tables, drawings, something to paste; "" if none
};

/// One rotation of a model: which channels turn and with whom, how fast, what the scaling method does to which pairs,
/// what multiplies what, what else is particular about it, what happens beyond the trained length, and where each value
/// came from. Wavelengths are in positions per full turn. `options` are those that the model was read with.
ROTARY_API std::vector<Passage> explain_rotation(const ModelRotation& rotation, const ReadOptions& options = {});

}  // namespace rotary
