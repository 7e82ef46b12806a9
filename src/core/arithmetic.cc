#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/require.h"
#include "rotary/frequency.h"

namespace rotary {
namespace {

constexpr std::array<std::pair<Arithmetic, std::string_view>, 4> kNames{{
    {Arithmetic::kExact, "exact"},
    {Arithmetic::kTransformersFloat32, "transformers-float32"},
    {Arithmetic::kTransformersBfloat16, "transformers-bfloat16"},
    {Arithmetic::kGgml, "ggml"},
}};

}  // namespace

std::string_view to_string(Arithmetic arithmetic) {
  for (const auto& [value, name] : kNames)
    if (value == arithmetic) return name;
  return "?";
}

Arithmetic parse_arithmetic(std::string_view name) {
  for (const auto& [value, known] : kNames)
    if (known == name) return value;
  std::string list;
  for (const auto& [value, known] : kNames) list += (list.empty() ? "" : ", ") + std::string(known);
  detail::require(false, "parse_arithmetic", "arithmetic must be one of " + list, name);
  return {};
}

}  // namespace rotary
