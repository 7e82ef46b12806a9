// The only thrower of argument errors: "function: what must hold, got value".
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rotary::detail {

template <class T>
std::string show(const T& value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}

/// Throws `Error` with the text "function: what must hold, got value" unless `ok`. The value is formatted only on
/// failure.
template <class Error = std::invalid_argument, class T>
void require(bool ok, std::string_view function, std::string_view must_hold, const T& got) {
  if (ok) [[likely]]
    return;
  throw Error(std::string(function) + ": " + std::string(must_hold) + ", got " + show(got));
}

}  // namespace rotary::detail
