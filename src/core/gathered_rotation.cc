#include "core/gathered_rotation.h"

#include <algorithm>
#include <cstring>

namespace rotary::detail {
namespace {

// Elements are moved as bits: nothing here knows what they mean. A head in the block: x0 of every pair of the row, x1
// of every pair, then the channels that pass.
template <class Bits>
class Gatherer {
 public:
  Gatherer(const RotationPlan& plan, std::int64_t in_channel, std::int64_t out_channel)
      : plan_(plan), in_(in_channel), out_(out_channel) {}

  void gather(const std::byte* x, Bits* head) const {
    const auto second = static_cast<std::size_t>(plan_.row_pairs);
    if (plan_.pairs.size() < second) std::fill_n(head, 2 * second, Bits{0});
    for (const PlannedPair& p : plan_.pairs) {
      head[static_cast<std::size_t>(p.row)] = load(x, p.x0);
      head[second + static_cast<std::size_t>(p.row)] = load(x, p.x1);
    }
    Bits* rest = head + 2 * second;
    for (const Copy& copy : plan_.copies)
      for (int i = 0; i < copy.count; ++i) *rest++ = load(x, copy.from + i);
  }

  void scatter(const Bits* head, std::byte* out) const {
    const auto second = static_cast<std::size_t>(plan_.row_pairs);
    for (const PlannedPair& p : plan_.pairs) {
      store(out, p.y0, head[static_cast<std::size_t>(p.row)]);
      store(out, p.y1, head[second + static_cast<std::size_t>(p.row)]);
    }
    const Bits* rest = head + 2 * second;
    for (const Copy& copy : plan_.copies)
      for (int i = 0; i < copy.count; ++i) store(out, copy.to + i, *rest++);
  }

 private:
  Bits load(const std::byte* x, int channel) const {
    Bits bits;
    std::memcpy(&bits, x + channel * in_, sizeof bits);
    return bits;
  }
  void store(std::byte* out, int channel, Bits bits) const { std::memcpy(out + channel * out_, &bits, sizeof bits); }

  const RotationPlan& plan_;
  std::int64_t in_, out_;
};

template <class Bits>
void rotate_as(const TokenHeads& token, const RotationPlan& halves, const Row& row, std::byte* block,
               std::int64_t block_bytes) {
  const Gatherer<Bits> gatherer(*token.plan, token.x_channel, token.out_channel);
  const std::int64_t stride = gathered_bytes(*token.plan, token.dtype);
  const std::int64_t capacity = block_bytes / stride;
  const auto head_of = [&](std::int64_t i) { return reinterpret_cast<Bits*>(block + i * stride); };
  const RotateTile rotate = kernels().rotate[static_cast<int>(token.dtype)][static_cast<int>(PairLayout::kHalf)];
  for (std::int64_t first = 0; first < token.heads; first += capacity) {
    const std::int64_t count = std::min(capacity, token.heads - first);
    for (std::int64_t i = 0; i < count; ++i) gatherer.gather(token.x + (first + i) * token.x_head, head_of(i));
    if (row.first != nullptr) rotate({&halves, &row, 1, count, block, block, 0, stride, 0, stride});
    for (std::int64_t i = 0; i < count; ++i) gatherer.scatter(head_of(i), token.out + (first + i) * token.out_head);
  }
}

}  // namespace

std::int64_t gathered_bytes(const RotationPlan& plan, DType dtype) {
  return (2 * std::int64_t{plan.row_pairs} + plan.channels) * static_cast<std::int64_t>(size_of(dtype));
}

void rotate_gathered(const TokenHeads& token, const RotationPlan& halves, const Row& row, std::byte* block,
                     std::int64_t block_bytes) noexcept {
  switch (size_of(token.dtype)) {
    case 2: return rotate_as<std::uint16_t>(token, halves, row, block, block_bytes);
    case 4: return rotate_as<std::uint32_t>(token, halves, row, block, block_bytes);
    default: return rotate_as<std::uint64_t>(token, halves, row, block, block_bytes);
  }
}

}  // namespace rotary::detail
