#include "rotary/version.h"

namespace rotary {

const char* version() noexcept { return ROTARY_VERSION_STRING; }

}  // namespace rotary
