// Questions about the library itself.
#include <string>

#include "rotary/apply.h"
#include "rotary/rotary_c.h"
#include "rotary/version.h"

const char* rotary_version(void) { return rotary::version(); }

const char* rotary_simd_target(void) {
  try {
    static const std::string kTarget(rotary::simd_target());
    return kTarget.c_str();
  } catch (...) {
    return "unknown";
  }
}

const char* rotary_status_name(rotary_status status) {
  switch (status) {
    case ROTARY_OK: return "ok";
    case ROTARY_INVALID_ARGUMENT: return "invalid argument";
    case ROTARY_OUT_OF_RANGE: return "out of range";
    case ROTARY_NOT_FOUND: return "not found";
    case ROTARY_BAD_CONFIG: return "bad configuration";
    case ROTARY_OUT_OF_MEMORY: return "out of memory";
    case ROTARY_UNSUPPORTED: return "unsupported";
    case ROTARY_INTERNAL: return "internal error";
    default: return "unknown status";
  }
}
