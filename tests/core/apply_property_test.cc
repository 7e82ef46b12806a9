// Rotation of head vectors against the slow twin, and the laws that need no twin.
#include <gtest/gtest.h>

#include <tuple>

#include "core/apply_cases.h"

namespace rotary::testing {
namespace {

constexpr std::int64_t kTable = 2050;

PositionIds ids_of(const std::vector<double>& ids) { return {std::span<const double>(ids), 1, false}; }

// Every map on every dtype and SIMD target, at the default positions: 7 tokens, 2 sequences, 3 heads.
class ApplyProperty : public OnEveryTarget, public ::testing::WithParamInterface<std::tuple<SpecCase, DType>> {
 protected:
  RotationMap map() const { return std::get<0>(GetParam()).map(); }
  Heads heads() const { return random_heads(std::get<1>(GetParam()), {2, 7, 3, map().channels}); }
};

TEST_P(ApplyProperty, EqualsTheSlowTwin) {
  const Rotary rotary(map(), kTable);
  const Heads x = heads();
  for_each_target([&] {
    Heads out = zero_heads(x.memory.dtype(), x.shape);
    apply_rotary(rotary, x.read(), out.view(), ids_of(kPositions));
    expect_twin(map(), x, out, [&](auto, auto t) {
      return Vector(static_cast<std::size_t>(map().num_axes), kPositions[static_cast<std::size_t>(t)]);
    });
  });
}

TEST_P(ApplyProperty, InPlaceEqualsOutOfPlaceBitForBit) {
  const Rotary rotary(map(), kTable);
  const Heads x = heads();
  for_each_target([&] {
    Heads out = zero_heads(x.memory.dtype(), x.shape), inplace = x;
    apply_rotary(rotary, x.read(), out.view(), ids_of(kPositions));
    apply_rotary_inplace(rotary, inplace.view(), ids_of(kPositions));
    EXPECT_EQ(out.memory, inplace.memory);
  });
}

TEST_P(ApplyProperty, DoesNotDependOnTheTable) {
  const Heads x = heads();
  for_each_target([&] {
    Heads with = x, without = x;
    apply_rotary_inplace(Rotary(map(), kTable), with.view(), ids_of(kPositions));
    apply_rotary_inplace(Rotary(map()), without.view(), ids_of(kPositions));
    EXPECT_EQ(with.memory, without.memory);
  });
}

// Each way rounds the 16-bit or float result once, and cos and sin are rounded: 8 u of the largest magnitude.
TEST_P(ApplyProperty, IsUndoneByUnrotate) {
  const Rotary rotary(map(), kTable);
  const Heads x = heads();
  const double u = unit_roundoff(x.memory.dtype());
  for_each_target([&] {
    Heads y = x;
    apply_rotary_inplace(rotary, y.view(), ids_of(kPositions));
    unrotate_inplace(rotary, y.view(), ids_of(kPositions));
    for_each_head(x, [&](auto b, auto t, auto h) { ASSERT_LE(gap(x.head(b, t, h), y.head(b, t, h)), 8 * u); });
  });
}

// The twin of the transpose: <R x, g> = <x, R' g>. Every sum has `channels` terms, each off by 4 u.
TEST_P(ApplyProperty, BackwardIsTheTranspose) {
  const Rotary rotary(map(), kTable);
  const Heads x = heads(), g = random_heads(x.memory.dtype(), x.shape, 2);
  for_each_target([&] {
    Heads out = x, back = g;
    apply_rotary_inplace(rotary, out.view(), ids_of(kPositions));
    apply_rotary_backward(rotary, g.read(), back.view(), ids_of(kPositions));
    for_each_head(x, [&](auto b, auto t, auto h) {
      const double tolerance = 8 * unit_roundoff(x.memory.dtype()) * map().channels;
      ASSERT_NEAR(reference::dot(out.head(b, t, h), g.head(b, t, h)),
                  reference::dot(x.head(b, t, h), back.head(b, t, h)), tolerance);
    });
  });
}

TEST_P(ApplyProperty, MatchesOtherTargetsWithFusedArithmeticBitForBit) {
  const Rotary rotary(map(), kTable);
  const Heads x = heads();
  std::vector<Elements> results;
  for (const std::string& target : detail::available_targets()) {
    if (target == "EMU128" || target == "SCALAR" || target.starts_with("SS") || !detail::choose_target(target))
      continue;  // those round products, too
    Heads out = x;
    apply_rotary_inplace(rotary, out.view(), ids_of(kPositions));
    results.push_back(out.memory);
  }
  if (results.size() < 2) GTEST_SKIP() << "this machine has no two targets with fused arithmetic";
  for (const Elements& result : results) EXPECT_EQ(result, results.front());
}

INSTANTIATE_TEST_SUITE_P(Maps, ApplyProperty,
                         ::testing::Combine(::testing::ValuesIn(all_cases()), ::testing::ValuesIn(kDTypes)),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + dtype_label(std::get<1>(info.param));
                         });

// Odd widths: every tail of every vector length.
class ApplyWidthProperty : public OnEveryTarget,
                           public ::testing::WithParamInterface<std::tuple<Pairing, Pairing, DType>> {};

std::string width_label(const ::testing::TestParamInfo<std::tuple<Pairing, Pairing, DType>>& info) {
  const auto name = [](Pairing pairing) { return std::string(pairing == Pairing::kHalf ? "Half" : "Interleaved"); };
  return name(std::get<0>(info.param)) + "To" + name(std::get<1>(info.param)) + "_" +
         dtype_label(std::get<2>(info.param));
}

TEST_P(ApplyWidthProperty, EqualsTheSlowTwinForEveryNumberOfPairs) {
  const DType dtype = std::get<2>(GetParam());
  RopeSpec spec = spec_of(2, 10000);
  spec.pairing = std::get<0>(GetParam());
  spec.output_pairing = std::get<1>(GetParam());
  for (int pairs = 1; pairs <= 70; ++pairs) {
    spec.rotary_dim = 2 * pairs;
    spec.rotary_offset = pairs % 3;
    spec.head_dim = 2 * pairs + 5;
    const RotationMap map = make_rotation_map(spec);
    const Heads x = random_heads(dtype, {1, 2, 2, spec.head_dim});
    for_each_target([&] {
      Heads out = zero_heads(dtype, x.shape), inplace = x;
      apply_rotary(Rotary(map), x.read(), out.view(), PositionRange{77});
      apply_rotary_inplace(Rotary(map), inplace.view(), PositionRange{77});
      expect_twin(map, x, out, [](auto, auto t) { return Vector{77.0 + static_cast<double>(t)}; });
      EXPECT_EQ(out.memory, inplace.memory);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Pairings, ApplyWidthProperty,
                         ::testing::Combine(::testing::Values(Pairing::kHalf, Pairing::kInterleaved),
                                            ::testing::Values(Pairing::kHalf, Pairing::kInterleaved),
                                            ::testing::ValuesIn(kDTypes)),
                         width_label);

class ApplyTest : public OnEveryTarget {};

TEST_F(ApplyTest, PositionZeroIsTheIdentityBitForBit) {
  for (DType dtype : kDTypes)
    for (const SpecCase& c : layout_cases()) {
      if (c.map().attention_factor != 1) continue;
      Heads y = random_heads(dtype, {1, 1, 3, c.map().channels});
      y.memory.set(0, -0.0);
      y.memory.set(1, std::numeric_limits<double>::infinity());
      const Heads before = y;
      const Rotary rotary(c.map(), 4);
      apply_rotary_inplace(rotary, y.view(), PositionRange{0});
      for (const ChannelPair& p : c.map().pairs)
        EXPECT_EQ(before.head(0, 0, 2)[static_cast<std::size_t>(p.a)], y.head(0, 0, 2)[static_cast<std::size_t>(p.c)]);
      unrotate_inplace(rotary, y.view(), PositionRange{0});
      EXPECT_EQ(before.memory, y.memory) << c.name;
    }
}

TEST_F(ApplyTest, CopiesChannelsThatPassBitForBit) {
  RopeSpec spec = spec_of(16, 10000);
  spec.head_dim = 40;
  spec.rotary_offset = 20;
  const Rotary rotary(spec);
  for (DType dtype : kDTypes) {
    Heads x = random_heads(dtype, {1, 2, 2, 40}), out = zero_heads(dtype, x.shape);
    x.memory.set(3, std::numeric_limits<double>::quiet_NaN());
    apply_rotary(rotary, x.read(), out.view(), PositionRange{5});
    for (std::size_t h = 0; h < 4; ++h)
      for (std::size_t c = 0; c < 40; ++c)
        if (c < 20 || c >= 36) {
          const std::size_t halves = size_of(dtype) / 2;
          for (std::size_t i = (h * 40 + c) * halves; i < (h * 40 + c + 1) * halves; ++i)
            EXPECT_EQ(x.memory.get<std::uint16_t>(i), out.memory.get<std::uint16_t>(i));
        }
  }
}

TEST_F(ApplyTest, RotatesQueriesAndKeysTogetherAsApart) {
  const Rotary rotary(spec_of(64, 10000), 128);
  Heads q = random_heads(DType::kFloat32, {2, 9, 6, 64}), k = random_heads(DType::kBfloat16, {2, 9, 2, 64}, 2);
  Heads q2 = q, k2 = k;
  const std::array<TensorView, 2> both{q.view(), k.view()};
  apply_rotary_inplace(rotary, both, PositionRange{100});
  apply_rotary_inplace(rotary, q2.view(), PositionRange{100});
  apply_rotary_inplace(rotary, k2.view(), PositionRange{100});
  EXPECT_EQ(q.memory, q2.memory);
  EXPECT_EQ(k.memory, k2.memory);
}

TEST_F(ApplyTest, TurnsEveryHeadByItsOwnFrequencies) {
  RotationMap map = map_of(16, 10000);
  map.num_sets = 3;
  const std::vector<Frequency> one = map.frequency;
  for (int set = 1; set < 3; ++set)
    for (const Frequency& f : one) map.frequency.push_back({f.hi * (1 + set), 0});
  for (DType dtype : kDTypes) {
    const Heads x = random_heads(dtype, {2, 5, 3, 16});
    Heads out = zero_heads(dtype, x.shape);
    apply_rotary(Rotary(map, 102), x.read(), out.view(), PositionRange{99});
    expect_twin(map, x, out, [](auto, auto t) { return Vector{99.0 + static_cast<double>(t)}; });
  }
}

TEST_F(ApplyTest, SucceedsOnTensorsWithoutElements) {
  const Rotary rotary(spec_of(16, 10000), 4);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    TensorView x = bshd<void>(nullptr, DType::kFloat32, 1, 1, 1, 16);
    x.shape[axis] = 0;
    EXPECT_NO_THROW(apply_rotary_inplace(rotary, x, PositionRange{0}));
  }
}

TEST_F(ApplyTest, PassesOverATensorWithoutHeads) {
  const Rotary rotary(spec_of(16, 10000), 4);
  Heads q = random_heads(DType::kFloat32, {1, 3, 2, 16}), want = q;
  apply_rotary_inplace(rotary, std::array{bshd<void>(nullptr, DType::kFloat32, 1, 3, 0, 16), q.view()},
                       PositionRange{9});
  apply_rotary_inplace(rotary, want.view(), PositionRange{9});
  EXPECT_EQ(want.memory, q.memory);
}

TEST_F(ApplyTest, NamesTheTargetThatIsUsed) {
  for_each_target([] {
    const std::vector<std::string> all = detail::available_targets();
    EXPECT_NE(std::find(all.begin(), all.end(), simd_target()), all.end());
  });
  EXPECT_FALSE(detail::choose_target("no such target"));
}

}  // namespace
}  // namespace rotary::testing
