// A call of a function that rotates, drawn from the fuzzer's bytes: where the vectors lie, their positions, the
// options, and sometimes one fault for which it must be refused.
#pragma once

#include <array>
#include <cstdlib>
#include <optional>

#include "core/heads.h"
#include "draw_rotary.h"

namespace rotary::fuzz {

using Shape = std::array<std::int64_t, 4>;
using testing::Elements;

enum class Operation { kApply, kUnrotate, kBackward, kTogether, kShift, kShiftEach, kMove, kMaxValue = kMove };

enum class Fault {
  kNone,
  kNullData,
  kMisaligned,
  kUnknownDType,
  kNegativeShape,
  kHugeShape,
  kHugeStride,
  kZeroStride,
  kChannels,
  kOtherShape,
  kOtherDType,
  kThreads,
  kPositionCount,
  kPositionValue,
  kMaxValue = kPositionValue
};

/// Elements begin .. end-1 of a buffer hold a tensor; start is its first element.
struct Place {
  std::int64_t start = 0, end = 0;
  Shape strides{};
  bool wild = false;  // any strides, that the library may refuse to write through
};

inline void draw_tidy_strides(Draw& draw, const Shape& shape, Shape& strides) {
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  for (std::size_t k = 0; k < 3; ++k)
    if (draw.ConsumeBool()) std::swap(order[k], order[k + static_cast<std::size_t>(draw_int(draw, 0, 1 + (k < 2)))]);
  std::int64_t stride = 1;
  for (std::size_t k = 4; k-- > 0;) {
    const std::size_t axis = order[k];
    if (draw_int(draw, 0, 3) == 3) stride += draw_int(draw, 0, 9);
    strides[axis] = draw_int(draw, 0, 5) == 5 ? -stride : stride;
    stride *= std::max<std::int64_t>(1, shape[axis]);
  }
}

inline Place draw_place(Draw& draw, const Shape& shape) {
  Place place;
  place.wild = draw_int(draw, 0, 7) == 7;
  if (place.wild)
    for (std::int64_t& stride : place.strides) stride = draw_int(draw, -60, 60);
  else
    draw_tidy_strides(draw, shape, place.strides);
  place.start = draw.ConsumeBool() ? draw_int(draw, 0, 20) : 0;
  std::int64_t last = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::int64_t reach = (std::max<std::int64_t>(1, shape[k]) - 1) * place.strides[k];
    (reach < 0 ? place.start : last) += std::abs(reach);
    if (shape[k] == 1 && draw.ConsumeBool()) place.strides[k] = std::numeric_limits<std::int64_t>::max() / 2;  // unused
  }
  place.end = place.start + last + 1;
  return place;
}

/// Positions of any kind, and what they mean.
struct DrawnPositions {
  std::vector<std::int64_t> longs;  // offsets or ids
  std::vector<std::int32_t> ints;   // cu_seqlens or ids
  std::vector<double> doubles;      // ids
  Positions value;
  std::vector<std::vector<double>> at;  // [batch * tokens][num_axes]
};

inline std::int64_t draw_position(int kind, Random& random) {
  constexpr std::array<std::int64_t, 8> kDefault{0, 1, 2049, 8191, 65537, 131071, 1000003, (1LL << 31) - 1};
  switch (kind) {
    case 0: return below(300, random);
    case 1: return kDefault[random() % kDefault.size()];
    case 2: return below(2000, random) - 1000;
    case 3: return below(2, random);
    default: return static_cast<std::int64_t>(random() >> 12) - (1LL << 51);
  }
}

class PositionDraw {
 public:
  PositionDraw(Draw& draw, const Shape& shape, int num_axes, Fault fault)
      : draw_(draw),
        batch_(shape[0]),
        tokens_(shape[1]),
        num_axes_(num_axes),
        fault_(fault),
        random_(draw_random(draw)),
        magnitude_(draw_int(draw, 0, 4)) {}

  /// True if the fault is in them.
  bool into(DrawnPositions& out, bool ids_only) {
    out.at.resize(static_cast<std::size_t>(batch_ * tokens_));
    draw_kind(out, ids_only);
    return fault_ == Fault::kPositionCount || fault_ == Fault::kPositionValue;
  }

 private:
  void draw_kind(DrawnPositions& out, bool ids_only) {
    switch (draw_int(draw_, ids_only ? 3 : 0, 5)) {
      case 0: return range(out);
      case 1: return offsets(out);
      case 2: return batch_ == 1 ? packed(out) : range(out);
      case 3: magnitude_ %= 4; return ids(out, out.ints);
      case 4: return ids(out, out.longs);
      case 5: return ids(out, out.doubles);
    }
  }
  bool takes(Fault fault) { return fault_ == fault; }
  std::int64_t next() { return draw_position(magnitude_, random_); }
  void set(DrawnPositions& out, std::int64_t b, std::int64_t t, double value) {
    out.at[static_cast<std::size_t>(b * tokens_ + t)].assign(static_cast<std::size_t>(num_axes_), value);
  }
  template <class First>
  void set_all(DrawnPositions& out, const First& first) {
    for (std::int64_t b = 0; b < batch_; ++b)
      for (std::int64_t t = 0; t < tokens_; ++t) set(out, b, t, static_cast<double>(first(b) + t));
  }

  void range(DrawnPositions& out) {
    if (takes(Fault::kPositionCount)) fault_ = Fault::kNone;
    const std::int64_t first = takes(Fault::kPositionValue) ? 1LL << 53 : next();
    out.value = PositionRange{first};
    set_all(out, [&](auto) { return first; });
  }
  void offsets(DrawnPositions& out) {
    for (std::int64_t b = 0; b < batch_; ++b) out.longs.push_back(next());
    set_all(out, [&](auto b) { return out.longs[static_cast<std::size_t>(b)]; });
    spoil(out.longs);
    out.value = PositionOffsets{out.longs};
  }
  void packed(DrawnPositions& out) {
    const bool from_zero = draw_.ConsumeBool();
    out.ints.push_back(0);
    for (std::int64_t t = 0; t < tokens_;) {
      const std::int64_t first = from_zero ? 0 : next(), end = std::min<std::int64_t>(tokens_, t + below(9, random_));
      if (!from_zero) out.longs.push_back(first);
      for (const std::int64_t begin = t; t < end; ++t) set(out, 0, t, static_cast<double>(first + t - begin));
      out.ints.push_back(static_cast<std::int32_t>(end));
    }
    if (takes(Fault::kPositionCount)) out.ints.push_back(static_cast<std::int32_t>(tokens_) + 1);
    if (takes(Fault::kPositionValue)) out.ints[0] = 1;
    out.value = PackedSequences{out.ints, out.longs};
  }
  template <class T>
  void ids(DrawnPositions& out, std::vector<T>& ids) {
    const int axes = draw_.ConsumeBool() ? num_axes_ : 1;
    const bool per_sequence = draw_.ConsumeBool();
    const std::int64_t rows = per_sequence ? batch_ : 1;
    const double fraction = std::is_same_v<T, double> && magnitude_ < 3 && draw_.ConsumeBool() ? 0.375 : 0;
    for (std::int64_t i = rows * axes * tokens_; i > 0; --i)
      ids.push_back(static_cast<T>(static_cast<double>(next()) + fraction));
    for (std::int64_t b = 0; b < batch_; ++b)
      for (std::int64_t t = 0; t < tokens_; ++t)
        for (int axis = 0; axis < num_axes_; ++axis) {
          const std::int64_t row = (axes == 1 ? 0 : axis) * rows + (per_sequence ? b : 0);
          out.at[static_cast<std::size_t>(b * tokens_ + t)].push_back(
              static_cast<double>(ids[static_cast<std::size_t>(row * tokens_ + t)]));
        }
    spoil(ids);
    out.value = PositionIds{std::span<const T>(ids), axes, per_sequence};
  }
  template <class T>
  void spoil(std::vector<T>& values) {
    if (takes(Fault::kPositionCount)) values.push_back(0);
    if (!takes(Fault::kPositionValue)) return;
    if (std::is_same_v<T, std::int32_t> || values.empty())
      fault_ = Fault::kNone;
    else if constexpr (std::is_same_v<T, double>)
      values.back() = draw_.PickValueInArray({std::nan(""), HUGE_VAL, -0x1p53});
    else
      values.back() =
          static_cast<T>(draw_.PickValueInArray({1LL << 53, -(1LL << 53), std::numeric_limits<long long>::min()}));
  }

  Draw& draw_;
  std::int64_t batch_, tokens_;
  int num_axes_;
  Fault fault_;
  Random random_;
  int magnitude_;
};

}  // namespace rotary::fuzz
