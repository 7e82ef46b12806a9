#include <algorithm>
#include <string>

#include "core/apply_checks.h"
#include "core/require.h"
#include "core/rotary_state.h"
#include "core/small_buffer.h"

namespace rotary {
namespace {

constexpr std::string_view kName = "write_cos_sin";

void require_size(std::span<float> out, std::int64_t num_tokens, std::int64_t pairs, std::string_view name) {
  std::int64_t want = 0;
  detail::require(!__builtin_mul_overflow(num_tokens, pairs, &want), kName, "num_tokens * pairs must fit", num_tokens);
  if (static_cast<std::int64_t>(out.size()) != want)
    detail::require(false, kName,
                    std::string(name) + " must be [num_tokens][pairs] = " + std::to_string(want) + " numbers",
                    out.size());
}

}  // namespace

void write_cos_sin(const Rotary& rotary, const Positions& positions, std::int64_t num_tokens, int set,
                   std::span<float> cos, std::span<float> sin) {
  const Rotary::State& state = rotary.state();
  const std::int64_t pairs = state.num_pairs();
  const int axes = state.map.num_axes;
  detail::require(num_tokens >= 0, kName, "num_tokens must not be negative", num_tokens);
  detail::require(set >= 0 && set < state.map.num_sets, kName,
                  "set must be in 0 .. " + std::to_string(state.map.num_sets - 1), set);
  require_size(cos, num_tokens, pairs, "cos");
  require_size(sin, num_tokens, pairs, "sin");
  const auto checked = detail::validate_positions(state, 1, num_tokens, positions, {}, kName);
  if (num_tokens == 0 || pairs == 0) return;

  const detail::TableRows& rows = *state.rows[static_cast<std::size_t>(set)];
  const auto row_step = static_cast<std::size_t>(pairs);
  if (const auto* range = std::get_if<PositionRange>(&positions); range != nullptr && range->first >= 0)
    return rows.write_range(range->first, num_tokens, cos.data(), sin.data(), row_step);
  detail::SmallBuffer<double> position(static_cast<std::size_t>(axes));
  for (std::int64_t token = 0; token < num_tokens; ++token) {
    checked.read(0, token, 1, position.data(), axes);
    const std::size_t at = static_cast<std::size_t>(token) * row_step;
    rows.write(position.data(), cos.data() + at, sin.data() + at);
  }
}

}  // namespace rotary
