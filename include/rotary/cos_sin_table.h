// CosSinTable: cos and sin of position * frequency, float32, made once and shared.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rotary/ggml.h"
#include "rotary/rotation_map.h"

namespace rotary {

/// cos and sin for every pair of a map, [rows][pairs] float each, attention factor included; never stored at full
/// width.
///
/// *By position*: row m holds position m = 0 .. num_rows-1 on whichever axis turns the pair; for maps in which every
/// pair has one axis. *By token*: one row per token of a list of positions, several axes, fractional and negative
/// positions included. *Given*: whatever someone else computed.
///
/// A table is an immutable value that shares its pages: copying is cheap, and reading from any number of threads is
/// safe. grown() returns a longer table that shares the pages of this one; the bits of a row never depend on how the
/// table grew. Memory: 2 * rows * pairs floats (by position: rows rounded up to a page of 256), for one frequency set.
///
/// Accuracy: Arithmetic::kExact, |error| <= 1 ulp of float32 (or 2^-60 absolute near zeros) for |position| <= 2^31,
/// attention factor included; all values checked against 60 digits are the correctly rounded ones. The other
/// arithmetics repeat the engine's operations and roundings; cos and sin of the float32 angle are correctly rounded for
/// transformers and those of glibc for ggml. The same bits everywhere. A table by position takes about a nanosecond per
/// pair on a core with AVX-512 or AVX2, row by row two; without fused multiply-add about 40.
class ROTARY_API CosSinTable {
 public:
  static constexpr std::int64_t kRowsPerPage = 256;

  /// Table by position. `set` chooses the frequency set (head). Throws std::invalid_argument if some pair has several
  /// axes, if num_rows is negative, or for Arithmetic::kGgml (which needs the spec: see below); std::length_error if
  /// too large.
  static CosSinTable by_position(const RotationMap& map, std::int64_t num_rows,
                                 Arithmetic arithmetic = Arithmetic::kExact, int set = 0);

  /// Table by position in any arithmetic, ggml's included, for the map of `spec` at `seq_len`. Throws as
  /// make_rotation_map() too.
  static CosSinTable by_position(const RopeSpec& spec, std::int64_t num_rows, Arithmetic arithmetic,
                                 std::int64_t seq_len = 0);

  /// Table by position of one of ggml's operators.
  static CosSinTable by_position(const GgmlRotation& parameters, std::int64_t num_rows);

  /// Table by token. positions: [num_tokens][num_axes], whole numbers or not. Throws std::invalid_argument, naming the
  /// index, for a position that is not finite or not below 2^53 in magnitude, and where position * frequency reaches
  /// 2^60.
  static CosSinTable by_token(const RotationMap& map, std::span<const double> positions,
                              Arithmetic arithmetic = Arithmetic::kExact, int set = 0);
  static CosSinTable by_token(const RotationMap& map, std::span<const std::int64_t> positions,
                              Arithmetic arithmetic = Arithmetic::kExact, int set = 0);
  static CosSinTable by_token(const RopeSpec& spec, std::span<const std::int64_t> positions, Arithmetic arithmetic,
                              std::int64_t seq_len = 0);

  /// A given table, copied: what the operators of ONNX and other engines take as cos_cache and sin_cache. Any finite
  /// values will do, used as they are; 16-bit tables are widened by the caller.
  ///
  /// \param cos, sin  [num_rows][num_pairs] each, contiguous; num_rows follows from the sizes
  /// Throws std::invalid_argument unless num_pairs is positive, both sizes are the same multiple of it, and every value
  /// is finite.
  static CosSinTable from_values(std::span<const float> cos, std::span<const float> sin, std::int64_t num_pairs);

  /// Rows asked for: positions 0 .. num_rows-1, or tokens; or those given.
  std::int64_t num_rows() const;
  std::int64_t num_pairs() const;
  /// [num_pairs] floats of a row, contiguous, those of sin behind those of cos. Throws std::out_of_range naming the row
  /// and the number of rows.
  std::span<const float> cos(std::int64_t row) const;
  std::span<const float> sin(std::int64_t row) const;

  /// A table by position with num_rows rows, or this one if it has as many. Throws std::invalid_argument for a table by
  /// token, for a given one, and where an angle would reach 2^60; std::length_error for more than fits in memory.
  CosSinTable grown(std::int64_t num_rows) const;

  /// Bytes held in pages.
  std::size_t size_bytes() const;

 private:
  struct State;
  explicit CosSinTable(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace rotary
