#include "core/table_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/bfloat16.h"
#include "core/double_double.h"
#include "core/require.h"
#include "core/rotate_kernels.h"
#include "core/small_buffer.h"
#include "core/trigonometry.h"

namespace rotary::detail {
namespace {

// One frequency of a pair that is not zero.
template <class Real>
struct Term {
  int pair, axis;
  Real frequency;
};

template <class Real>
std::vector<Term<Real>> terms_of(const RotationMap& map, int set, Real (*convert)(DoubleDouble)) {
  std::vector<Term<Real>> terms;
  for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair)
    for (int axis = 0; axis < map.num_axes; ++axis)
      if (const Frequency& f = map.at(set, pair, axis); f.hi != 0) terms.push_back({pair, axis, convert({f.hi, f.lo})});
  return terms;
}

// Calls store(pair, angle) for every pair; angle = sum of the pair's terms in the order of the axes.
template <class Real, class Position, class Store>
void for_each_angle(const std::vector<Term<Real>>& terms, std::size_t num_pairs, const Position& at,
                    const Store& store) {
  std::size_t next = 0;
  for (std::size_t pair = 0; pair < num_pairs; ++pair) {
    Real angle{};
    bool first = true;
    for (; next < terms.size() && static_cast<std::size_t>(terms[next].pair) == pair; ++next) {
      const Real product = terms[next].frequency * at(terms[next].axis);
      angle = std::exchange(first, false) ? product : angle + product;
    }
    store(pair, angle);
  }
}

// Every pair is turned by one axis (or by none).
class OneAxisRows final : public TableRows {
 public:
  OneAxisRows(const RotationMap& map, int set) : TableRows(map.num_axes), factor_(map.attention_factor) {
    for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair) {
      const int axis = std::max(0, axis_of(map, pair));
      const Frequency& f = map.at(set, pair, axis);
      axis_.push_back(axis);
      hi_.push_back(f.hi);
      lo_.push_back(f.lo);
      largest_ = std::max(largest_, std::fabs(f.hi));
    }
    one_axis_ = std::all_of(axis_.begin(), axis_.end(), [&](int axis) { return axis == axis_[0]; });
  }

  void write(const double* position, float* cos, float* sin) const override {
    Angles angles = frequencies();
    SmallBuffer<double> times(one_axis_ ? 0 : hi_.size());
    if (one_axis_) {
      angles.time = hi_.empty() ? 0 : position[axis_[0]];
    } else {
      for (std::size_t i = 0; i < hi_.size(); ++i) times.data()[i] = position[axis_[i]];
      angles.times = times.data();
    }
    kernels().cos_sin.write(angles, factor_, cos, sin);
  }

  void write_range(std::int64_t first, std::int64_t num_rows, float* cos, float* sin,
                   std::size_t row_step) const override;

 private:
  static constexpr std::int64_t kBlockRows = 64;

  Angles frequencies() const { return {hi_.data(), lo_.data(), nullptr, 1, hi_.size()}; }
  std::vector<double> steps() const;
  void write_start(double first, std::vector<double>& start) const;

  std::vector<double> hi_, lo_;
  std::vector<int> axis_;
  double factor_, largest_ = 0;
  bool one_axis_ = true;
};

// cos and sin of the rows that a block's first one is turned by: 0 .. kBlockRows-1.
std::vector<double> OneAxisRows::steps() const {
  const std::size_t pairs = hi_.size();
  std::vector<double> steps(static_cast<std::size_t>(kBlockRows) * 2 * pairs);
  Angles angles = frequencies();
  for (std::int64_t row = 0; row < kBlockRows; ++row) {
    double* cos = &steps[static_cast<std::size_t>(row) * 2 * pairs];
    angles.time = static_cast<double>(row);
    kernels().cos_sin.write_doubles(angles, 1, cos, cos + pairs);
  }
  return steps;
}

// cos, sin and the margin of sin [pairs] at the first row of a block.
void OneAxisRows::write_start(double first, std::vector<double>& start) const {
  const std::size_t pairs = hi_.size();
  Angles angles = frequencies();
  angles.time = first;
  start.resize(3 * pairs);
  kernels().cos_sin.write_doubles(angles, factor_, start.data(), start.data() + pairs);
  for (std::size_t i = 0; i < pairs; ++i)
    start[2 * pairs + i] = kProductMargin * factor_ * std::min(1.0, std::fabs(hi_[i] * first));
}

void OneAxisRows::write_range(std::int64_t first, std::int64_t num_rows, float* cos, float* sin,
                              std::size_t row_step) const {
  const bool in_blocks = kernels().cos_sin.write_block != nullptr && !hi_.empty() && num_rows >= 4 * kBlockRows &&
                         largest_ * static_cast<double>(first + num_rows) < kLargestAngle;
  if (!in_blocks) return TableRows::write_range(first, num_rows, cos, sin, row_step);
  const std::vector<double> steps = this->steps();
  std::vector<double> start;
  RowBlock block{frequencies(), factor_, 0, 0, nullptr, steps.data()};
  for (std::int64_t done = 0; done < num_rows; done += static_cast<std::int64_t>(block.rows)) {
    const std::int64_t position = first + done, left = num_rows - done;
    const auto at = static_cast<std::size_t>(done) * row_step;
    block.rows = static_cast<std::size_t>(std::min(kBlockRows, left));
    if (position < kBlockRows) {  // products say little about angles below their steps
      TableRows::write_range(position, static_cast<std::int64_t>(block.rows), cos + at, sin + at, row_step);
      continue;
    }
    block.first = static_cast<double>(position);
    write_start(block.first, start);
    block.start = start.data();
    kernels().cos_sin.write_block(block, cos + at, sin + at, row_step);
  }
}

// Some pair is turned by several axes.
class SeveralAxesRows final : public TableRows {
 public:
  SeveralAxesRows(const RotationMap& map, int set)
      : TableRows(map.num_axes),
        terms_(terms_of<DoubleDouble>(map, set, [](DoubleDouble f) { return f; })),
        pairs_(map.pairs.size()),
        factor_(map.attention_factor) {}

  void write(const double* position, float* cos, float* sin) const override {
    SmallBuffer<double> angles(2 * pairs_);
    double *hi = angles.data(), *lo = hi + pairs_;
    const auto at = [&](int axis) { return position[axis]; };
    for_each_angle(terms_, pairs_, at, [&](std::size_t pair, DoubleDouble angle) {
      hi[pair] = angle.hi;
      lo[pair] = angle.lo;
    });
    kernels().cos_sin.write({hi, lo, nullptr, 1, pairs_}, factor_, cos, sin);
  }

 private:
  std::vector<Term<DoubleDouble>> terms_;
  std::size_t pairs_;
  double factor_;
};

class Float32Rows final : public TableRows {
 public:
  Float32Rows(const RotationMap& map, int set, float (*round)(float))
      : TableRows(map.num_axes),
        terms_(terms_of<float>(map, set, to_float)),
        pairs_(map.pairs.size()),
        zeros_(pairs_),
        factor_(static_cast<float>(map.attention_factor)),
        round_(round) {}

  void write(const double* position, float* cos, float* sin) const override {
    SmallBuffer<double> angles(pairs_);
    const auto at = [&](int axis) { return static_cast<float>(position[axis]); };
    for_each_angle(terms_, pairs_, at,
                   [&](std::size_t pair, float angle) { angles.data()[pair] = static_cast<double>(angle); });
    kernels().cos_sin.write({angles.data(), zeros_.data(), nullptr, 1, pairs_}, 1, cos, sin);
    for (std::size_t i = 0; i < pairs_; ++i) {
      cos[i] = round_(cos[i] * factor_);
      sin[i] = round_(sin[i] * factor_);
    }
  }

 private:
  std::vector<Term<float>> terms_;
  std::size_t pairs_;
  std::vector<double> zeros_;
  float factor_;
  float (*round_)(float);
};

class GgmlRows final : public TableRows {
 public:
  explicit GgmlRows(const GgmlAngles& ggml) : TableRows(ggml.num_axes()), ggml_(ggml) {}

  void write(const double* position, float* cos, float* sin) const override {
    ggml_.angles(position, {sin, ggml_.num_pairs()});
    for (std::size_t pair = 0; pair < ggml_.num_pairs(); ++pair) {
      const CosSin value = cos_sin_glibc(sin[pair]);
      cos[pair] = value.cos * ggml_.magnitude();
      sin[pair] = value.sin * ggml_.magnitude();
    }
  }

 private:
  GgmlAngles ggml_;
};

}  // namespace

void TableRows::write_range(std::int64_t first, std::int64_t num_rows, float* cos, float* sin,
                            std::size_t row_step) const {
  SmallBuffer<double> position(static_cast<std::size_t>(num_axes_));
  for (std::int64_t row = 0; row < num_rows; ++row) {
    std::fill_n(position.data(), num_axes_, static_cast<double>(first + row));
    const auto at = static_cast<std::size_t>(row) * row_step;
    write(position.data(), cos + at, sin + at);
  }
}

bool has_pair_of_several_axes(const RotationMap& map) {
  for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair)
    if (axis_of(map, pair) == -2) return true;
  return false;
}

SharedTableRows ggml_rows(const GgmlAngles& ggml) { return std::make_shared<GgmlRows>(ggml); }

SharedTableRows map_rows(const RotationMap& map, Arithmetic arithmetic, int set, std::string_view function) {
  require(set >= 0 && set < map.num_sets, function, "set must be in 0 .. " + std::to_string(map.num_sets - 1), set);
  require(arithmetic != Arithmetic::kGgml, function, "arithmetic must be one that needs no RopeSpec", "ggml");
  switch (arithmetic) {
    case Arithmetic::kTransformersFloat32: return std::make_shared<Float32Rows>(map, set, [](float x) { return x; });
    case Arithmetic::kTransformersBfloat16: return std::make_shared<Float32Rows>(map, set, rounded_to_bfloat16);
    default: break;
  }
  if (has_pair_of_several_axes(map)) return std::make_shared<SeveralAxesRows>(map, set);
  return std::make_shared<OneAxisRows>(map, set);
}

}  // namespace rotary::detail
