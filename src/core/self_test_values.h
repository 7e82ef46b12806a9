// Known cosines and sines: tests/golden/self_test_values.py.
#pragma once

#include <string_view>

namespace rotary::detail {

std::string_view self_test_values();

}  // namespace rotary::detail
