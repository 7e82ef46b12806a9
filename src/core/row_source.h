// Where the cos and sin of a token come from: a table, or the writer of its rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/rotary_state.h"

namespace rotary::detail {

template <class Real>
struct CosSinRow {
  const Real* cos = nullptr;
  const Real* sin = nullptr;
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual int num_sets() const = 0;
  virtual std::int64_t num_pairs() const = 0;
  /// Numbers that place a token.
  virtual int num_axes() const = 0;
  /// True if a token there is not turned at all, nor multiplied.
  virtual bool is_identity(const double* position) const = 0;
  /// cos and sin [pairs], factor included, in a table or in `scratch` [2 * pairs]. Double rows are of double accuracy
  /// in exact arithmetic.
  virtual CosSinRow<float> row(int set, const double* position, float* scratch) const = 0;
  virtual CosSinRow<double> row(int set, const double* position, double* scratch) const = 0;
};

/// Rows of a rotation: forwards; or backwards (-t), as the transpose or, with `divide`, as the inverse.
class TurnRows final : public RowSource {
 public:
  enum class Direction { kForward, kTranspose, kInverse };

  TurnRows(const Rotary::State& state, Direction direction);
  int num_sets() const override { return state_.map.num_sets; }
  std::int64_t num_pairs() const override { return state_.num_pairs(); }
  int num_axes() const override { return state_.map.num_axes; }
  bool is_identity(const double* position) const override;
  CosSinRow<float> row(int set, const double* position, float* scratch) const override;
  CosSinRow<double> row(int set, const double* position, double* scratch) const override;

 private:
  CosSinRow<float> forward_row(int set, const double* position, float* scratch) const;
  CosSinRow<float> combined_row(int set, const double* position, float* scratch) const;
  CosSinRow<float> table_row(int set, double position) const;

  const Rotary::State& state_;
  Direction direction_;
};

/// Rows made from angles that no table holds; the factor may differ from the map's.
class AngleRows : public RowSource {
 public:
  AngleRows(std::int64_t num_pairs, double factor) : num_pairs_(num_pairs), factor_(factor) {}
  std::int64_t num_pairs() const override { return num_pairs_; }
  CosSinRow<float> row(int set, const double* position, float* scratch) const override;
  CosSinRow<double> row(int set, const double* position, double* scratch) const override;

 protected:
  double factor() const { return factor_; }

 private:
  virtual void write_angles(int set, const double* position, DoubleDouble* angles) const = 0;

  std::int64_t num_pairs_;
  double factor_;
};

/// Keys turned further by a difference of positions: delta * frequency in double-double, in every arithmetic.
class ShiftRows final : public AngleRows {
 public:
  explicit ShiftRows(const Rotary::State& state) : AngleRows(state.num_pairs(), 1), state_(state) {}
  int num_sets() const override { return state_.map.num_sets; }
  int num_axes() const override { return state_.map.num_axes; }
  bool is_identity(const double* position) const override;

 private:
  void write_angles(int set, const double* position, DoubleDouble* angles) const override;

  const Rotary::State& state_;
};

/// Keys turned from `from` at p to `to` at q, the position being (p, q): q f_to - p f_from in double-double.
class MoveRows final : public AngleRows {
 public:
  MoveRows(const Rotary::State& from, const Rotary::State& to);
  int num_sets() const override { return std::max(from_.map.num_sets, to_.map.num_sets); }
  int num_axes() const override { return from_.map.num_axes + to_.map.num_axes; }
  bool is_identity(const double* position) const override;

 private:
  void write_angles(int set, const double* position, DoubleDouble* angles) const override;

  const Rotary::State& from_;
  const Rotary::State& to_;
};

}  // namespace rotary::detail
