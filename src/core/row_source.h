// Where the cos and sin of a token come from: a table, or the writer of its rows.
#pragma once

#include <cstdint>

#include "core/rotary_state.h"

namespace rotary::detail {

class RowSource {
 public:
  virtual ~RowSource() = default;
  int num_sets() const { return num_sets_; }
  std::int64_t num_pairs() const { return num_pairs_; }
  /// Numbers that place a token.
  int num_axes() const { return num_axes_; }
  /// True if a token there is not turned at all, nor multiplied.
  virtual bool is_identity(const double* position) const = 0;
  /// cos [pairs], then sin [pairs], factor included, in a table or in `scratch` [2 * pairs]. Double rows are of double
  /// accuracy in exact arithmetic.
  virtual const float* row(int set, const double* position, float* scratch) const = 0;
  virtual const double* row(int set, const double* position, double* scratch) const = 0;

 protected:
  RowSource(int num_sets, std::int64_t num_pairs, int num_axes)
      : num_pairs_(num_pairs), num_sets_(num_sets), num_axes_(num_axes) {}

 private:
  std::int64_t num_pairs_;
  int num_sets_, num_axes_;
};

/// Rows of a rotation: forwards; or backwards (-t), as the transpose or as the inverse.
class TurnRows final : public RowSource {
 public:
  enum class Direction { kForward, kTranspose, kInverse };

  TurnRows(const Rotary::State& state, Direction direction);
  bool is_identity(const double* position) const override;
  const float* row(int set, const double* position, float* scratch) const override;
  const double* row(int set, const double* position, double* scratch) const override;

 private:
  const float* forward_row(int set, const double* position, float* scratch) const;
  const float* combined_row(int set, const double* position, float* scratch) const;
  const float* table_row(int set, double position) const;

  const Rotary::State& state_;
  Direction direction_;
};

/// Rows made from angles that no table holds; the factor may differ from the map's.
class AngleRows : public RowSource {
 public:
  AngleRows(int num_sets, std::int64_t num_pairs, int num_axes, double factor)
      : RowSource(num_sets, num_pairs, num_axes), factor_(factor) {}
  const float* row(int set, const double* position, float* scratch) const override;
  const double* row(int set, const double* position, double* scratch) const override;

 protected:
  double factor() const { return factor_; }

 private:
  virtual void write_angles(int set, const double* position, DoubleDouble* angles) const = 0;

  double factor_;
};

/// Keys turned further by a difference of positions: delta * frequency in double-double, in every arithmetic.
class ShiftRows final : public AngleRows {
 public:
  explicit ShiftRows(const Rotary::State& state);
  bool is_identity(const double* position) const override;

 private:
  void write_angles(int set, const double* position, DoubleDouble* angles) const override;

  const Rotary::State& state_;
};

/// Keys turned from `from` at p to `to` at q, the position being (p, q): q f_to - p f_from in double-double.
class MoveRows final : public AngleRows {
 public:
  MoveRows(const Rotary::State& from, const Rotary::State& to);
  bool is_identity(const double* position) const override;

 private:
  void write_angles(int set, const double* position, DoubleDouble* angles) const override;

  const Rotary::State& from_;
  const Rotary::State& to_;
};

}  // namespace rotary::detail
