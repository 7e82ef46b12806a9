// Where head vectors lie does not matter: any strides give the bits of the contiguous tensor, and nothing else is
// touched.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/apply_cases.h"
#include "core/tile_rotation.h"

namespace rotary::testing {
namespace {

constexpr std::array<std::int64_t, 4> kShape{2, 37, 3, 48};  // more tokens than a tile

/// A way to lay out the axes in memory.
struct StrideCase {
  const char* name;
  std::array<int, 4> order;           // axes from the outermost in
  std::array<std::int64_t, 4> scale;  // gaps: multiplies the stride of each axis
  std::array<bool, 4> backwards;
  std::int64_t start;  // elements before
  friend void PrintTo(const StrideCase& c, std::ostream* out) { *out << c.name; }
};

const std::vector<StrideCase> kCases{
    {"Bshd", {0, 1, 2, 3}, {1, 1, 1, 1}, {}, 0},
    {"Bhsd", {0, 2, 1, 3}, {1, 1, 1, 1}, {}, 0},
    {"Hbsd", {2, 0, 1, 3}, {1, 1, 1, 1}, {}, 0},
    {"Unaligned", {0, 1, 2, 3}, {1, 1, 1, 1}, {}, 3},
    {"Padded", {0, 1, 2, 3}, {2, 1, 2, 1}, {}, 5},
    {"TokensBackwards", {0, 1, 2, 3}, {1, 1, 1, 1}, {false, true, false, false}, 0},
    {"AllBackwards", {0, 2, 1, 3}, {1, 2, 1, 1}, {true, true, true, true}, 0},
    {"ChannelsApart", {0, 1, 2, 3}, {1, 1, 1, 2}, {}, 1},
    {"ChannelsOutermost", {3, 0, 1, 2}, {1, 1, 1, 1}, {}, 0},
};

/// Heads laid out as the case says in a buffer of NaN.
Heads laid_out(const Heads& x, const StrideCase& c) {
  Heads out{Elements(x.memory.dtype(), 0), c.start, x.shape, {}};
  std::int64_t stride = 1;
  for (std::size_t k = 4; k-- > 0;) {
    const auto axis = static_cast<std::size_t>(c.order[k]);
    stride *= c.scale[axis];
    out.strides[axis] = c.backwards[axis] ? -stride : stride;
    if (c.backwards[axis]) out.start += (x.shape[axis] - 1) * stride;
    stride *= x.shape[axis];
  }
  out.memory = Elements(x.memory.dtype(), static_cast<std::size_t>(c.start + stride) + 7);
  for (std::size_t i = 0; i < out.memory.size(); ++i) out.memory.set(i, std::numeric_limits<double>::quiet_NaN());
  return out;
}

Heads copied(const Heads& x, const StrideCase& c) {
  Heads out = laid_out(x, c);
  for_each_head(x, [&](auto b, auto t, auto h) {
    for (std::int64_t i = 0; i < x.shape[3]; ++i) out.memory.set(out.at(b, t, h, i), x.memory[x.at(b, t, h, i)]);
  });
  return out;
}

RotationMap map_of_layout(Pairing in, Pairing out) {
  RopeSpec spec = spec_of(40, 10000);
  spec.head_dim = 48;
  spec.rotary_offset = 4;
  spec.pairing = in;
  spec.output_pairing = out;
  return make_rotation_map(spec);
}

class ApplyStrideProperty : public OnEveryTarget,
                            public ::testing::WithParamInterface<std::tuple<StrideCase, StrideCase, DType>> {
 protected:
  /// Rotates from the first layout into the second and, in the second, in place; compares with contiguous.
  void check(Pairing in, Pairing out_pairing) {
    const auto& [from, to, dtype] = GetParam();
    const Rotary rotary(map_of_layout(in, out_pairing), 20);
    const Heads x = random_heads(dtype, kShape);
    Heads want = zero_heads(dtype, kShape);
    apply_rotary(rotary, x.read(), want.view(), PositionRange{3});
    const Heads source = copied(x, from);
    Heads out = laid_out(x, to), inplace = copied(x, to);
    apply_rotary(rotary, source.read(), out.view(), PositionRange{3});
    apply_rotary_inplace(rotary, inplace.view(), PositionRange{3});
    expect_same_values(want, out);
    expect_same_values(want, inplace);
    EXPECT_EQ(count_nan(out.memory), out.memory.size() - x.memory.size());
    EXPECT_EQ(count_nan(inplace.memory), inplace.memory.size() - x.memory.size());
  }
};

TEST_P(ApplyStrideProperty, GivesTheBitsOfContiguousHalves) { check(Pairing::kHalf, Pairing::kHalf); }
TEST_P(ApplyStrideProperty, GivesTheBitsOfContiguousPairs) { check(Pairing::kInterleaved, Pairing::kInterleaved); }
TEST_P(ApplyStrideProperty, GivesTheBitsOfContiguousMovedPairs) { check(Pairing::kInterleaved, Pairing::kHalf); }

INSTANTIATE_TEST_SUITE_P(Layouts, ApplyStrideProperty,
                         ::testing::Combine(::testing::ValuesIn(kCases), ::testing::ValuesIn(kCases),
                                            ::testing::ValuesIn(kDTypes)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_To_" + std::get<1>(info.param).name +
                                  "_" + dtype_label(std::get<2>(info.param));
                         });

class ApplyStrideTest : public OnEveryTarget {};

TEST_F(ApplyStrideTest, ReadsOneVectorForAllTokensThroughStrideZero) {
  const Rotary rotary(spec_of(32, 10000), 64);
  for (DType dtype : kDTypes) {
    const Heads one = random_heads(dtype, {1, 1, 2, 32});
    Heads repeated = one, out = zero_heads(dtype, {1, 9, 2, 32});
    repeated.shape[1] = 9;
    repeated.strides[1] = 0;
    apply_rotary(rotary, repeated.read(), out.view(), PositionRange{5});
    expect_twin(rotary.map(), repeated, out, [](auto, auto t) { return Vector{5.0 + static_cast<double>(t)}; });
  }
}

TEST_F(ApplyStrideTest, IgnoresTheStridesOfAxesWithOneIndex) {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max() / 2;
  const Rotary rotary(spec_of(32, 10000), 64);
  for (const std::size_t axis : {0U, 1U, 2U}) {
    std::array<std::int64_t, 4> shape{2, 3, 4, 32};
    shape[axis] = 1;
    const Heads x = random_heads(DType::kFloat32, shape);
    Heads want = x, odd = x, moved = x;
    apply_rotary_inplace(rotary, want.view(), PositionRange{9});
    odd.strides[axis] = kAny;
    apply_rotary_inplace(rotary, odd.view(), PositionRange{9});
    EXPECT_EQ(want.memory, odd.memory);
    moved.strides[axis] = -kAny;
    apply_rotary(rotary, x.read(), moved.view(), PositionRange{9});
    EXPECT_EQ(want.memory, moved.memory);
  }
}

TEST_F(ApplyStrideTest, RotatesQueriesAndKeysOfOneFusedBuffer) {
  const Rotary rotary(spec_of(32, 10000), 64);
  const Heads qkv = random_heads(DType::kFloat32, {2, 10, 8, 32});  // 4 queries, 2 keys, 2 values
  Heads fused = qkv, want = qkv;
  TensorView q = fused.view(), k = q;
  q.shape[2] = 4, k.shape[2] = 2;
  k.data = static_cast<float*>(k.data) + 4 * 32;
  apply_rotary_inplace(rotary, std::array{q, k}, PositionRange{7});
  apply_rotary_inplace(rotary, want.view(), PositionRange{7});
  for_each_head(qkv, [&](auto b, auto t, auto h) {
    EXPECT_EQ(fused.head(b, t, h), h < 6 ? want.head(b, t, h) : qkv.head(b, t, h));
  });
}

// Several tokens at once or along the heads, through the caches and around them in whole lines, wherever the result
// starts: token after token, head after head, or neither.
TEST_F(ApplyStrideTest, WritesLargeResultsWithTheSameBits) {
  for (const SpecCase& layout : layout_cases())
    for (const StrideCase& c : kCases)
      for (const DType dtype : kDTypes) {
        const Rotary rotary(layout.map(), 20);
        const Heads x = random_heads(dtype, {2, 37, 6, layout.map().channels}), source = copied(x, c);
        const Heads want = rotated(rotary, x, PositionRange{0});
        const auto bytes = static_cast<std::int64_t>(x.memory.size() * size_of(dtype));
        for (const std::int64_t streamed_from : {std::int64_t{0}, bytes}) {
          Heads out = laid_out(x, c), like = laid_out(x, c), inplace = x;
          detail::set_streaming_bytes(streamed_from);
          apply_rotary(rotary, x.read(), out.view(), PositionRange{0});
          apply_rotary(rotary, source.read(), like.view(), PositionRange{0});
          apply_rotary_inplace(rotary, inplace.view(), PositionRange{0});
          detail::set_streaming_bytes(-1);
          expect_same_values(inplace, want);
          for (const Heads* result : {&out, &like}) {
            expect_same_values(*result, want);
            EXPECT_EQ(count_nan(result->memory), result->memory.size() - x.memory.size());
          }
        }
      }
}

}  // namespace
}  // namespace rotary::testing
