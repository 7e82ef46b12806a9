// The positions of a call, checked, and read token by token.
#pragma once

#include <cstdint>
#include <string_view>

#include "rotary/positions.h"

namespace rotary::detail {

/// What the positions must fit. The limit is two numbers rather than an optional, which
/// stalls the core when it is copied as soon as it is made.
struct PositionShape {
  std::int64_t batch = 0, tokens = 0;
  std::int64_t num_axes = 1;
  bool limited = false;
  std::int64_t limit = 0;  ///< where `limited`
};

/// Numbers that place every token of a call.
class PositionSource {
 public:
  virtual ~PositionSource() = default;
  /// Every sequence has the same.
  virtual bool same_for_all_sequences() const = 0;
  /// Positions of `count` tokens of a sequence: out[i * stride + axis].
  virtual void read(std::int64_t sequence, std::int64_t token, std::int64_t count, double* out,
                    std::int64_t stride) const = 0;
};

class TokenPositions final : public PositionSource {
 public:
  /// Keeps `positions`, which must live as long. Throws std::invalid_argument, in the name of `function`, for positions
  /// that do not fit the shape, are not finite or reach 2^53 in magnitude; std::out_of_range beyond the limit.
  TokenPositions(const Positions& positions, const PositionShape& shape, std::string_view function)
      : positions_(positions), shape_(shape), largest_(check(positions, shape_, function)) {}

  bool same_for_all_sequences() const override;
  void read(std::int64_t sequence, std::int64_t token, std::int64_t count, double* out,
            std::int64_t stride) const override;

  /// Largest magnitude.
  double largest() const { return largest_; }

  int num_axes() const { return static_cast<int>(shape_.num_axes); }

 private:
  // Returns the largest magnitude.
  static double check(const Positions& positions, const PositionShape& shape, std::string_view function);
  void read_packed(const PackedSequences& packed, std::int64_t token, std::int64_t count, double* out,
                   std::int64_t stride) const;

  const Positions& positions_;
  PositionShape shape_;
  double largest_;
};

/// One number for all tokens and axes.
class ConstantPosition final : public PositionSource {
 public:
  ConstantPosition(double value, int num_axes) : value_(value), num_axes_(num_axes) {}
  bool same_for_all_sequences() const override { return true; }
  void read(std::int64_t, std::int64_t, std::int64_t count, double* out, std::int64_t stride) const override;

 private:
  double value_;
  int num_axes_;
};

/// The numbers of one source, then those of another.
class JoinedPositions final : public PositionSource {
 public:
  JoinedPositions(const TokenPositions& first, const TokenPositions& second) : first_(first), second_(second) {}
  bool same_for_all_sequences() const override {
    return first_.same_for_all_sequences() && second_.same_for_all_sequences();
  }
  void read(std::int64_t sequence, std::int64_t token, std::int64_t count, double* out,
            std::int64_t stride) const override {
    first_.read(sequence, token, count, out, stride);
    second_.read(sequence, token, count, out + first_.num_axes(), stride);
  }

 private:
  const TokenPositions& first_;
  const TokenPositions& second_;
};

}  // namespace rotary::detail
