// Tables out.
#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "c_api/guard.h"
#include "c_api/handle.h"
#include "c_api/structs.h"
#include "c_api/translate.h"
#include "rotary/cos_sin_table.h"

namespace rotary::c_api {
namespace {

using detail::require;
constexpr std::string_view kFunction = "rotary_table";

// [num_tokens][num_axes], as tables are built: an id or a range counts on every axis, ids per axis are transposed.
template <class To, class From>
std::vector<To> by_token(const From& position_of, std::int64_t num_tokens, int num_axes) {
  std::vector<To> out;
  out.reserve(static_cast<std::size_t>(num_tokens) * static_cast<std::size_t>(num_axes));
  for (std::int64_t token = 0; token < num_tokens; ++token)
    for (int axis = 0; axis < num_axes; ++axis) out.push_back(static_cast<To>(position_of(token, axis)));
  return out;
}

template <class T>
std::vector<std::conditional_t<std::is_same_v<T, double>, double, std::int64_t>> by_token(std::span<const T> ids,
                                                                                          const PositionIds& p,
                                                                                          std::int64_t num_tokens,
                                                                                          int num_axes) {
  require(!p.per_sequence, kFunction, "positions.per_sequence must be 0", 1);
  require(p.num_axes == 1 || p.num_axes == num_axes, kFunction, "positions.num_axes must be 1 or the rotation's",
          p.num_axes);
  require(static_cast<std::int64_t>(ids.size()) / p.num_axes == num_tokens &&
              static_cast<std::int64_t>(ids.size()) % p.num_axes == 0,
          kFunction, "positions.num_ids must be num_axes * num_tokens", ids.size());
  const auto position_of = [&](std::int64_t token, int axis) {
    return ids[static_cast<std::size_t>((p.num_axes == 1 ? 0 : axis) * num_tokens + token)];
  };
  return by_token<std::conditional_t<std::is_same_v<T, double>, double, std::int64_t>>(position_of, num_tokens,
                                                                                       num_axes);
}

CosSinTable make_table(const rotary_rotation& r, std::span<const std::int64_t> positions, int set) {
  const Arithmetic arithmetic = r.rotary.arithmetic();
  if (arithmetic == Arithmetic::kGgml && r.spec && r.rotary.map().num_sets == 1)
    return CosSinTable::by_token(*r.spec, positions, arithmetic, r.seq_len);
  return CosSinTable::by_token(r.rotary.map(), positions, arithmetic, set);
}

CosSinTable make_table(const rotary_rotation& r, std::span<const double> positions, int set) {
  return CosSinTable::by_token(r.rotary.map(), positions, r.rotary.arithmetic(), set);
}

CosSinTable make_table(const rotary_rotation& r, const PositionRange& range, std::int64_t num_tokens, int set) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 53;
  require(range.first > -kLimit && range.first < kLimit - num_tokens && num_tokens < kLimit, kFunction,
          "positions must be below 2^53 in magnitude", range.first);
  const auto position_of = [&](std::int64_t token, int) { return range.first + token; };
  const auto list = by_token<std::int64_t>(position_of, num_tokens, r.rotary.map().num_axes);
  return make_table(r, std::span<const std::int64_t>(list), set);
}

CosSinTable make_table(const rotary_rotation& r, const Positions& positions, std::int64_t num_tokens, int set) {
  if (const auto* range = std::get_if<PositionRange>(&positions)) return make_table(r, *range, num_tokens, set);
  const auto* given = std::get_if<PositionIds>(&positions);
  require(given != nullptr, kFunction, "positions.kind must be RANGE or IDS", "another");
  const auto make = [&](const auto& ids) {
    const auto list = by_token(ids, *given, num_tokens, r.rotary.map().num_axes);
    return make_table(r, std::span(list), set);
  };
  return std::visit(make, given->ids);
}

}  // namespace
}  // namespace rotary::c_api

using namespace rotary::c_api;

rotary_status rotary_table(const rotary_rotation* rotation, const rotary_positions* positions, int64_t num_tokens,
                           int32_t set, float* cos, float* sin) {
  return guard([&] {
    const rotary_rotation& r = to_handle(rotation, kFunction, "rotation");
    require(num_tokens >= 0, kFunction, "num_tokens must not be negative", num_tokens);
    require(set >= 0 && set < r.rotary.map().num_sets, kFunction, "set must be in 0 .. num_sets-1", set);
    require(num_tokens == 0 || (cos != nullptr && sin != nullptr), kFunction, "cos and sin must not be null", "null");
    const auto table = make_table(r, to_positions(positions, kFunction, "positions"), num_tokens, set);
    for (std::int64_t row = 0; row < num_tokens; ++row) {
      cos = std::copy_n(table.cos(row).begin(), table.num_pairs(), cos);
      sin = std::copy_n(table.sin(row).begin(), table.num_pairs(), sin);
    }
  });
}
