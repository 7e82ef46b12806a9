#include "nn/scaling_choice.h"

#include "core/require.h"

namespace rotary::nn {

Scaling make_scaling(const ScalingChoice& choice) {
  const std::string& method = choice.method;
  detail::require(choice.factor >= 1, "make_scaling", "factor must be 1 or more", choice.factor);
  if (method == "default") return DefaultScaling{};
  if (method == "linear") return LinearScaling{choice.factor};
  if (method == "ntk") return NtkScaling{choice.factor};
  detail::require(choice.original_max_position > 0, "make_scaling", method + " needs an original_max_position above 0",
                  choice.original_max_position);
  if (method == "dynamic") return DynamicNtkScaling{choice.factor, choice.original_max_position};
  if (method == "ntk_by_parts") return NtkByPartsPaperScaling{choice.factor, choice.original_max_position};
  if (method == "yarn") return YarnScaling{choice.factor, choice.original_max_position};
  detail::require(false, "make_scaling", "method must be default, linear, ntk, dynamic, ntk_by_parts or yarn", method);
  return {};
}

}  // namespace rotary::nn
