// Rotations and tables shared by threads: what one thread makes, grows or lets go of never shows in another. Run under
// the thread sanitizer too.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "core/apply_cases.h"

namespace rotary::testing {
namespace {

constexpr int kThreads = 4;

/// Runs work(0) .. work(kThreads-1) at once.
template <class Work>
void at_once(const Work& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

class ConcurrencyTest : public OnEveryTarget {};

TEST_F(ConcurrencyTest, ATableGrowsOnSeveralThreadsAndEachSeesItsOwn) {
  const RotationMap map = map_of(32, 10000);
  const CosSinTable base = CosSinTable::by_position(map, 100), want = CosSinTable::by_position(map, 2000);
  at_once([&](int thread) {
    CosSinTable mine = base;
    for (std::int64_t rows = 200 + 100 * thread; rows <= 2000; rows += 300) {
      mine = mine.grown(rows);
      for (const std::int64_t row : {std::int64_t{99}, rows / 2, rows - 1}) expect_same_row(want, row, mine, row);
    }
  });
  EXPECT_EQ(base.num_rows(), 100);
}

// Each thread replaces the table that all read, as an engine does whose sequences grow.
TEST_F(ConcurrencyTest, ATableIsReplacedWhileOthersReadIt) {
  const RotationMap map = map_of(32, 10000);
  const CosSinTable want = CosSinTable::by_position(map, 1500);
  std::shared_ptr<const CosSinTable> shared = std::make_shared<CosSinTable>(CosSinTable::by_position(map, 1));
  at_once([&](int thread) {
    for (std::int64_t rows = 10 + thread; rows < 1500; rows += 200) {
      const std::shared_ptr<const CosSinTable> seen = std::atomic_load(&shared);
      const CosSinTable longer = seen->grown(rows);
      expect_same_row(want, rows - 1, longer, rows - 1);
      std::atomic_store(&shared, std::shared_ptr<const CosSinTable>(std::make_shared<CosSinTable>(longer)));
    }
  });
}

// Every operation, positions in the table and beyond it, on copies that come and go.
TEST_F(ConcurrencyTest, ARotationIsSharedByEveryOperation) {
  for (const SpecCase& c : axis_cases()) {
    const Rotary shared(c.map(), 30);
    const Heads x = random_heads(DType::kFloat32, {2, 60, 2, c.map().channels});
    const auto run = [&x](const Rotary& rotary) {
      Heads y = x;
      apply_rotary_inplace(rotary, y.view(), PositionRange{1});
      shift_keys_inplace(rotary, y.view(), 70000);
      move_keys_inplace(rotary, PositionRange{70001}, rotary, PositionOffsets{std::array<std::int64_t, 2>{3, 40}},
                        y.view());
      unrotate_inplace(rotary, y.view(), PositionRange{5});
      apply_rotary_backward(rotary, y.read(), y.view(), PositionRange{-5});
      Vector grad(rotary.map().frequency.size());
      frequency_gradient(rotary, x.read(), y.read(), PositionRange{0}, grad);
      return std::pair{std::move(y.memory), std::move(grad)};
    };
    const auto want = run(shared);
    at_once([&](int) {
      const auto copy = std::make_unique<const Rotary>(shared);
      EXPECT_EQ(want, run(*copy));
    });
  }
}

TEST_F(ConcurrencyTest, RotationsAreMadeOnSeveralThreadsInEveryArithmetic) {
  const RopeSpec spec = spec_of(64, 10000, yarn_of(4, 4096));
  const Heads x = random_heads(DType::kBfloat16, {1, 40, 2, 64});
  for (const Arithmetic arithmetic :
       {Arithmetic::kExact, Arithmetic::kTransformersFloat32, Arithmetic::kTransformersBfloat16, Arithmetic::kGgml}) {
    const auto run = [&](std::int64_t table_rows) {
      Heads y = x;
      apply_rotary_inplace(Rotary(spec, table_rows, arithmetic), y.view(), PositionRange{9});
      return y.memory;
    };
    const Elements want = run(0);
    at_once([&](int thread) { EXPECT_EQ(want, run(25 * thread)); });
  }
}

// Callers with threads of the library, with an executor and alone, at the same time; work large enough to be cut.
TEST_F(ConcurrencyTest, CallersWithAndWithoutThreadsGetTheSameBits) {
  const Rotary rotary(spec_of(64, 10000), 200);
  const Heads x = random_heads(DType::kFloat32, {2, 400, 8, 64});
  const auto run = [&](int num_threads) {
    Heads y = x;
    ApplyOptions options;
    options.num_threads = num_threads;
    apply_rotary_inplace(rotary, y.view(), PositionRange{7}, options);
    return y.memory;
  };
  const Elements want = run(1);
  at_once([&](int thread) {
    for (int k = 0; k < 4; ++k) EXPECT_EQ(want, run(1 + (thread + k) % 3));
  });
}

}  // namespace
}  // namespace rotary::testing
