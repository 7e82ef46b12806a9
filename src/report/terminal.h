// A stream, and what has to be known about it to draw on it.
#pragma once

#include <functional>
#include <ostream>

namespace rotary::report {

struct Terminal {
  std::ostream* out = nullptr;
  bool is_terminal = false;
  bool unicode = true;                                   // whether it can show block characters
  std::function<int()> columns = [] { return 80; };      // now; windows change
  std::function<double()> seconds = [] { return 0.0; };  // of a clock that never goes back
};

/// For a stream that writes to this file descriptor: asks the system whether it is a terminal and how wide; the
/// environment is not read.
Terminal make_terminal(std::ostream& out, int file_descriptor);

}  // namespace rotary::report
