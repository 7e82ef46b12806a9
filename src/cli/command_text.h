// Commands to be shown and typed again.
#pragma once

#include <string>

#include "cli/rotation_choice.h"
#include "rotary/formats/model_config.h"

namespace rotary::cli {

/// A word of a shell's command line.
std::string quoted(const std::string& text);

/// " --as vllm --seq-len 8192": what differs from the defaults.
std::string options_text(const ReadOptions& options);
std::string options_text(const RotationFilter& filter);

}  // namespace rotary::cli
