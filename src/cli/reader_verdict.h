// What another reader makes of a file.
#pragma once

#include <string>

#include "rotary/formats/model_config.h"

namespace rotary::cli {

struct ReaderVerdict {
  std::string answer;   ///< "the same", "differs", "fails", "not known", "refuses the file"
  std::string details;  ///< how, or why; empty for the same
};

/// Compares what `reader` makes of the file with what `options` make of it, at `position`. The file must be readable
/// with `options`.
ReaderVerdict ask_reader(const std::string& path, const ReadOptions& options, Reference reader, double position);

}  // namespace rotary::cli
