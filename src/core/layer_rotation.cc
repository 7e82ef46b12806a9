#include "rotary/layer_rotation.h"

#include <algorithm>
#include <cmath>

#include "core/double_double.h"
#include "core/require.h"

namespace rotary {

double query_scale_at(const QueryScaleRule& rule, double position) {
  detail::require(std::isfinite(position), "query_scale_at", "position must be finite", position);
  const auto log_of = [](double x) { return detail::to_double(log(detail::DoubleDouble{x, 0})); };
  switch (rule.kind) {
    case QueryScaleRule::Kind::kNone: return 1;
    case QueryScaleRule::Kind::kLogFloor:
      return 1 + rule.beta * log_of(1 + std::floor((position + rule.shift) / rule.floor_scale));
    case QueryScaleRule::Kind::kPower:
      return detail::to_double(pow(detail::DoubleDouble{1 + (position + rule.shift) / rule.floor_scale, 0},
                                   detail::DoubleDouble{rule.beta, 0}));
    case QueryScaleRule::Kind::kLogN:
      return std::max(1.0, log_of(std::max(position + 1, 1.0)) / log_of(rule.floor_scale));
  }
  return 1;
}

}  // namespace rotary
