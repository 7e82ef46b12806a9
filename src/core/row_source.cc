#include "core/row_source.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/rotate_kernels.h"
#include "core/small_buffer.h"
#include "core/trigonometry.h"

namespace rotary::detail {
namespace {

bool all_zero(const double* position, int count) {
  return std::all_of(position, position + count, [](double m) { return m == 0; });
}

// Short runs: a call of memcpy takes longer.
void copy_short(const float* from, const Rotary::State::AxisRun& run, float* to) {
  constexpr int kBlock = 8;
  int i = run.begin;
  for (; i + kBlock <= run.end; i += kBlock) std::memcpy(to + i, from + i, kBlock * sizeof(float));
  for (; i < run.end; ++i) to[i] = from[i];
}

void store_double(DoubleDouble angle, double factor, double& cos, double& sin) {
  const SinCos value = sincos(angle);
  cos = (value.cos * factor).hi;
  sin = (value.sin * factor).hi + 0.0;
}

}  // namespace

TurnRows::TurnRows(const Rotary::State& state, Direction direction) : state_(state), direction_(direction) {}

bool TurnRows::is_identity(const double* position) const {
  return !state_.table_given && state_.map.attention_factor == 1 && all_zero(position, state_.map.num_axes);
}

// Null where the table ends, and between its rows.
CosSinRow<float> TurnRows::table_row(int set, double position) const {
  if (!(position >= 0 && position < static_cast<double>(state_.table_rows))) return {};
  const auto row = static_cast<std::int64_t>(position);
  if (static_cast<double>(row) != position) return {};
  const CosSinTable& table = state_.tables[static_cast<std::size_t>(set)];
  return {table.cos(row).data(), table.sin(row).data()};
}

// Every pair from the row of its axis; null if some axis is beyond the table.
CosSinRow<float> TurnRows::combined_row(int set, const double* position, float* scratch) const {
  constexpr int kMaxAxes = 8;
  const int axes = state_.map.num_axes;
  CosSinRow<float> rows[kMaxAxes];
  if (axes > kMaxAxes) return {};
  for (int axis = 0; axis < axes; ++axis) {
    rows[axis] = table_row(set, position[axis]);
    if (rows[axis].cos == nullptr) return {};
  }
  const std::int64_t pairs = state_.num_pairs();
  for (const Rotary::State::AxisRun& run : state_.axis_runs) {
    copy_short(rows[run.axis].cos, run, scratch);
    copy_short(rows[run.axis].sin, run, scratch + pairs);
  }
  return {scratch, scratch + pairs};
}

CosSinRow<float> TurnRows::forward_row(int set, const double* position, float* scratch) const {
  const int axes = state_.map.num_axes;
  const bool same = std::all_of(position, position + axes, [&](double m) { return m == position[0]; });
  const CosSinRow<float> row = same ? table_row(set, position[0]) : combined_row(set, position, scratch);
  if (row.cos != nullptr) return row;
  float* sin = scratch + state_.num_pairs();
  state_.rows[static_cast<std::size_t>(set)]->write(position, scratch, sin);
  return {scratch, sin};
}

CosSinRow<float> TurnRows::row(int set, const double* position, float* scratch) const {
  const auto pairs = static_cast<std::size_t>(state_.num_pairs());
  CosSinRow<float> row = forward_row(set, position, scratch);
  if (direction_ == Direction::kForward) return row;
  const double factor = state_.map.attention_factor;
  if (direction_ == Direction::kInverse && factor != 1) {
    const double inverse = 1 / (factor * factor);
    for (std::size_t i = 0; i < pairs; ++i) {
      scratch[i] = static_cast<float>(row.cos[i] * inverse);
      scratch[pairs + i] = static_cast<float>(-row.sin[i] * inverse);
    }
    return {scratch, scratch + pairs};
  }
  for (std::size_t i = 0; i < pairs; ++i) scratch[pairs + i] = -row.sin[i];
  return {row.cos, scratch + pairs};
}

CosSinRow<double> TurnRows::row(int set, const double* position, double* scratch) const {
  const auto pairs = static_cast<std::size_t>(state_.num_pairs());
  const double factor = state_.map.attention_factor;
  if (state_.arithmetic == Arithmetic::kExact && !state_.table_given) {
    SmallBuffer<DoubleDouble> angles(pairs);
    state_.write_angles(set, position, angles.data());
    for (std::size_t i = 0; i < pairs; ++i) store_double(angles.data()[i], factor, scratch[i], scratch[pairs + i]);
  } else {
    std::vector<float> narrow(2 * pairs);
    const CosSinRow<float> row = forward_row(set, position, narrow.data());
    std::copy_n(row.cos, pairs, scratch);
    std::copy_n(row.sin, pairs, scratch + pairs);
  }
  const double scale = direction_ == Direction::kInverse ? 1 / (factor * factor) : 1;
  if (direction_ != Direction::kForward)
    for (std::size_t i = 0; i < pairs; ++i) scratch[i] *= scale, scratch[pairs + i] *= -scale;
  return {scratch, scratch + pairs};
}

CosSinRow<float> AngleRows::row(int set, const double* position, float* scratch) const {
  const auto pairs = static_cast<std::size_t>(num_pairs_);
  SmallBuffer<DoubleDouble> angles(pairs);
  SmallBuffer<double> parts(2 * pairs);
  write_angles(set, position, angles.data());
  for (std::size_t i = 0; i < pairs; ++i) {
    parts.data()[i] = angles.data()[i].hi;
    parts.data()[pairs + i] = angles.data()[i].lo;
  }
  float* sin = scratch + pairs;
  kernels().cos_sin.write({parts.data(), parts.data() + pairs, nullptr, 1, pairs}, factor_, scratch, sin);
  return {scratch, sin};
}

CosSinRow<double> AngleRows::row(int set, const double* position, double* scratch) const {
  SmallBuffer<DoubleDouble> angles(static_cast<std::size_t>(num_pairs_));
  write_angles(set, position, angles.data());
  for (std::int64_t i = 0; i < num_pairs_; ++i)
    store_double(angles.data()[i], factor_, scratch[i], scratch[num_pairs_ + i]);
  return {scratch, scratch + num_pairs_};
}

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
    : AngleRows(to.num_pairs(), to.map.attention_factor / from.map.attention_factor), from_(from), to_(to) {}

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
