// Positions in every form, and threads: neither changes a bit of what a token gets.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "core/apply_cases.h"

namespace rotary::testing {
namespace {

using Ids64 = std::vector<std::int64_t>;

PositionIds ids_of(const Ids64& ids, int num_axes = 1, bool per_sequence = false) {
  return {std::span<const std::int64_t>(ids), num_axes, per_sequence};
}

class ApplyPositionsTest : public ::testing::Test {
 protected:
  const Rotary rotary{spec_of(32, 10000), 100};
  const Heads x = random_heads(DType::kFloat32, {3, 45, 2, 32});
};

TEST_F(ApplyPositionsTest, ARangeIsTheIdsThatItStandsFor) {
  Ids64 ids(45);
  std::iota(ids.begin(), ids.end(), -10);
  EXPECT_EQ(rotated(rotary, x, PositionRange{-10}).memory, rotated(rotary, x, ids_of(ids)).memory);
}

TEST_F(ApplyPositionsTest, IdsMayBeInt32Int64OrDouble) {
  const std::vector<std::int32_t> narrow(45, 99);
  const Ids64 wide(45, 99);
  const Vector real(45, 99);
  const Heads want = rotated(rotary, x, ids_of(wide));
  EXPECT_EQ(want.memory, rotated(rotary, x, PositionIds{std::span<const std::int32_t>(narrow)}).memory);
  EXPECT_EQ(want.memory, rotated(rotary, x, PositionIds{std::span<const double>(real)}).memory);
}

TEST_F(ApplyPositionsTest, EverySequenceStartsAtItsOffset) {
  const Ids64 offsets{0, 1000, 7};
  const Heads out = rotated(rotary, x, PositionOffsets{offsets});
  expect_twin(rotary.map(), x, out,
              [&](auto b, auto t) { return Vector{static_cast<double>(offsets[static_cast<std::size_t>(b)] + t)}; });
}

TEST_F(ApplyPositionsTest, EverySequenceMayHaveIdsOfItsOwn) {
  Ids64 ids(3 * 45);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i * i % 1009);
  const Heads out = rotated(rotary, x, ids_of(ids, 1, true));
  expect_twin(rotary.map(), x, out,
              [&](auto b, auto t) { return Vector{static_cast<double>(ids[static_cast<std::size_t>(b * 45 + t)])}; });
}

TEST_F(ApplyPositionsTest, FractionsAndNegativePositionsAreComputed) {
  Vector ids(45);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = 0.25 * static_cast<double>(i) - 3;
  const Heads out = rotated(rotary, x, PositionIds{std::span<const double>(ids)});
  expect_twin(rotary.map(), x, out, [&](auto, auto t) { return Vector{ids[static_cast<std::size_t>(t)]}; });
}

TEST_F(ApplyPositionsTest, PackedSequencesAreRotatedAsIfTheyWereApart) {
  const Heads packed = random_heads(DType::kFloat32, {1, 45, 2, 32});
  const std::vector<std::int32_t> cu{0, 1, 1, 34, 45};
  const Ids64 offsets{5, 6, 90, 0};
  Heads want = packed;
  for (std::size_t j = 0; j + 1 < cu.size(); ++j) {
    TensorView part = want.view();
    part.shape[1] = cu[j + 1] - cu[j];
    part.data = static_cast<float*>(part.data) + cu[j] * part.strides[1];
    apply_rotary_inplace(rotary, part, PositionRange{offsets[j]});
  }
  EXPECT_EQ(want.memory, rotated(rotary, packed, PackedSequences{cu, offsets}).memory);
}

TEST_F(ApplyPositionsTest, EveryAxisHasIdsOfItsOwn) {
  for (const SpecCase& c : axis_cases()) {
    const RotationMap map = c.map();
    const Heads y = random_heads(DType::kFloat32, {2, 40, 2, map.channels});
    Ids64 ids(static_cast<std::size_t>(map.num_axes) * 40);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i * 7 % 60);
    const auto at = [&](auto, auto t) {
      Vector position;
      for (int a = 0; a < map.num_axes; ++a)
        position.push_back(static_cast<double>(ids[static_cast<std::size_t>(a * 40 + t)]));
      return position;
    };
    const Heads with = rotated(Rotary(map, 50), y, ids_of(ids, map.num_axes));
    const Heads without = rotated(Rotary(map), y, ids_of(ids, map.num_axes));
    expect_twin(map, y, with, at);
    EXPECT_EQ(with.memory, without.memory) << c.name;
  }
}

TEST_F(ApplyPositionsTest, OneIdCountsOnEveryAxis) {
  for (const SpecCase& c : axis_cases()) {
    const RotationMap map = c.map();
    const Heads y = random_heads(DType::kFloat32, {1, 40, 2, map.channels});
    Ids64 one(40), all;
    std::iota(one.begin(), one.end(), 3);
    for (int axis = 0; axis < map.num_axes; ++axis) all.insert(all.end(), one.begin(), one.end());
    const Rotary rotation(map, 20);
    EXPECT_EQ(rotated(rotation, y, ids_of(one)).memory, rotated(rotation, y, ids_of(all, map.num_axes)).memory);
  }
}

TEST_F(ApplyPositionsTest, PairsOfSeveralAxesTurnByTheSumOfTheAngles) {
  const RotationMap map = map_with({0.5, 0.25, 0.125, 1, 0.75, -0.5}, 2);
  const Heads y = random_heads(DType::kFloat32, {1, 3, 2, 6});
  const Ids64 ids{1, 2, 3, 10, 20, 30};
  const Rotary rotation(map, 100);
  EXPECT_EQ(rotation.table_rows(), 0);
  expect_twin(map, y, rotated(rotation, y, ids_of(ids, 2)), [&](auto, auto t) {
    return Vector{static_cast<double>(t + 1), static_cast<double>(10 * (t + 1))};
  });
}

TEST_F(ApplyPositionsTest, ReferenceArithmeticsRotateByTheirOwnTables) {
  const RopeSpec spec = spec_of(32, 10000);
  for (Arithmetic arithmetic :
       {Arithmetic::kTransformersFloat32, Arithmetic::kTransformersBfloat16, Arithmetic::kGgml}) {
    const CosSinTable table = CosSinTable::by_position(spec, 60, arithmetic);
    const Heads out = rotated(Rotary(spec, 20, arithmetic), x, PositionRange{0});
    for (std::int64_t t = 1; t < 45; ++t)
      for (std::size_t i = 0; i < 16; ++i) {
        const Vector before = x.head(0, t, 0), after = out.head(0, t, 0);
        const double want = before[i] * double{table.cos(t)[i]} - before[i + 16] * double{table.sin(t)[i]};
        ASSERT_NEAR(after[i], want, 0x1p-22) << to_string(arithmetic);  // product, sum: 1 ulp each of at most 2
      }
  }
}

/// Runs everything on one more thread, and counts.
class CountingExecutor final : public Executor {
 public:
  int concurrency() const override { return 3; }
  void run(int num_tasks, const std::function<void(int)>& task) override {
    tasks += num_tasks;
    for (int i = num_tasks; i-- > 0;) task(i);
  }
  int tasks = 0;
};

class ApplyThreadProperty : public ::testing::TestWithParam<DType> {};

TEST_P(ApplyThreadProperty, ThreadsAndExecutorsGiveTheSameBits) {
  const Rotary rotary(spec_of(64, 10000), 700);
  for (const auto& shape : {std::array<std::int64_t, 4>{2, 999, 20, 64}, {2000, 1, 20, 64}}) {
    const Heads x = random_heads(GetParam(), shape);
    CountingExecutor executor;
    ApplyOptions four, own;
    four.num_threads = 4;
    own.executor = &executor;
    const Heads want = rotated(rotary, x, PositionRange{11});
    EXPECT_EQ(want.memory, rotated(rotary, x, PositionRange{11}, four).memory);
    EXPECT_EQ(want.memory, rotated(rotary, x, PositionRange{11}, own).memory);
    EXPECT_EQ(executor.tasks, 3);
  }
}

TEST_P(ApplyThreadProperty, SmallWorkStaysOnTheCallersThread) {
  const Rotary rotary(spec_of(128, 10000), 10);
  CountingExecutor executor;
  ApplyOptions options;
  options.executor = &executor;
  rotated(rotary, random_heads(GetParam(), {1, 1, 40, 128}), PositionRange{5}, options);
  EXPECT_EQ(executor.tasks, 0);
}

TEST(ApplyThreadTest, CallersOnSeveralThreadsShareARotationAndTheThreads) {
  const Rotary rotary(spec_of(64, 10000), 300);
  const Heads x = random_heads(DType::kFloat32, {1, 999, 20, 64});
  const Heads want = rotated(rotary, x, PositionRange{11});
  ApplyOptions four;
  four.num_threads = 4;
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      for (int k = 0; k < 5; ++k) EXPECT_EQ(want.memory, rotated(rotary, x, PositionRange{11}, four).memory);
    });
  for (std::thread& caller : callers) caller.join();
}

INSTANTIATE_TEST_SUITE_P(DTypes, ApplyThreadProperty, ::testing::ValuesIn(kDTypes),
                         [](const auto& info) { return dtype_label(info.param); });

}  // namespace
}  // namespace rotary::testing
