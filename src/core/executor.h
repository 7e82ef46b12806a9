// Threads of the library's own, for callers that bring none.
#pragma once

#include "rotary/apply.h"

namespace rotary::detail {

/// One pool for the process, made on first use, of as many threads as the machine has. A run that finds it busy works
/// on the caller's thread alone.
Executor& own_threads();

}  // namespace rotary::detail
