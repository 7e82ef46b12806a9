// What users reported of positions (UP-n, research/cases.md): the id is the label, or the prefix where a test shows one
// case only.
#include <gtest/gtest.h>

#include <numeric>

#include "core/apply_cases.h"
#include "core/bad_calls.h"

namespace rotary::testing {
namespace {

using Ids = std::vector<std::int64_t>;

PositionIds ids_of(const Ids& ids, bool per_sequence = false) {
  return {std::span<const std::int64_t>(ids), 1, per_sequence};
}
PositionIds reals_of(const Vector& ids) { return {std::span<const double>(ids), 1, false}; }

class CasesOfPositions : public ::testing::TestWithParam<DType> {
 protected:
  Heads heads(std::int64_t batch, std::int64_t tokens, std::uint64_t seed = 1) const {
    return random_heads(GetParam(), {batch, tokens, 2, 64}, seed);
  }
  const RopeSpec spec = spec_of(64, 10000);
  const Rotary rotary{spec, 2048};
};

double longest(const Heads& x) {
  double squared = 0;
  for_each_head(x, [&](auto b, auto t, auto h) {
    squared = std::max(squared, reference::dot(x.head(b, t, h), x.head(b, t, h)));
  });
  return std::sqrt(squared);
}

std::string label(const ::testing::TestParamInfo<DType>& info) { return dtype_label(info.param); }

// --- UP-41: sequences padded on the left

class PaddedRows : public CasesOfPositions {};

TEST_P(PaddedRows, CountFromTheirFirstTokenAsIfUnpadded) {
  const Ids ids{0, 0, 0, 1, 2, 0, 1, 2, 3, 4}, next{3, 5};  // masks 0 0 1 1 1 and 1 1 1 1 1
  const Heads x = heads(2, 5), y = heads(2, 1, 7);
  const Heads out = rotated(rotary, x, ids_of(ids, true)), after = rotated(rotary, y, PositionOffsets{next});
  const Heads alone = rotated(rotary, tokens_of(x, 2, 5), PositionRange{0});
  for (std::int64_t t = 0; t < 3; ++t) EXPECT_EQ(out.head(0, t + 2, 1), alone.head(0, t, 1));
  const Heads other = rotated(rotary, x, PositionRange{0});
  for (std::int64_t t = 0; t < 5; ++t) EXPECT_EQ(out.head(1, t, 1), other.head(1, t, 1));
  EXPECT_EQ(count_nan(out.memory), 0U);
  expect_twin(rotary.map(), y, after, [&](auto b, auto) { return Vector{b == 0 ? 3.0 : 5.0}; });
}

TEST_P(PaddedRows, MayAllBeMovedByAConstant) {
  const Heads q = heads(1, 9), k = heads(1, 9, 2);
  const auto scores = [&](std::int64_t first) {
    const Heads a = rotated(rotary, q, PositionRange{first}), b = rotated(rotary, k, PositionRange{first});
    Vector out;
    for (std::int64_t m = 0; m < 9; ++m)
      for (std::int64_t n = 0; n < 9; ++n) out.push_back(reference::dot(a.head(0, m, 1), b.head(0, n, 1)));
    return out;
  };
  // A turned vector is off by 6 u of its length and once more by the dtype's u.
  const double u = unit_roundoff(GetParam()), each = 6 * std::min(u, 0x1p-24) + u;
  const double tolerance = 2 * 2 * each * longest(q) * longest(k);
  for (std::int64_t shift : {1000, 131071}) EXPECT_LE(gap(scores(0), scores(shift)), tolerance);
}

// --- UP-43: positions of another shape, spread in silence

class ShapesOfPositions : public CasesOfPositions {};

TEST_P(ShapesOfPositions, OffsetsCountOnInEverySequence) {
  const Ids offsets{6, 9};
  for (std::int64_t tokens : {1, 3}) {
    const Heads x = heads(2, tokens);
    const Heads out = rotated(rotary, x, PositionOffsets{offsets});
    EXPECT_EQ(out.shape, (std::array<std::int64_t, 4>{2, tokens, 2, 64}));
    expect_twin(rotary.map(), x, out,
                [&](auto b, auto t) { return Vector{(b == 0 ? 6.0 : 9.0) + static_cast<double>(t)}; });
  }
}

TEST_P(ShapesOfPositions, AsManySequencesAsTokensAreToldApartByTheFlag) {
  const Ids four{3, 1, 4, 15}, offsets{3, 1, 4, 15};
  const Heads x = heads(4, 4);
  const auto of_token = [&](auto, auto t) { return Vector{static_cast<double>(four[static_cast<std::size_t>(t)])}; };
  expect_twin(rotary.map(), x, rotated(rotary, x, ids_of(four)), of_token);
  EXPECT_NE(rotated(rotary, x, ids_of(four)).memory, rotated(rotary, x, PositionOffsets{offsets}).memory);
  const auto call = [&] { rotated(rotary, x, ids_of(four, true)); };
  expect_refused({"OnePerSequence", call, "invalid_argument", "16 numbers, got 4"});
}

TEST_P(ShapesOfPositions, MicroBatchesHaveTheBitsOfTheWholeBatch) {
  const Ids offsets{0, 5, 17, 2049, 8191, 65537, 131071, 1000003};
  const Heads x = heads(8, 3);
  const Heads whole = rotated(rotary, x, PositionOffsets{offsets});
  Heads parts = x;
  for (std::int64_t b = 0; b < 8; b += 2) {
    TensorView part = parts.view();
    part.shape[0] = 2;
    part.data =
        static_cast<std::byte*>(part.data) + b * part.strides[0] * static_cast<std::int64_t>(size_of(part.dtype));
    apply_rotary_inplace(rotary, part, PositionOffsets{std::span(offsets).subspan(static_cast<std::size_t>(b), 2)});
  }
  EXPECT_EQ(parts.memory, whole.memory);
}

// --- UP-44: explicit ids of which only the length was used

class ExplicitIds : public CasesOfPositions {};

TEST_P(ExplicitIds, CountByTheirValuesInAnyOrder) {
  const Ids from_five{5, 6, 7}, jumping{9, 2, 2, 40};
  const Heads x = heads(2, 3), same = constant_heads(GetParam(), {2, 4, 2, 64}, 0.75);
  EXPECT_EQ(rotated(rotary, x, ids_of(from_five)).memory, rotated(rotary, x, PositionRange{5}).memory);
  EXPECT_NE(rotated(rotary, x, ids_of(from_five)).memory, rotated(rotary, x, PositionRange{0}).memory);
  const Heads out = rotated(rotary, same, ids_of(jumping));
  EXPECT_EQ(out.head(1, 1, 0), out.head(1, 2, 0));
  expect_twin(rotary.map(), same, out,
              [&](auto, auto t) { return Vector{static_cast<double>(jumping[static_cast<std::size_t>(t)])}; });
}

// --- UP-46: sequences split over ranks

struct Shard {
  Ids tokens, positions;  // where the rank's tokens are in the whole run, and their positions
};

class ShardsOfARun : public CasesOfPositions {};

TEST_P(ShardsOfARun, HaveTheBitsOfTheWholeRun) {
  const std::vector<std::int32_t> one{0, 16}, packed{0, 4, 8};
  const std::vector<Shard> zigzag{{{0, 1, 2, 3, 12, 13, 14, 15}, {0, 1, 2, 3, 12, 13, 14, 15}},
                                  {{4, 5, 6, 7, 8, 9, 10, 11}, {4, 5, 6, 7, 8, 9, 10, 11}}};
  const std::vector<Shard> documents{{{0, 3, 4, 7}, {0, 3, 0, 3}}, {{1, 2, 5, 6}, {1, 2, 1, 2}}};
  for (const auto& [cu, shards] : {std::pair(&one, &zigzag), std::pair(&packed, &documents)}) {
    const Heads x = heads(1, cu->back());
    const Heads whole = rotated(rotary, x, PackedSequences{*cu, {}});
    for (const Shard& shard : *shards) {
      Heads part = heads(1, static_cast<std::int64_t>(shard.tokens.size()));
      for (std::size_t t = 0; t < shard.tokens.size() * 128; ++t)
        part.memory.set(t, x.memory[static_cast<std::size_t>(shard.tokens[t / 128]) * 128 + t % 128]);
      const Heads out = rotated(rotary, part, ids_of(shard.positions));
      for (std::size_t t = 0; t < shard.tokens.size(); ++t)
        EXPECT_EQ(out.head(0, static_cast<std::int64_t>(t), 1), whole.head(0, shard.tokens[t], 1)) << t;
    }
  }
}

// --- UP-53: positions that no table holds

class RealPositions : public CasesOfPositions {};

TEST_P(RealPositions, BelowZeroTurnBackBitForBit) {
  const Heads x = heads(2, 3);
  const Ids five{-5, -8191, -131071}, back{5, 8191, 131071};
  Heads undone = x;
  unrotate_inplace(rotary, undone.view(), ids_of(back));
  EXPECT_EQ(rotated(rotary, x, ids_of(five)).memory, undone.memory);
}

TEST_P(RealPositions, OfAQuarterAreWholeOnesUnderLinearScalingByFour) {
  const Vector quarters{0.25, 5.75, 2049.25};
  const Ids whole{1, 23, 8197};
  const Rotary scaled(spec_of(64, 10000, LinearScaling{4}));
  const Heads x = heads(2, 3);
  EXPECT_EQ(rotated(rotary, x, reals_of(quarters)).memory, rotated(scaled, x, ids_of(whole)).memory);
}

TEST_P(RealPositions, AddUp) {
  const Heads x = heads(1, 3);
  const Vector steps{-3.5, 0, 1048576.5};
  for (double a : steps) {
    Vector sums;
    for (double b : steps) sums.push_back(a + b);
    const Vector first(3, a);
    const Heads twice = rotated(rotary, rotated(rotary, x, reals_of(first)), reals_of(steps));
    const Heads once = rotated(rotary, x, reals_of(sums));
    // Three turns of a pair shorter than 1.5, each rounded to the dtype and off by 4 u of its arithmetic.
    const double tolerance = 3 * 1.5 * (unit_roundoff(GetParam()) + 4 * std::min(unit_roundoff(GetParam()), 0x1p-24));
    for_each_head(x,
                  [&](auto b, auto t, auto h) { EXPECT_LE(gap(twice.head(b, t, h), once.head(b, t, h)), tolerance); });
  }
}

TEST_P(RealPositions, FromATableAreThoseWithoutBitForBit) {
  const Heads x = constant_heads(GetParam(), {1, 4096, 1, 64}, 0.75);
  EXPECT_EQ(rotated(Rotary(spec, 4096), x, PositionRange{0}).memory, rotated(Rotary(spec), x, PositionRange{0}).memory);
}

INSTANTIATE_TEST_SUITE_P(UP_41, PaddedRows, ::testing::ValuesIn(kDTypes), label);
INSTANTIATE_TEST_SUITE_P(UP_43, ShapesOfPositions, ::testing::ValuesIn(kDTypes), label);
INSTANTIATE_TEST_SUITE_P(UP_44, ExplicitIds, ::testing::ValuesIn(kDTypes), label);
INSTANTIATE_TEST_SUITE_P(UP_46, ShardsOfARun, ::testing::ValuesIn(kDTypes), label);
INSTANTIATE_TEST_SUITE_P(UP_53, RealPositions, ::testing::ValuesIn(kDTypes), label);

// --- UP-47: positions beyond a limit of 32

struct LimitCase {
  const char* name;
  Ids ids;  // eight tokens
  const char* type;
  const char* substring;
  friend void PrintTo(const LimitCase& c, std::ostream* out) { *out << c.name; }
};

class LimitedPositions : public ::testing::TestWithParam<LimitCase> {
 protected:
  const LimitCase& c = GetParam();
  const Rotary rotary{spec_of(8, 10000), 32};
  Heads x = random_heads(DType::kFloat32, {1, 8, 1, 8});
};

TEST_P(LimitedPositions, AreRefusedByTheirIndex) {
  ApplyOptions limited;
  limited.limit = 32;
  const Heads before = x;
  expect_refused(
      {c.name, [&] { apply_rotary_inplace(rotary, x.view(), ids_of(c.ids), limited); }, c.type, c.substring});
  EXPECT_EQ(x.memory, before.memory);
}

TEST_P(LimitedPositions, AreRotatedWithoutALimitIfADoubleHoldsThem) {
  if (std::string(c.type) == "invalid_argument")
    return expect_refused({c.name, [&] { rotated(rotary, x, ids_of(c.ids)); }, c.type, c.substring});
  expect_twin(rotary.map(), x, rotated(rotary, x, ids_of(c.ids)),
              [&](auto, auto t) { return Vector{static_cast<double>(c.ids[static_cast<std::size_t>(t)])}; });
}

INSTANTIATE_TEST_SUITE_P(
    UP_47, LimitedPositions,
    ::testing::Values(LimitCase{"TheLimit", {31, 32, 0, 0, 0, 0, 0, 0}, "out_of_range", "ids[1] must be in"},
                      LimitCase{"Negative", {31, 0, -1, 0, 0, 0, 0, 0}, "out_of_range", "ids[2] must be in"},
                      LimitCase{"BeyondInt32", {0, 0, 0, 1LL << 31, 0, 0, 0, 0}, "out_of_range", "got 2147483648"},
                      LimitCase{"LastOfEight", {0, 0, 0, 0, 0, 0, 0, 99}, "out_of_range", "ids[7] must be in"},
                      LimitCase{"LargestInt64", {0, 0, 0, 0, 0, INT64_MAX, 0, 0}, "invalid_argument", "ids[5]"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rotary::testing
