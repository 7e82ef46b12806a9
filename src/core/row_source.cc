#include "core/row_source.h"

#include <algorithm>
#include <vector>

#include "core/rotate_kernels.h"
#include "core/small_buffer.h"
#include "core/trigonometry.h"

namespace rotary::detail {
namespace {

bool all_zero(const double* position, int count) {
  bool zero = true;
  for (int i = 0; i < count; ++i) zero &= position[i] == 0;
  return zero;
}

void store_double(DoubleDouble angle, double factor, double& cos, double& sin) {
  const SinCos value = sincos(angle);
  cos = (value.cos * factor).hi;
  sin = (value.sin * factor).hi + 0.0;
}

}  // namespace

TurnRows::TurnRows(const Rotary::State& state, Direction direction)
    : RowSource(state.map.num_sets, state.num_pairs(), state.map.num_axes), state_(state), direction_(direction) {}

bool TurnRows::is_identity(const double* position) const {
  return !state_.table_given && state_.map.attention_factor == 1 && all_zero(position, state_.map.num_axes);
}

// Null where the table ends, and between its rows.
const float* TurnRows::table_row(int set, double position) const {
  if (!(position >= 0 && position < static_cast<double>(state_.table_rows))) return nullptr;
  const auto row = static_cast<std::int64_t>(position);
  if (static_cast<double>(row) != position) return nullptr;
  return state_.tables[static_cast<std::size_t>(set)].cos(row).data();
}

// Every pair from the row of its axis; null if some axis is beyond the table.
const float* TurnRows::combined_row(int set, const double* position, float* scratch) const {
  constexpr int kMaxAxes = 8;
  const int axes = num_axes();
  const float* rows[kMaxAxes];
  if (axes > kMaxAxes) return nullptr;
  for (int axis = 0; axis < axes; ++axis) {
    rows[axis] = table_row(set, position[axis]);
    if (rows[axis] == nullptr) return nullptr;
  }
  kernels().combine(state_.pair_axes, {rows, static_cast<std::size_t>(axes)}, scratch);
  return scratch;
}

const float* TurnRows::forward_row(int set, const double* position, float* scratch) const {
  bool same = true;
  for (int axis = 1; axis < num_axes(); ++axis) same &= position[axis] == position[0];
  const float* row = same ? table_row(set, position[0]) : combined_row(set, position, scratch);
  if (row != nullptr) return row;
  state_.rows[static_cast<std::size_t>(set)]->write(position, scratch, scratch + num_pairs());
  return scratch;
}

const float* TurnRows::row(int set, const double* position, float* scratch) const {
  const float* row = forward_row(set, position, scratch);
  if (direction_ == Direction::kForward) return row;
  const auto pairs = static_cast<std::size_t>(num_pairs());
  const double factor = state_.map.attention_factor;
  const double scale = direction_ == Direction::kInverse ? 1 / (factor * factor) : 1;
  for (std::size_t i = 0; i < pairs; ++i) {
    scratch[i] = static_cast<float>(row[i] * scale);
    scratch[pairs + i] = static_cast<float>(-row[pairs + i] * scale);
  }
  return scratch;
}

const double* TurnRows::row(int set, const double* position, double* scratch) const {
  const auto pairs = static_cast<std::size_t>(state_.num_pairs());
  const double factor = state_.map.attention_factor;
  if (state_.arithmetic == Arithmetic::kExact && !state_.table_given) {
    SmallBuffer<DoubleDouble> angles(pairs);
    state_.write_angles(set, position, angles.data());
    for (std::size_t i = 0; i < pairs; ++i) store_double(angles.data()[i], factor, scratch[i], scratch[pairs + i]);
  } else {
    std::vector<float> narrow(2 * pairs);
    std::copy_n(forward_row(set, position, narrow.data()), 2 * pairs, scratch);
  }
  const double scale = direction_ == Direction::kInverse ? 1 / (factor * factor) : 1;
  if (direction_ != Direction::kForward)
    for (std::size_t i = 0; i < pairs; ++i) scratch[i] *= scale, scratch[pairs + i] *= -scale;
  return scratch;
}

const float* AngleRows::row(int set, const double* position, float* scratch) const {
  const auto pairs = static_cast<std::size_t>(num_pairs());
  SmallBuffer<DoubleDouble> angles(pairs);
  SmallBuffer<double> parts(2 * pairs);
  write_angles(set, position, angles.data());
  for (std::size_t i = 0; i < pairs; ++i) {
    parts.data()[i] = angles.data()[i].hi;
    parts.data()[pairs + i] = angles.data()[i].lo;
  }
  kernels().cos_sin.write({parts.data(), parts.data() + pairs, nullptr, 1, pairs}, factor_, scratch, scratch + pairs);
  return scratch;
}

const double* AngleRows::row(int set, const double* position, double* scratch) const {
  const std::int64_t pairs = num_pairs();
  SmallBuffer<DoubleDouble> angles(static_cast<std::size_t>(pairs));
  write_angles(set, position, angles.data());
  for (std::int64_t i = 0; i < pairs; ++i) store_double(angles.data()[i], factor_, scratch[i], scratch[pairs + i]);
  return scratch;
}

ShiftRows::ShiftRows(const Rotary::State& state)
    : AngleRows(state.map.num_sets, state.num_pairs(), state.map.num_axes, 1), state_(state) {}

bool ShiftRows::is_identity(const double* position) const { return all_zero(position, num_axes()); }

void ShiftRows::write_angles(int set, const double* position, DoubleDouble* angles) const {
  for (int pair = 0; pair < static_cast<int>(num_pairs()); ++pair) {
    angles[pair] = {};
    for (int axis = 0; axis < num_axes(); ++axis) {
      const Frequency& f = state_.map.at(set, pair, axis);
      angles[pair] = angles[pair] + DoubleDouble{f.hi, f.lo} * position[axis];
    }
  }
}

MoveRows::MoveRows(const Rotary::State& from, const Rotary::State& to)
    : AngleRows(std::max(from.map.num_sets, to.map.num_sets), to.num_pairs(), from.map.num_axes + to.map.num_axes,
                to.map.attention_factor / from.map.attention_factor),
      from_(from),
      to_(to) {}

bool MoveRows::is_identity(const double* position) const {
  if (factor() != 1) return false;
  if (all_zero(position, num_axes())) return true;
  return &from_ == &to_ && std::equal(position, position + from_.map.num_axes, position + from_.map.num_axes);
}

void MoveRows::write_angles(int set, const double* position, DoubleDouble* angles) const {
  SmallBuffer<DoubleDouble> before(static_cast<std::size_t>(num_pairs()));
  from_.write_angles(std::min(set, from_.map.num_sets - 1), position, before.data());
  to_.write_angles(std::min(set, to_.map.num_sets - 1), position + from_.map.num_axes, angles);
  for (std::int64_t i = 0; i < num_pairs(); ++i) angles[i] = angles[i] - before.data()[i];
}

}  // namespace rotary::detail
