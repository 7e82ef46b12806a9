// The same call in C and in C++, for every kind of positions.
#pragma once

#include <random>
#include <string>

#include "c_api/handles.h"
#include "core/table_cases.h"

namespace rotary::testing {

struct PositionCase {
  std::string name;
  Positions positions;
  rotary_positions flat;
  std::int64_t batch, tokens;

  friend void PrintTo(const PositionCase& c, std::ostream* out) { *out << c.name; }
};

constexpr std::int64_t kTokens = 6;

inline rotary_positions flat_positions(std::int32_t kind) {
  rotary_positions p{};
  p.struct_size = sizeof p;
  p.kind = kind;
  return p;
}

/// ids: of static storage.
template <class T>
PositionCase ids_case(std::string name, rotary_dtype dtype, std::span<const T> ids, int num_axes, bool per_sequence) {
  rotary_positions p = flat_positions(ROTARY_POSITIONS_IDS);
  p.ids_dtype = dtype;
  p.ids = ids.data();
  p.num_ids = static_cast<int64_t>(ids.size());
  p.num_axes = num_axes;
  p.per_sequence = per_sequence;
  return {std::move(name), PositionIds{ids, num_axes, per_sequence}, p, 2, kTokens};
}

/// For a map of `num_axes` axes: every kind, every type of id, with and without an axis of its own.
inline std::vector<PositionCase> position_cases(int num_axes) {
  static const std::vector<std::int64_t> kOffsets{2049, -7};
  static const std::vector<std::int32_t> kCu{0, 2, 2, kTokens};
  static const std::vector<std::int64_t> kPackedOffsets{0, 5, 131071};
  static const auto kInt64 = [] {
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < 3 * 2 * kTokens; ++i) ids.push_back(i * 8191 - 65537);
    return ids;
  }();
  static const std::vector<std::int32_t> kInt32(kInt64.begin(), kInt64.end());
  static const auto kDouble = [] {
    std::vector<double> ids;
    for (std::int64_t i : kInt64) ids.push_back(static_cast<double>(i) + 0.25);
    return ids;
  }();
  const auto first = [](const auto& ids, std::int64_t n) { return std::span(ids).first(static_cast<std::size_t>(n)); };
  std::vector<PositionCase> out;
  rotary_positions p = flat_positions(ROTARY_POSITIONS_RANGE);
  p.first = 1000003;
  out.push_back({"Range", PositionRange{1000003}, p, 2, kTokens});
  p = flat_positions(ROTARY_POSITIONS_OFFSETS);
  p.offsets = kOffsets.data();
  p.num_offsets = 2;
  out.push_back({"Offsets", PositionOffsets{kOffsets}, p, 2, kTokens});
  p = flat_positions(ROTARY_POSITIONS_PACKED);
  p.cu_seqlens = kCu.data();
  p.num_cu_seqlens = 4;
  out.push_back({"Packed", PackedSequences{kCu, {}}, p, 1, kTokens});
  p.offsets = kPackedOffsets.data();
  p.num_offsets = 3;
  out.push_back({"PackedOffsets", PackedSequences{kCu, kPackedOffsets}, p, 1, kTokens});
  const std::int64_t each = num_axes * kTokens;
  out.push_back(ids_case<std::int32_t>("Int32", ROTARY_INT32, first(kInt32, kTokens), 1, false));
  out.push_back(ids_case<std::int32_t>("Int32PerSequence", ROTARY_INT32, first(kInt32, 2 * each), num_axes, true));
  out.push_back(ids_case<std::int64_t>("Int64", ROTARY_INT64, first(kInt64, each), num_axes, false));
  out.push_back(ids_case<std::int64_t>("Int64PerSequence", ROTARY_INT64, first(kInt64, 2 * kTokens), 1, true));
  out.push_back(ids_case<double>("Double", ROTARY_FLOAT64, first(kDouble, each), num_axes, false));
  out.push_back(ids_case<double>("DoublePerSequence", ROTARY_FLOAT64, first(kDouble, 2 * each), num_axes, true));
  return out;
}

/// Bytes of numbers in [-1, 1) or so, whatever the dtype: the exponents are kept small.
inline std::vector<std::byte> random_elements(DType dtype, std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<std::byte> out(size_of(dtype) * static_cast<std::size_t>(count));
  for (std::byte& b : out) b = static_cast<std::byte>(generator() & 0xff);
  for (std::size_t i = size_of(dtype) - 1; i < out.size(); i += size_of(dtype))
    out[i] = (out[i] & std::byte{0x80}) | std::byte{0x38};
  return out;
}

}  // namespace rotary::testing
