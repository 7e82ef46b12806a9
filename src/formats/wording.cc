#include "formats/wording.h"

#include <cmath>
#include <cstdio>

namespace rotary::detail {
namespace {

std::string printed(const char* pattern, double x) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, x);
  return text;
}

}  // namespace

std::string number(double x) {
  return std::trunc(x) == x && std::fabs(x) < 1e15 ? printed("%.0f", x) : printed("%.10g", x);
}

std::string rough(double x) {
  if (std::fabs(x) >= 1000 && std::fabs(x) < 1e6) return printed("%.0f", x);
  return printed("%.3g", x);
}

std::string positions_text(double count) { return number(count) + (count == 1 ? " position" : " positions"); }

std::string listed(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i)
    out += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return out;
}

std::string pairs_text(int begin, int end) {
  return end - begin == 1 ? "pair " + std::to_string(begin)
                          : "pairs " + std::to_string(begin) + "-" + std::to_string(end - 1);
}

}  // namespace rotary::detail
