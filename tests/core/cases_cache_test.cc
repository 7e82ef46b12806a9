// What users reported of cached keys (UP-n, research/cases.md): turned, moved and read at the position that they have.
#include <gtest/gtest.h>

#include "core/apply_cases.h"
#include "core/bad_calls.h"

namespace rotary::testing {
namespace {

using Ids = std::vector<std::int64_t>;

PositionIds ids_of(const Ids& ids) { return {std::span<const std::int64_t>(ids), 1, false}; }

std::string label(const ::testing::TestParamInfo<DType>& info) { return dtype_label(info.param); }

class CasesOfCaches : public ::testing::TestWithParam<DType> {
 protected:
  const double u = unit_roundoff(GetParam());
  /// A turn of a pair shorter than 1.5 f: rounded once to the dtype, off by 4 u of its arithmetic.
  double turn(double factor = 1) const { return 1.5 * factor * (u + 4 * std::min(u, 0x1p-24)); }

  static void expect_near(const Heads& want, const Heads& got, double tolerance) {
    ASSERT_EQ(want.shape, got.shape);
    for_each_head(want, [&](auto b, auto t, auto h) {
      ASSERT_LE(gap(want.head(b, t, h), got.head(b, t, h)), tolerance) << b << ", " << t << ", " << h;
    });
  }
};

/// The tokens at `order`, one after the other.
Heads gathered(const Heads& x, const Ids& order) {
  Heads out =
      zero_heads(x.memory.dtype(), {x.shape[0], static_cast<std::int64_t>(order.size()), x.shape[2], x.shape[3]});
  for_each_head(out, [&](auto b, auto t, auto h) {
    const Vector from = x.head(b, order[static_cast<std::size_t>(t)], h);
    for (std::size_t c = 0; c < from.size(); ++c)
      out.memory.set(out.at(b, t, h, static_cast<std::int64_t>(c)), from[c]);
  });
  return out;
}

// --- UP-55, D1: shifts by another rotation than the forward one

class ShiftedKeys : public CasesOfCaches {};

TEST_P(ShiftedKeys, OfAPartialRotationKeepTheOtherChannelsBitForBit) {
  RopeSpec spec = spec_of(32, 10000);
  spec.head_dim = 80;
  const Rotary rotary(spec);
  const Heads x = rotated(rotary, random_heads(GetParam(), {2, 9, 2, 80}), PositionRange{50});
  Heads keys = x;
  shift_keys_inplace(rotary, keys.view(), std::int64_t{-7});
  for_each_head(x, [&](auto b, auto t, auto h) {
    const Vector before = x.head(b, t, h), after = keys.head(b, t, h);
    EXPECT_TRUE(std::equal(before.begin() + 32, before.end(), after.begin() + 32));
    EXPECT_FALSE(std::equal(before.begin(), before.begin() + 32, after.begin()));
  });
}

// With the factor at every shift, lengths would grow 3.66 times.
TEST_P(ShiftedKeys, UnderYarnKeepTheirLengthThroughTenShifts) {
  const Rotary rotary(spec_of(64, 10000, yarn_of(4, 4096)));
  ASSERT_GT(rotary.map().attention_factor, 1.138);
  const Heads before = rotated(rotary, random_heads(GetParam(), {2, 5, 2, 64}), PositionRange{100});
  for (std::int64_t step : {0, 1, -1}) {
    Heads keys = before;
    for (int i = 0; i < 10; ++i) shift_keys_inplace(rotary, keys.view(), step);
    for_each_head(before, [&](auto b, auto t, auto h) {
      const Vector x = before.head(b, t, h), y = keys.head(b, t, h);
      EXPECT_NEAR(std::sqrt(reference::dot(y, y) / reference::dot(x, x)), 1, 10 * 2 * u) << step;  // ten ulp
    });
  }
}

// --- UP-56: tokens evicted from the middle

class EvictedCache : public CasesOfCaches {};

TEST_P(EvictedCache, ScoresAsIfTheKeptTokensHadComeAlone) {
  const Rotary rotary(spec_of(64, 10000, yarn_of(4, 4096)), 64);
  const Heads q = random_heads(GetParam(), {2, 1, 2, 64}, 9), k = random_heads(GetParam(), {2, 10, 2, 64});
  const Ids kept{0, 1, 6, 7, 8, 9}, deltas{0, 0, -4, -4, -4, -4};
  Heads cache = gathered(rotated(rotary, k, PositionRange{0}), kept);
  shift_keys_inplace(rotary, cache.view(), ids_of(deltas));
  const Heads alone = rotated(rotary, gathered(k, kept), PositionRange{0}),
              query = rotated(rotary, q, PositionRange{5});
  expect_near(alone, cache, 3 * turn(1.2));
  for_each_head(alone, [&](auto b, auto t, auto h) {
    const Vector at = query.head(b, 0, h);  // 64 products of a channel below 1.7 and what the keys are off by
    EXPECT_NEAR(reference::dot(at, cache.head(b, t, h)), reference::dot(at, alone.head(b, t, h)),
                64 * 1.7 * 3 * turn(1.2));
  });
}

TEST_P(EvictedCache, ComesBackWhenItIsMovedThereAndBack) {
  const Rotary rotary(spec_of(64, 10000));
  const Heads before = random_heads(GetParam(), {2, 9, 2, 64});
  Heads keys = before;
  shift_keys_inplace(rotary, keys.view(), std::int64_t{-3});
  EXPECT_NE(keys.memory, before.memory);
  shift_keys_inplace(rotary, keys.view(), std::int64_t{3});
  expect_near(before, keys, 2 * turn());
}

// --- UP-58: keys of one table read under another

class SwitchedCache : public CasesOfCaches {
 protected:
  const RopeSpec spec = spec_of(8, 10000, longrope_of(4, 16, {1, 1, 1, 1}, {1, 2, 4, 8}));
  const Rotary short_rotary{spec, 16, Arithmetic::kExact, 15}, long_rotary{spec, 32, Arithmetic::kExact, 20};
};

TEST_P(SwitchedCache, MovedToTheLongTableIsThatOfAFreshRun) {
  const Heads k = random_heads(GetParam(), {2, 15, 2, 8});
  Heads keys = rotated(short_rotary, k, PositionRange{0});
  const Heads fresh = rotated(long_rotary, k, PositionRange{0});
  EXPECT_NE(keys.memory, fresh.memory);
  move_keys_inplace(short_rotary, PositionRange{0}, long_rotary, PositionRange{0}, keys.view());
  expect_near(fresh, keys, 3 * turn(1.23));
}

TEST_P(SwitchedCache, DoesNotDependOnTheChunksThatFilledIt) {
  const Heads k = random_heads(GetParam(), {2, 24, 2, 8});
  const Heads whole = rotated(long_rotary, k, PositionRange{0});
  for (std::int64_t chunk : {8, 1})
    for (std::int64_t t = 0; t < 24; t += chunk)
      EXPECT_EQ(rotated(long_rotary, tokens_of(k, t, t + chunk), PositionRange{t}).memory,
                tokens_of(whole, t, t + chunk).memory);
}

// A layout is part of what a cache holds: keys of other pairs are refused, not read.
TEST_P(SwitchedCache, IsNotReadInAnotherLayout) {
  RopeSpec other = spec;
  other.pairing = other.output_pairing = Pairing::kInterleaved;
  Heads keys = random_heads(GetParam(), {2, 5, 2, 8});
  const Heads before = keys;
  const auto move = [&] {
    move_keys_inplace(Rotary(other), PositionRange{0}, long_rotary, PositionRange{0}, keys.view());
  };
  expect_refused({"OtherLayout", move, "invalid_argument", "same pairs"});
  EXPECT_EQ(keys.memory, before.memory);
}

// --- UP-59: slots of a ring are no positions

class RingOfKeys : public CasesOfCaches {};

TEST_P(RingOfKeys, HoldsTokensAtTheirPositionsWhateverTheSlot) {
  const Rotary rotary(spec_of(64, 10000), 64);
  const Heads k = random_heads(GetParam(), {2, 7, 2, 64});
  const Heads straight = rotated(rotary, k, PositionRange{0});
  Heads ring = rotated(rotary, gathered(k, {4, 5, 2, 3}), ids_of({4, 5, 2, 3}));  // a window of 4 after tokens 0 .. 5
  EXPECT_EQ(ring.memory, gathered(straight, {4, 5, 2, 3}).memory);
  TensorView slot = ring.view();  // token 6 goes to slot 2
  slot.shape[1] = 1;
  slot.data = static_cast<std::byte*>(slot.data) + 2 * slot.strides[1] * static_cast<std::int64_t>(size_of(slot.dtype));
  const Heads next = tokens_of(k, 6, 7);
  apply_rotary(rotary, next.read(), slot, PositionRange{6});
  EXPECT_EQ(ring.memory, gathered(straight, {4, 5, 6, 3}).memory);
}

INSTANTIATE_TEST_SUITE_P(UP_55_D1, ShiftedKeys, ::testing::ValuesIn(kDTypes), label);
INSTANTIATE_TEST_SUITE_P(UP_56, EvictedCache, ::testing::ValuesIn(kDTypes), label);
INSTANTIATE_TEST_SUITE_P(UP_58_UP_04, SwitchedCache, ::testing::ValuesIn(kDTypes), label);
INSTANTIATE_TEST_SUITE_P(UP_59, RingOfKeys, ::testing::ValuesIn(kDTypes), label);

}  // namespace
}  // namespace rotary::testing
