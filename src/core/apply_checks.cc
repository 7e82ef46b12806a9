#include "core/apply_checks.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "core/require.h"
#include "core/tensor_layout.h"

namespace rotary::detail {
namespace {

constexpr double kMaxAngle = 0x1p60;  // as the tables'

std::string show_shape(const ConstTensorView& x) {
  std::string text = "[";
  for (std::size_t k = 0; k < 4; ++k) text += (k > 0 ? ", " : "") + std::to_string(x.shape[k]);
  return text + "]";
}

// Rows have whole numbers. What is not finite is left to the next check.
void validate_whole(const Positions& positions, std::string_view function) {
  const auto* given = std::get_if<PositionIds>(&positions);
  const auto* ids = given == nullptr ? nullptr : std::get_if<std::span<const double>>(&given->ids);
  for (std::size_t i = 0; ids != nullptr && i < ids->size(); ++i)
    if (const double id = (*ids)[i]; std::isfinite(id) && id != std::trunc(id))
      require(false, function, "positions.ids[" + std::to_string(i) + "] must be a row of the given table", id);
}

std::string text(std::string_view name) { return std::string(name); }

void validate_heads(const Rotary::State& state, const ConstTensorView& x, std::string_view function,
                    std::string_view name) {
  if (x.shape[3] != state.map.channels)
    require(false, function,
            std::string(name) + ".shape must have the map's channels, " + std::to_string(state.map.channels),
            x.shape[3]);
  if (state.map.num_sets > 1 && x.shape[2] != state.map.num_sets)
    require(false, function,
            std::string(name) + ".shape must have one head per frequency set, " + std::to_string(state.map.num_sets),
            x.shape[2]);
}

}  // namespace

void validate_options(const ApplyOptions& options, std::string_view function) {
  require(options.num_threads >= 1, function, "options.num_threads must be at least 1", options.num_threads);
}

void validate_read(const Rotary::State& state, const ConstTensorView& x, std::string_view function,
                   std::string_view name) {
  validate_view(x, function, name);
  validate_heads(state, x, function, name);
}

PassTensor validate_tensors(const Rotary::State& state, const ConstTensorView& x, const TensorView& out,
                            std::string_view function, const TensorNames& names) {
  const ConstTensorView written = as_const(out);
  const bool same = same_memory(x, written);  // then all that holds for x holds for out
  const auto apart = [&] {
    return is_plain(written) && x.shape == written.shape && x.dtype == written.dtype && lie_apart(x, written);
  };
  if (is_plain(x) && (same || apart())) {
    validate_heads(state, x, function, names.x);
    return {x, same ? TensorView{out.data, out.dtype, x.shape, x.strides} : out, same};
  }
  validate_read(state, x, function, names.x);
  if (!same) {
    validate_view(written, function, names.out);
    if (x.shape != written.shape)
      require(false, function, text(names.out) + ".shape must be that of " + text(names.x) + ", " + show_shape(x),
              show_shape(written));
    if (x.dtype != written.dtype)
      require(false, function, text(names.out) + ".dtype must be that of " + text(names.x), to_string(written.dtype));
  }
  if (is_empty(x)) return {x, out, true};
  validate_written(written, function, names.out);
  if (!same && may_overlap(x, written))
    require(false, function, text(names.out) + " must be " + text(names.x) + " itself or not overlap it",
            "memory in common");
  return {with_plain_strides(x), with_plain_strides(out), same};
}

void validate_together(std::span<const PassTensor> tensors, std::string_view function) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ConstTensorView& x = tensors[i].x;
    if (x.shape[0] != tensors[0].x.shape[0] || x.shape[1] != tensors[0].x.shape[1])
      require(false, function, "tensors must have the same batch and tokens, " + show_shape(tensors[0].x),
              show_shape(x));
    for (std::size_t j = 0; j < i; ++j)
      if (may_overlap(x, tensors[j].x))
        require(false, function, "tensors must not overlap, unlike number " + std::to_string(j), i);
  }
}

void validate_knows_angles(const Rotary::State& state, std::string_view function, std::string_view name) {
  if (state.table_given) require(false, function, std::string(name) + " must have frequencies", "a given table");
}

TokenPositions validate_positions(const Rotary::State& state, std::int64_t batch, std::int64_t tokens,
                                  const Positions& positions, const ApplyOptions& options, std::string_view function) {
  const bool limited = options.limit.has_value() || state.table_given;
  std::int64_t limit = options.limit.value_or(state.table_rows);
  if (state.table_given) {
    limit = std::min(limit, state.table_rows);
    validate_whole(positions, function);
  }
  TokenPositions checked(positions, {batch, tokens, state.map.num_axes, limited, limit}, function);
  const double largest = checked.largest() * state.largest_frequency;
  require(largest < kMaxAngle, function, "position * frequency must be below 2^60", largest);
  return checked;
}

}  // namespace rotary::detail
