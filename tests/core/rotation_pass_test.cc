// A pass over tokens that ends early.
#include "core/rotation_pass.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>

#include "core/apply_cases.h"

namespace rotary::testing {
namespace {

class OutOfMemory final : public detail::RowSource {
 public:
  explicit OutOfMemory(const RotationMap& map) : RowSource(1, static_cast<std::int64_t>(map.pairs.size()), 1) {}
  bool is_identity(const double*) const override { return false; }
  const float* row(int, const double*, float*) const override { throw std::bad_alloc(); }
  const double* row(int, const double*, double*) const override { throw std::bad_alloc(); }
};

// As promised to hosts: tasks do not throw.
class StrictExecutor final : public Executor {
 public:
  int concurrency() const override { return 4; }
  void run(int num_tasks, const std::function<void(int)>& task) override {
    for (int i = 0; i < num_tasks; ++i) {
      EXPECT_NO_THROW(task(i));
      ++calls;
    }
  }

  int calls = 0;
};

TEST(RotationPass, WhatATaskThrowsReachesTheCallerAndNotTheExecutor) {
  const Rotary rotary(map_of(64, 10000));
  Heads x = random_heads(DType::kFloat32, {1, 4096, 2, 64});
  const OutOfMemory rows(rotary.map());
  const detail::ConstantPosition everywhere(1, 1);
  const detail::PassTensor tensor{x.read(), x.view(), true};
  const auto& state = rotary.state();
  StrictExecutor executor;
  for (Executor* who : {static_cast<Executor*>(&executor), static_cast<Executor*>(nullptr)}) {
    const ApplyOptions options{.num_threads = 4, .executor = who, .limit = {}};
    EXPECT_THROW(detail::run_pass({&state.forward, &state.halves, &rows, &everywhere, {&tensor, 1}, 1, 4096}, options),
                 std::bad_alloc);
  }
  EXPECT_EQ(executor.calls, 4);
}

}  // namespace
}  // namespace rotary::testing
