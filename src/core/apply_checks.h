// The checks of every operation on head vectors, all before the first write.
#pragma once

#include <span>
#include <string_view>

#include "core/rotary_state.h"
#include "core/rotation_pass.h"

namespace rotary::detail {

void validate_options(const ApplyOptions& options, std::string_view function);

/// A tensor that is only read: valid, with the channels and heads of the map.
void validate_read(const Rotary::State& state, const ConstTensorView& x, std::string_view function,
                   std::string_view name);

/// What the function of the public interface calls them, for errors.
struct TensorNames {
  std::string_view x = "x", out = "out";
};
inline constexpr TensorNames kXAndOut, kKeys{"keys", "keys"};

/// x and out: valid, the same shape and dtype, channels and heads of the map, the same memory or apart. Returns them as
/// a pass takes them.
PassTensor validate_tensors(const Rotary::State& state, const ConstTensorView& x, const TensorView& out,
                            std::string_view function, const TensorNames& names = kXAndOut);

/// Tensors changed in one call: the same batch and tokens, none overlapping another.
void validate_together(std::span<const PassTensor> tensors, std::string_view function);

/// For operations on angles, which a given table does not tell.
void validate_knows_angles(const Rotary::State& state, std::string_view function, std::string_view name);

/// Positions that fit [batch][tokens]: with angles the range reduction can do, or rows of a given table.
TokenPositions validate_positions(const Rotary::State& state, std::int64_t batch, std::int64_t tokens,
                                  const Positions& positions, const ApplyOptions& options, std::string_view function);

}  // namespace rotary::detail
