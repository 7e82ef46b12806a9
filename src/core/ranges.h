// Lists of numbers in few words.
#pragma once

#include <string>
#include <vector>

namespace rotary::detail {

/// Ascending numbers, short: 0-2, 4, 6-9.
inline std::string ranges(const std::vector<int>& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t j = i;
    while (j + 1 < values.size() && values[j + 1] == values[j] + 1) ++j;
    out += (out.empty() ? "" : ", ") + std::to_string(values[i]) + (j > i ? "-" + std::to_string(values[j]) : "");
    i = j + 1;
  }
  return out;
}

}  // namespace rotary::detail
