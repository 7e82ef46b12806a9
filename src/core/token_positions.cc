#include "core/token_positions.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/require.h"

namespace rotary::detail {
namespace {

constexpr double kMaxPosition = 0x1p53;  // every integer below is a double

// Checks every kind of positions and notes the largest magnitude.
class Checker {
 public:
  Checker(const PositionShape& shape, std::string_view function) : shape_(shape), function_(function) {}

  double largest() const { return largest_; }

  void operator()(const PositionRange& range) { add_range(range.first, shape_.tokens, "positions.first", -1); }

  void operator()(const PositionOffsets& p) {
    require_count(p.offsets.size(), shape_.batch, "positions.offsets must be one per sequence, ");
    for (std::size_t b = 0; b < p.offsets.size(); ++b)
      add_range(p.offsets[b], shape_.tokens, "positions.offsets", static_cast<std::int64_t>(b));
  }

  void operator()(const PackedSequences& p) {
    require(shape_.batch == 1, function_, "packed sequences need a tensor of batch 1", shape_.batch);
    const auto& cu = p.cu_seqlens;
    require(!cu.empty(), function_, "positions.cu_seqlens must be [num_sequences + 1] numbers", cu.size());
    require(cu[0] == 0, function_, "positions.cu_seqlens must start with 0", cu[0]);
    for (std::size_t j = 1; j < cu.size(); ++j)
      if (cu[j] < cu[j - 1])
        require(false, function_, "positions.cu_seqlens[" + std::to_string(j) + "] must not fall below the one before",
                cu[j]);
    require(cu.back() == shape_.tokens, function_, "positions.cu_seqlens must end with the number of tokens",
            cu.back());
    if (!p.offsets.empty())
      require_count(p.offsets.size(), static_cast<std::int64_t>(cu.size()) - 1,
                    "positions.offsets must be one per packed sequence, ");
    for (std::size_t j = 0; j + 1 < cu.size(); ++j)
      add_range(p.offsets.empty() ? 0 : p.offsets[j], cu[j + 1] - cu[j], "positions.offsets",
                static_cast<std::int64_t>(j));
  }

  void operator()(const PositionIds& p) {
    if (p.num_axes != 1 && p.num_axes != shape_.num_axes)
      require(false, function_,
              "positions.num_axes must be 1 or the map's number of axes, " + std::to_string(shape_.num_axes),
              p.num_axes);
    const std::int64_t sequences = p.per_sequence ? shape_.batch : 1;
    std::int64_t want = 0;
    require(
        !__builtin_mul_overflow(sequences, p.num_axes, &want) && !__builtin_mul_overflow(want, shape_.tokens, &want),
        function_, "the number of positions must fit in int64", shape_.tokens);
    std::visit([&](const auto& ids) { add_ids(ids, want); }, p.ids);
  }

 private:
  void require_count(std::size_t got, std::int64_t want, const char* rule) const {
    if (static_cast<std::int64_t>(got) != want) require(false, function_, rule + std::to_string(want), got);
  }

  std::string at(std::string_view name, std::int64_t index) const {
    return std::string(name) + (index < 0 ? "" : "[" + std::to_string(index) + "]");
  }

  template <class T>
  void require_below_limit(bool ok, std::string_view name, std::int64_t index, T got) const {
    if (ok) [[likely]]
      return;
    require<std::out_of_range>(
        false, function_, at(name, index) + " must be in 0 .. limit-1, limit = " + std::to_string(shape_.limit), got);
  }

  void add_range(std::int64_t first, std::int64_t count, std::string_view name, std::int64_t index) {
    if (count == 0 || shape_.batch == 0) return;
    std::int64_t last = 0;
    const bool fits = !__builtin_add_overflow(first, count - 1, &last) &&
                      std::abs(static_cast<double>(first)) < kMaxPosition &&
                      std::abs(static_cast<double>(last)) < kMaxPosition;
    if (!fits) require(false, function_, at(name, index) + ": positions must be below 2^53 in magnitude", first);
    if (shape_.limited) {
      require_below_limit(first >= 0, name, index, first);
      require_below_limit(last < shape_.limit, name, index, last);
    }
    largest_ = std::max({largest_, std::abs(static_cast<double>(first)), std::abs(static_cast<double>(last))});
  }

  template <class T>
  void add_ids(std::span<const T> ids, std::int64_t want) {
    if (static_cast<std::int64_t>(ids.size()) != want)
      require(false, function_,
              "positions.ids must be [num_axes][batch if per_sequence][tokens], " + std::to_string(want) + " numbers",
              ids.size());
    const auto fits = [](T id) { return std::abs(static_cast<double>(id)) < kMaxPosition; };
    T lowest = 0, highest = 0;
    bool all_fit = true;
    for (const T id : ids) {
      all_fit &= fits(id);
      lowest = std::min(lowest, id);
      highest = std::max(highest, id);
    }
    for (std::size_t i = 0; !all_fit && i < ids.size(); ++i)
      if (!fits(ids[i]))
        require(false, function_,
                at("positions.ids", static_cast<std::int64_t>(i)) + " must be finite and below 2^53 in magnitude",
                ids[i]);
    largest_ = std::max({largest_, -static_cast<double>(lowest), static_cast<double>(highest)});
    if (!shape_.limited) return;
    for (std::size_t i = 0; i < ids.size(); ++i)
      require_below_limit(ids[i] >= 0 && static_cast<double>(ids[i]) < static_cast<double>(shape_.limit),
                          "positions.ids", static_cast<std::int64_t>(i), ids[i]);
  }

  const PositionShape& shape_;
  std::string_view function_;
  double largest_ = 0;
};

// first, first + 1, ... on every axis.
void write_range(std::int64_t first, std::int64_t count, int num_axes, double* out, std::int64_t stride) {
  for (std::int64_t i = 0; i < count; ++i)
    for (int axis = 0; axis < num_axes; ++axis) out[i * stride + axis] = static_cast<double>(first + i);
}

}  // namespace

double TokenPositions::check(const Positions& positions, const PositionShape& shape, std::string_view function) {
  Checker checker(shape, function);
  std::visit(checker, positions);
  return checker.largest();
}

bool TokenPositions::same_for_all_sequences() const {
  if (shape_.batch == 1 || std::holds_alternative<PositionRange>(positions_)) return true;
  const auto* ids = std::get_if<PositionIds>(&positions_);
  return ids != nullptr && !ids->per_sequence;
}

void TokenPositions::read_packed(const PackedSequences& packed, std::int64_t token, std::int64_t count, double* out,
                                 std::int64_t stride) const {
  const auto& cu = packed.cu_seqlens;
  auto sequence = static_cast<std::size_t>(std::upper_bound(cu.begin(), cu.end(), token) - cu.begin()) - 1;
  for (std::int64_t i = 0; i < count; ++i) {
    while (token + i >= cu[sequence + 1]) ++sequence;
    const std::int64_t first = packed.offsets.empty() ? 0 : packed.offsets[sequence];
    write_range(first + token + i - cu[sequence], 1, num_axes(), out + i * stride, stride);
  }
}

void TokenPositions::read(std::int64_t sequence, std::int64_t token, std::int64_t count, double* out,
                          std::int64_t stride) const {
  const int axes = num_axes();
  if (const auto* range = std::get_if<PositionRange>(&positions_))
    return write_range(range->first + token, count, axes, out, stride);
  if (const auto* each = std::get_if<PositionOffsets>(&positions_))
    return write_range(each->offsets[static_cast<std::size_t>(sequence)] + token, count, axes, out, stride);
  if (const auto* packed = std::get_if<PackedSequences>(&positions_))
    return read_packed(*packed, token, count, out, stride);
  const auto& given = std::get<PositionIds>(positions_);
  const std::int64_t rows = given.per_sequence ? shape_.batch : 1, row = given.per_sequence ? sequence : 0;
  const auto copy = [&](const auto& ids) {
    for (int axis = 0; axis < axes; ++axis) {
      const auto* from = ids.data() + ((given.num_axes == 1 ? 0 : axis) * rows + row) * shape_.tokens + token;
      for (std::int64_t i = 0; i < count; ++i) out[i * stride + axis] = static_cast<double>(from[i]);
    }
  };
  std::visit(copy, given.ids);
}

void ConstantPosition::read(std::int64_t, std::int64_t, std::int64_t count, double* out, std::int64_t stride) const {
  for (std::int64_t i = 0; i < count; ++i) std::fill_n(out + i * stride, num_axes_, value_);
}

}  // namespace rotary::detail
