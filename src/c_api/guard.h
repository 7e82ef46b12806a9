// The one place where C++ exceptions become status codes.
#pragma once

#include <string>
#include <utility>

#include "rotary/rotary_c.h"

namespace rotary::c_api {

/// Notes the text of the exception in flight for rotary_last_error() and gives its status.
rotary_status report() noexcept;

/// Runs the body of a C function.
template <class Body>
rotary_status guard(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return ROTARY_OK;
  } catch (...) {
    return report();
  }
}

/// Refusals that have a status of their own.
[[noreturn]] void throw_not_found(const std::string& file);
[[noreturn]] void throw_unsupported(const std::string& text);

}  // namespace rotary::c_api
