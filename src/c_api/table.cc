// Tables out.
#include <span>
#include <string_view>

#include "c_api/guard.h"
#include "c_api/handle.h"
#include "c_api/structs.h"
#include "c_api/translate.h"

using namespace rotary::c_api;

rotary_status rotary_table(const rotary_rotation* rotation, const rotary_positions* positions, int64_t num_tokens,
                           int32_t set, float* cos, float* sin) {
  return guard([&] {
    constexpr std::string_view kFunction = "rotary_table";
    using rotary::detail::require;
    const rotary_rotation& r = to_handle(rotation, kFunction, "rotation");
    require(num_tokens >= 0, kFunction, "num_tokens must not be negative", num_tokens);
    require(num_tokens == 0 || (cos != nullptr && sin != nullptr), kFunction, "cos and sin must not be null", "null");
    std::size_t size = 0;
    require(!__builtin_mul_overflow(static_cast<std::size_t>(num_tokens), r.pairs.size(), &size), kFunction,
            "num_tokens * pairs must fit", num_tokens);
    rotary::write_cos_sin(r.rotary, to_positions(positions, kFunction, "positions"), num_tokens, set,
                          {cos, num_tokens == 0 ? 0 : size}, {sin, num_tokens == 0 ? 0 : size});
  });
}
