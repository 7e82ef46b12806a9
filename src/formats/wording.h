// Numbers and lists in sentences.
#pragma once

#include <string>
#include <vector>

namespace rotary::detail {

/// Ten digits, no exponent for whole numbers below 10^15.
std::string number(double x);

/// Three or four digits: "6.28", "1956", "2.05e+07".
std::string rough(double x);

/// "1 position", "4096 positions".
std::string positions_text(double count);

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& items);

/// "pair 5", "pairs 0-28", of a half-open range.
std::string pairs_text(int begin, int end);

}  // namespace rotary::detail
