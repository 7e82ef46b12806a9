// A fast wrong answer is worth nothing.
#pragma once

#include <string>

#include "bench/operands.h"

namespace rotary::bench {

/// Compares heads of the first, middle and last tokens with the slow twin. The operands must have run once. Throws
/// std::runtime_error that names the case and the first wrong channel.
void check_answer(const std::string& name, const Operands& operands);

}  // namespace rotary::bench
