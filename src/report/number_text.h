// Numbers as text, the same in every locale.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rotary::report {

/// At most `decimals` decimals, without trailing zeros: 2.5, 100, 0.
std::string trimmed(double value, int decimals);

/// With commas between the thousands.
std::string with_commas(std::int64_t value);

/// About four digits (or `digits`), for reading: 0.1235, 131,072, 1.2×10⁻⁹, not a number.
std::string short_number(double value, int digits = 4);

/// Values to be compared: `digits` of them each, all with the same number of decimals unless that takes more than
/// three. What is not finite is "–".
std::vector<std::string> value_labels(const std::vector<double>& values, int digits);

/// One label a tick; all with the decimals that multiples of 1, 2 or 5 × 10^step_exponent need, and
/// huge and tiny ones with one power of ten.
std::vector<std::string> step_labels(const std::vector<double>& ticks, int step_exponent);

/// 10⁻⁴ or 0.01 or 2×10⁷ as a whole axis of them needs it.
std::vector<std::string> decade_labels(const std::vector<double>& ticks);

}  // namespace rotary::report
