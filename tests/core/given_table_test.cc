// Tables that someone else computed, and rotations by them.
#include <gtest/gtest.h>

#include "core/apply_cases.h"
#include "core/bad_calls.h"

namespace rotary::testing {
namespace {

constexpr const char* kInvalid = "invalid_argument";
constexpr const char* kRange = "out_of_range";
constexpr std::int64_t kRows = 300;  // more than a page

RopeSpec spec_of_layout(Pairing pairing) {
  RopeSpec spec = spec_of(16, 10000);
  spec.head_dim = 20;
  spec.pairing = spec.output_pairing = pairing;
  return spec;
}

/// The values of a table, row by row.
std::vector<float> values_of(const CosSinTable& table, bool cos) {
  std::vector<float> out;
  for (std::int64_t row = 0; row < table.num_rows(); ++row) {
    const auto values = cos ? table.cos(row) : table.sin(row);
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

CosSinTable copied(const CosSinTable& table) {
  return CosSinTable::from_values(values_of(table, true), values_of(table, false), table.num_pairs());
}

/// Any values: no rotation.
CosSinTable table_of(std::int64_t rows, int pairs) {
  std::vector<float> cos, sin;
  for (int i = 0; i < rows * pairs; ++i) cos.push_back(1.5F + static_cast<float>(i)), sin.push_back(-0.25F);
  return CosSinTable::from_values(cos, sin, pairs);
}

Rotary given_rotation(std::int64_t rows = 12) {
  return Rotary(make_rotation_map(spec_of(8, 10000)), table_of(rows, 4));
}

TEST(GivenTable, HoldsTheValuesThatWereGiven) {
  const auto table = CosSinTable::by_position(make_rotation_map(spec_of(16, 10000)), kRows);
  const CosSinTable given = copied(table);
  EXPECT_EQ(given.num_rows(), kRows);
  EXPECT_EQ(given.num_pairs(), 8);
  EXPECT_EQ(values_of(given, true), values_of(table, true));
  EXPECT_EQ(values_of(given, false), values_of(table, false));
}

TEST(GivenTable, RotatesAsTheRotationThatItWasTakenFrom) {
  for (const Pairing pairing : {Pairing::kHalf, Pairing::kInterleaved})
    for (const DType dtype : kDTypes) {
      const RotationMap map = make_rotation_map(spec_of_layout(pairing));
      const Rotary own(map, kRows), given(map, copied(CosSinTable::by_position(map, kRows)));
      Heads a = random_heads(dtype, {2, 9, 3, 20}), b = a;
      const std::vector<std::int64_t> offsets{1, 290};
      apply_rotary_inplace(own, a.view(), PositionOffsets{offsets});
      apply_rotary_inplace(given, b.view(), PositionOffsets{offsets});
      for_each_head(a, [&](auto i, auto t, auto h) {  // of 64-bit data only the table is float32
        EXPECT_LE(gap(a.head(i, t, h), b.head(i, t, h)), dtype == DType::kFloat64 ? 0x1p-23 : 0);
      });
    }
}

TEST(GivenTable, EachPairReadsTheRowOfItsAxis) {
  RopeSpec spec = spec_of(8, 10000);
  spec.axes = {AxisRule::kInterleavedSections, 3, {2, 1, 1}, {}};
  const Rotary rotary(make_rotation_map(spec), table_of(12, 4));
  Heads x = zero_heads(DType::kFloat32, {1, 1, 1, 8});
  for (std::size_t i = 0; i < 4; ++i) x.memory.set(i, 1);
  const std::vector<std::int64_t> ids{2, 7, 11};
  apply_rotary_inplace(rotary, x.view(), PositionIds{std::span<const std::int64_t>(ids), 3});
  const std::vector<double> rows{2, 7, 11, 2};  // pair i on axis i mod 3
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(x.memory[i], 1.5 + 4 * rows[i] + static_cast<double>(i));
}

TEST(GivenTable, RowZeroIsUsedLikeAnyOther) {
  Heads x = zero_heads(DType::kFloat32, {1, 1, 1, 8});
  x.memory.set(0, 2);
  apply_rotary_inplace(given_rotation(), x.view(), PositionRange{});
  EXPECT_EQ(x.memory[0], 3);
  EXPECT_EQ(x.memory[4], -0.5);
}

TEST(GivenTable, IsUndoneByItsAttentionFactor) {
  RotationMap map = make_rotation_map(spec_of(16, 10000));
  map.attention_factor = 1.25;
  const Rotary rotary(map, copied(CosSinTable::by_position(map, kRows)));
  const Heads x = random_heads(DType::kFloat32, {2, 4, 3, 16});
  Heads y = x;
  apply_rotary_inplace(rotary, y.view(), PositionRange{280});
  unrotate_inplace(rotary, y.view(), PositionRange{280});
  for_each_head(x, [&](auto b, auto t, auto h) {  // each turn: two products and a sum of values up to 2
    EXPECT_LE(gap(x.head(b, t, h), y.head(b, t, h)), 2 * 3 * 2 * 0x1p-24);
  });
}

class GivenTableBadInput : public ::testing::TestWithParam<BadCall> {};

TEST_P(GivenTableBadInput, IsRefusedByName) { expect_refused(GetParam()); }

std::vector<BadCall> bad_values() {
  const auto values = [](std::size_t cos, std::size_t sin, std::int64_t pairs) {
    return [=] { CosSinTable::from_values(std::vector<float>(cos, 1), std::vector<float>(sin, 1), pairs); };
  };
  const auto nan = [] {
    std::vector<float> sin(8, 0);
    sin[5] = std::numeric_limits<float>::quiet_NaN();
    CosSinTable::from_values(std::vector<float>(8, 1), sin, 4);
  };
  const auto two_axes = [] {
    RotationMap map = make_rotation_map(spec_of(8, 10000));
    map.num_axes = 2;
    map.frequency.resize(8, {1, 0});
    Rotary(map, table_of(3, 4));
  };
  const auto two_sets = [] {
    const GivenFrequencies sets{2, std::vector<double>(8, 1)};
    Rotary(make_rotation_map(spec_of(8, 10000, sets)), table_of(3, 4));
  };
  return {{"NoPairs", values(8, 8, 0), kInvalid, "num_pairs must be positive"},
          {"PartOfARow", values(10, 10, 4), kInvalid, "cos must be [num_rows][num_pairs]"},
          {"FewerSines", values(8, 4, 4), kInvalid, "sin must be as many numbers as cos, 8, got 4"},
          {"NotFinite", nan, kInvalid, "sin[5] must be finite"},
          {"Grown", [] { table_of(3, 4).grown(9); }, kInvalid, "a given one"},
          {"OtherPairs", [] { Rotary(make_rotation_map(spec_of(8, 10000)), table_of(3, 2)); }, kInvalid,
           "table must have the map's pairs, 4, got 2"},
          {"PairsOfTwoAxes", two_axes, kInvalid, "one axis"},
          {"TwoSets", two_sets, kInvalid, "map.num_sets"}};
}

std::vector<BadCall> bad_uses() {
  static Heads x = zero_heads(DType::kFloat32, {1, 2, 1, 8});
  const auto at = [](Positions p) { return [p] { apply_rotary_inplace(given_rotation(), x.view(), p); }; };
  static const std::vector<double> half{3, 0.5}, nan{std::nan(""), 1};
  static const std::vector<std::int64_t> beyond{3, 12}, negative{-1, 3};
  static std::vector<double> grad(4);
  return {
      {"Beyond", at(PositionIds{std::span<const std::int64_t>(beyond)}), kRange, "positions.ids[1]"},
      {"Negative", at(PositionIds{std::span<const std::int64_t>(negative)}), kRange, "positions.ids[0]"},
      {"RangeBeyond", at(PositionRange{11}), kRange, "limit = 12, got 12"},
      {"Fraction", at(PositionIds{std::span<const double>(half)}), kInvalid, "positions.ids[1] must be a row"},
      {"Nan", at(PositionIds{std::span<const double>(nan)}), kInvalid, "positions.ids[0] must be finite"},
      {"Shift", [] { shift_keys_inplace(given_rotation(), x.view(), 1); }, kInvalid, "rotary must have frequencies"},
      {"Move",
       [] { move_keys_inplace(given_rotation(), PositionRange{}, given_rotation(), PositionRange{}, x.view()); },
       kInvalid, "from must have frequencies"},
      {"FrequencyGradient", [] { frequency_gradient(given_rotation(), x.read(), x.read(), PositionRange{}, grad); },
       kInvalid, "rotary must have frequencies"},
      {"PositionGradient", [] { position_gradient(given_rotation(), x.read(), x.read(), PositionRange{}, grad); },
       kInvalid, "rotary must have frequencies"}};
}

INSTANTIATE_TEST_SUITE_P(Values, GivenTableBadInput, ::testing::ValuesIn(bad_values()), bad_call_name);
INSTANTIATE_TEST_SUITE_P(Uses, GivenTableBadInput, ::testing::ValuesIn(bad_uses()), bad_call_name);

}  // namespace
}  // namespace rotary::testing
