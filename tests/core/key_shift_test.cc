// Keys that lie in a cache: shifted and moved without changing their length.
#include <gtest/gtest.h>

#include <tuple>

#include "core/apply_cases.h"

namespace rotary::testing {
namespace {

RopeSpec yarn_spec(int dim) {
  YarnScaling yarn;
  yarn.factor = 16;
  yarn.original_max_position = 4096;
  return spec_of(dim, 10000, yarn);
}

double norm(const Vector& x) { return std::sqrt(reference::dot(x, x)); }

class KeyShiftProperty : public OnEveryTarget, public ::testing::WithParamInterface<std::tuple<SpecCase, DType>> {
 protected:
  const Rotary rotary{std::get<0>(GetParam()).map(), 100};
  const DType dtype = std::get<1>(GetParam());
  const Heads x = random_heads(dtype, {2, 40, 2, rotary.map().channels});
  const double u = unit_roundoff(dtype);

  // Each of `steps` roundings to the dtype, and each turn, is off by u and 4 u32 of at most 1.5 f.
  void expect_close(const Heads& want, const Heads& got, int steps) const {
    const double f = std::fabs(rotary.map().attention_factor);
    for_each_head(want, [&](auto b, auto t, auto h) {
      ASSERT_LE(gap(want.head(b, t, h), got.head(b, t, h)), 1.5 * f * steps * (2 * u + 4 * 0x1p-24));
    });
  }
};

TEST_P(KeyShiftProperty, ShiftedKeysAreKeysRotatedFurtherOn) {
  for_each_target([&] {
    for (std::int64_t delta : {0, 1, -30, 8191, 1000003}) {
      Heads keys = rotated(rotary, x, PositionRange{50});
      shift_keys_inplace(rotary, keys.view(), delta);
      expect_close(rotated(rotary, x, PositionRange{50 + delta}), keys, 2);
    }
  });
}

TEST_P(KeyShiftProperty, MovedKeysAreKeysOfTheOtherRotation) {
  RotationMap map = rotary.map();
  for (Frequency& f : map.frequency) f = {f.hi / 3, 0};
  map.attention_factor *= 1.25;
  const Rotary other(map, 64);
  for_each_target([&] {
    Heads keys = rotated(rotary, x, PositionRange{2049});
    move_keys_inplace(rotary, PositionRange{2049}, other, PositionRange{-3}, keys.view());
    expect_close(rotated(other, x, PositionRange{-3}), keys, 3);
  });
}

INSTANTIATE_TEST_SUITE_P(Maps, KeyShiftProperty,
                         ::testing::Combine(::testing::ValuesIn(all_cases()), ::testing::ValuesIn(kDTypes)),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + dtype_label(std::get<1>(info.param));
                         });

class KeyShiftTest : public ::testing::TestWithParam<DType> {};

// llama.cpp multiplied by YaRN's factor at every shift: 1.14 after ten.
TEST_P(KeyShiftTest, TenShiftsUnderYarnKeepTheNormWithinTenUlp) {
  const Rotary rotary(yarn_spec(64));
  ASSERT_GT(rotary.map().attention_factor, 1.1);
  const Heads x = random_heads(GetParam(), {1, 30, 2, 64});
  const Heads before = rotated(rotary, x, PositionRange{100});
  Heads keys = before;
  for (int i = 0; i < 10; ++i) shift_keys_inplace(rotary, keys.view(), -7);
  for_each_head(before, [&](auto b, auto t, auto h) {
    const double want = norm(before.head(b, t, h)), got = norm(keys.head(b, t, h));
    ASSERT_NEAR(got / want, 1, 10 * 2 * unit_roundoff(GetParam()));
  });
}

TEST_P(KeyShiftTest, EveryTokenMayHaveAShiftOfItsOwn) {
  const Rotary rotary(spec_of(32, 10000));
  const Heads x = random_heads(GetParam(), {1, 3, 2, 32});
  const std::vector<std::int32_t> delta{0, -1, 500};
  Heads keys = rotated(rotary, x, PositionRange{1000}), want = keys;
  shift_keys_inplace(rotary, keys.view(), PositionIds{std::span<const std::int32_t>(delta)});
  for (std::size_t t = 0; t < 3; ++t) {
    TensorView one = want.view();
    one.shape[1] = 1;
    one.data = static_cast<std::byte*>(one.data) + t * 64 * size_of(GetParam());
    shift_keys_inplace(rotary, one, std::int64_t{delta[t]});
  }
  EXPECT_EQ(want.memory, keys.memory);
}

TEST_P(KeyShiftTest, ShiftByZeroAndMoveToTheSamePlaceChangeNothing) {
  const Rotary rotary(yarn_spec(32));
  const Heads x = random_heads(GetParam(), {1, 3, 2, 32});
  Heads keys = x;
  shift_keys_inplace(rotary, keys.view(), std::int64_t{0});
  move_keys_inplace(rotary, PositionRange{9}, rotary, PositionRange{9}, keys.view());
  EXPECT_EQ(x.memory, keys.memory);
}

INSTANTIATE_TEST_SUITE_P(DTypes, KeyShiftTest, ::testing::ValuesIn(kDTypes),
                         [](const auto& info) { return dtype_label(info.param); });

}  // namespace
}  // namespace rotary::testing
