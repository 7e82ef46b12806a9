#include "report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>

namespace rotary::report {

Terminal make_terminal(std::ostream& out, int file_descriptor) {
  Terminal terminal;
  terminal.out = &out;
  terminal.is_terminal = isatty(file_descriptor) != 0;
  terminal.columns = [file_descriptor] {
    winsize size{};
    return ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? int{size.ws_col} : 80;
  };
  terminal.seconds = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  return terminal;
}

}  // namespace rotary::report
