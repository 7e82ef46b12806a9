// What a drawn call must give, from the slow twin and from what is promised bit for bit.
#pragma once

#include <cstdio>

#include "draw_call.h"
#include "reference/rotate.h"

namespace rotary::fuzz {

inline void expect(bool ok, const char* what, double got = 0, double want = 0) {
  if (ok) return;
  std::fprintf(stderr, "== wrong: %s (got %.17g, want %.17g)\n", what, got, want);
  std::abort();
}

/// A tensor in a buffer.
struct Tensor {
  const Elements* memory;
  const Shape* shape;
  const Place* place;

  std::size_t at(std::int64_t b, std::int64_t t, std::int64_t h, std::int64_t c) const {
    std::int64_t i = place->start;
    const Shape index{b, t, h, c};
    for (std::size_t k = 0; k < 4; ++k)
      if (index[k] != 0) i += index[k] * place->strides[k];
    return static_cast<std::size_t>(i);
  }
  std::vector<double> head(std::int64_t b, std::int64_t t, std::int64_t h) const {
    std::vector<double> out;
    for (std::int64_t c = 0; c < (*shape)[3]; ++c) out.push_back((*memory)[at(b, t, h, c)]);
    return out;
  }
};

inline std::uint64_t bits(const Elements& memory, std::size_t i) {
  switch (size_of(memory.dtype())) {
    case 2: return memory.get<std::uint16_t>(i);
    case 4: return memory.get<std::uint32_t>(i);
    default: return memory.get<std::uint64_t>(i);
  }
}

/// The same number, the payload of a NaN apart.
inline bool same_number(const Elements& x, const Elements& y, std::size_t i) {
  return bits(x, i) == bits(y, i) || (std::isnan(x[i]) && std::isnan(y[i]));
}

/// A rotation in the twin's terms, and the positions it is turned by.
struct Turn {
  RotationMap map;
  const DrawnPositions* positions;
};

/// The same planes read from the outputs, and written to the inputs (back) or where they are; need not be sorted.
inline RotationMap on_outputs(RotationMap map, bool back, double sign, double factor) {
  std::vector<int> pass(map.pass_to.size(), -1);
  for (std::size_t i = 0; i < pass.size(); ++i)
    if (const int to = map.pass_to[i]; to >= 0) pass[static_cast<std::size_t>(to)] = back ? static_cast<int>(i) : to;
  map.pass_to = pass;
  for (ChannelPair& p : map.pairs) p = back ? ChannelPair{p.c, p.d, p.a, p.b} : ChannelPair{p.c, p.d, p.c, p.d};
  for (Frequency& f : map.frequency) f = {sign * f.hi, sign * f.lo};
  map.attention_factor = factor;
  return map;
}

class Twin {
 public:
  Twin(std::vector<Turn> turns, bool exact, DType dtype) : turns_(std::move(turns)), exact_(exact), dtype_(dtype) {
    for (const Turn& turn : turns_) gain_ *= turn.map.attention_factor;
  }

  /// Every vector of `out` against that of `x` (before the call).
  void check(const Tensor& x, const Tensor& out) const {
    const Shape& shape = *x.shape;
    for (std::int64_t b = 0; b < shape[0]; ++b)
      for (std::int64_t t = 0; t < shape[1]; ++t)
        for (std::int64_t h = 0; h < shape[2]; ++h) {
          check_bits(x, out, b, t, h, static_cast<std::size_t>(b * shape[1] + t));
          if (exact_) check_values(x.head(b, t, h), out.head(b, t, h), h, static_cast<std::size_t>(b * shape[1] + t));
        }
  }

  /// Largest difference of two results of the same numbers, one with and one without fma: a product more is rounded
  /// (arithmetic), so the sums are rounded otherwise (arithmetic, twice), and then to the dtype (u, twice).
  double target_gap(const std::vector<double>& x) const {
    return (3 * arithmetic() + 2 * u()) * 1.5 * gain_ * largest(x) + floor();
  }

 private:
  double u() const { return testing::unit_roundoff(dtype_); }
  double arithmetic() const { return dtype_ == DType::kFloat64 ? u() : 0x1p-24; }
  double floor() const {  // the least number above 0, or above what float32 loses below it
    switch (dtype_) {
      case DType::kFloat16: return 0x1p-24;
      case DType::kBfloat16: return 0x1p-133;
      case DType::kFloat32: return 0x1p-146;
      case DType::kFloat64: return 0x1p-1071;
    }
    return 0;
  }
  // Infinite if results may be beyond float16.
  static double largest(const std::vector<double>& x) {
    double size = 0;
    for (const double value : x) size = std::fabs(value) <= 4096 ? std::max(size, std::fabs(value)) : HUGE_VAL;
    return size;
  }

  // Channels that pass, and all of a token that is not turned, are copied.
  void check_bits(const Tensor& x, const Tensor& out, std::int64_t b, std::int64_t t, std::int64_t h,
                  std::size_t token) const {
    const RotationMap& map = turns_.front().map;
    const auto copied = [&](int from, int to, const char* what) {
      expect(bits(*x.memory, x.at(b, t, h, from)) == bits(*out.memory, out.at(b, t, h, to)), what);
    };
    for (int c = 0; c < map.channels; ++c)
      if (const int to = map.pass_to[static_cast<std::size_t>(c)]; to >= 0) copied(c, to, "a channel passes");
    for (const Turn& turn : turns_) {
      if (turn.map.attention_factor != 1) return;
      for (const double m : turn.positions->at[token])
        if (m != 0) return;
    }
    for (const ChannelPair& p : map.pairs) copied(p.a, p.c, "position 0"), copied(p.b, p.d, "position 0");
  }

  // cos, sin, product and sum are rounded to the arithmetic, with unrotate's division and two steps of the twin at most
  // 10 times; the result to the dtype; the twin's angle is off by a few 2^-53 of it.
  void check_values(std::vector<double> want, const std::vector<double>& got, std::int64_t h, std::size_t token) const {
    const double size = largest(want);
    if (size == HUGE_VAL) return;
    double angle = 0;
    for (const Turn& turn : turns_) {
      const std::vector<double>& at = turn.positions->at[token];
      want = reference::rotate(turn.map, want, at, turn.map.num_sets == 1 ? 0 : static_cast<int>(h));
      for (const double m : at) angle += std::fabs(m);  // no drawn frequency is above 1
    }
    const double allowed = (10 * arithmetic() + u() + angle * 0x1p-51) * 1.5 * gain_ * size + floor();
    for (std::size_t c = 0; c < want.size(); ++c)
      expect(std::fabs(want[c] - got[c]) <= allowed, "the twin", got[c], want[c]);
  }

  std::vector<Turn> turns_;
  bool exact_;
  DType dtype_;
  double gain_ = 1;
};

}  // namespace rotary::fuzz
