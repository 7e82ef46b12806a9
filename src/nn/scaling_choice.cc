#include "nn/scaling_choice.h"

#include "core/require.h"

namespace rotary::nn {

Scaling make_scaling(const ScalingChoice& choice) {
  const std::string& method = choice.method;
  const auto require = [](bool ok, const std::string& must_hold, const auto& got) {
    detail::require(ok, "make_scaling", must_hold, got);
  };
  const bool is_relative = method == "dynamic" || method == "ntk_by_parts" || method == "yarn";
  require(is_relative || method == "default" || method == "linear" || method == "ntk",
          "method must be default, linear, ntk, dynamic, ntk_by_parts or yarn", method);
  require(choice.factor >= 1, "factor must be 1 or more", choice.factor);
  require(!is_relative || choice.original_max_position > 0, "original_max_position must be above 0 for " + method,
          choice.original_max_position);
  if (method == "linear") return LinearScaling{choice.factor};
  if (method == "ntk") return NtkScaling{choice.factor};
  if (method == "dynamic") return DynamicNtkScaling{choice.factor, choice.original_max_position};
  if (method == "ntk_by_parts") return NtkByPartsPaperScaling{choice.factor, choice.original_max_position};
  if (method == "yarn") {
    YarnScaling yarn;
    yarn.factor = choice.factor;
    yarn.original_max_position = choice.original_max_position;
    return yarn;
  }
  return DefaultScaling{};
}

}  // namespace rotary::nn
