// C and C++ give the same bits, for every kind of positions, dtype and operation.
#include <array>
#include <functional>
#include <thread>
#include <tuple>

#include "c_api/calls.h"
#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

constexpr std::int64_t kHeads = 3;

RotationMap map_of_axes(int num_axes) {
  RopeSpec spec = spec_of(24, 10000, yarn_of(4, 4096));
  spec.head_dim = 32;
  spec.rotary_offset = 4;
  if (num_axes > 1) spec.axes = {AxisRule::kSections, 3, {4, 5, 3}, {}};
  return make_rotation_map(spec);
}

using Memory = std::vector<std::byte>;
using Parameters = std::tuple<int, DType, std::size_t>;  // axes, dtype, index of the positions

class COperation : public ::testing::TestWithParam<Parameters> {
 protected:
  const RotationMap map = map_of_axes(std::get<0>(GetParam()));
  const DType dtype = std::get<1>(GetParam());
  const PositionCase where = position_cases(map.num_axes)[std::get<2>(GetParam())];
  const Rotary rotary{map, 64};
  const rotary_rotation_options make_options{sizeof make_options, ROTARY_ARITHMETIC_EXACT, 64, 0};
  const Handle handle = handle_of(map, &make_options);
  const Memory before = random_elements(dtype, where.batch* where.tokens* kHeads* map.channels, 7);

  TensorView view(Memory& memory) const {  // head before token
    return bhsd<void>(memory.data(), dtype, where.batch, kHeads, where.tokens, map.channels);
  }
};

TEST_P(COperation, GivesTheBitsOfCppOutOfPlace) {
  const auto cases = {std::pair(&rotary_apply, &apply_rotary), std::pair(&rotary_unrotate, &unrotate),
                      std::pair(&rotary_backward, &apply_rotary_backward)};
  for (const auto& [in_c, in_cpp] : cases) {
    Memory x = before, got(before.size()), want(before.size());
    const rotary_tensor from = c_tensor(view(x)), to = c_tensor(view(got));
    ASSERT_EQ(in_c(handle.get(), &from, &to, &where.flat, nullptr), ROTARY_OK) << rotary_last_error();
    in_cpp(rotary, as_const(view(x)), view(want), where.positions, {});
    EXPECT_EQ(got, want);
    EXPECT_EQ(x, before);
    EXPECT_NE(got, before);
    ASSERT_EQ(in_c(handle.get(), &from, nullptr, &where.flat, nullptr), ROTARY_OK) << rotary_last_error();
    EXPECT_EQ(x, want);
  }
}

TEST_P(COperation, GivesTheBitsOfCppForManyTensors) {
  Memory got[5], want[5];
  rotary_tensor tensors[5];
  const rotary_tensor* pointers[5];
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < 5; ++i) {
    got[i] = want[i] = before;
    tensors[i] = c_tensor(view(got[i]));
    pointers[i] = &tensors[i];
    views.push_back(view(want[i]));
  }
  for (std::size_t count : {2, 5}) {
    ASSERT_EQ(rotary_apply_many(handle.get(), pointers, count, &where.flat, nullptr), ROTARY_OK);
    apply_rotary_inplace(rotary, std::span(views).first(count), where.positions);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(got[i], want[i]);
  }
}

TEST_P(COperation, GivesTheBitsOfCppForKeys) {
  Memory got = before, want = before;
  const rotary_tensor keys = c_tensor(view(got));
  ASSERT_EQ(rotary_shift_keys(handle.get(), &keys, -2049, nullptr), ROTARY_OK) << rotary_last_error();
  shift_keys_inplace(rotary, view(want), -2049);
  EXPECT_EQ(got, want);
  rotary_positions zero{};
  zero.struct_size = sizeof zero;
  zero.kind = ROTARY_POSITIONS_RANGE;
  ASSERT_EQ(rotary_move_keys(handle.get(), &zero, handle.get(), &where.flat, &keys, nullptr), ROTARY_OK)
      << rotary_last_error();
  move_keys_inplace(rotary, PositionRange{0}, rotary, where.positions, view(want));
  EXPECT_EQ(got, want);
  const auto* deltas = std::get_if<PositionIds>(&where.positions);
  const rotary_status status = rotary_shift_keys_each(handle.get(), &keys, &where.flat, nullptr);
  EXPECT_EQ(status, deltas == nullptr ? ROTARY_INVALID_ARGUMENT : ROTARY_OK) << rotary_last_error();
  if (deltas != nullptr) shift_keys_inplace(rotary, view(want), *deltas);
  EXPECT_EQ(got, want);
}

std::string name_of(const ::testing::TestParamInfo<Parameters>& info) {
  const auto& [axes, dtype, index] = info.param;
  return (axes == 1 ? "OneAxis_" : "ThreeAxes_") + std::string(to_string(dtype)) + "_" +
         position_cases(axes)[index].name;
}

INSTANTIATE_TEST_SUITE_P(Positions, COperation,
                         ::testing::Combine(::testing::Values(1, 3),
                                            ::testing::Values(DType::kFloat32, DType::kFloat16, DType::kBfloat16,
                                                              DType::kFloat64),
                                            ::testing::Range<std::size_t>(0, position_cases(1).size())),
                         name_of);

// Two threads made for every run.
void run_on_threads(void* context, int num_tasks, void (*task)(void*, int), void* task_context) {
  ++*static_cast<int*>(context);
  std::vector<std::thread> threads;
  for (int i = 0; i < num_tasks; ++i) threads.emplace_back(task, task_context, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(COptions, RunOnTheCallersThreadsWithTheSameBits) {
  const RotationMap map = map_of_axes(1);
  const Handle handle = handle_of(map);
  const Memory before = random_elements(DType::kFloat32, 2048 * 32 * 32, 3);
  std::array<Memory, 3> got{before, before, before};
  int runs = 0;
  rotary_executor executor{sizeof executor, &runs, [](void*) { return 2; }, run_on_threads};
  const rotary_options options[3] = {{sizeof(rotary_options), 0, nullptr, 0},
                                     {sizeof(rotary_options), 2, nullptr, 0},
                                     {sizeof(rotary_options), 0, &executor, 1000000}};
  rotary_positions p{};
  p.struct_size = sizeof p;
  p.kind = ROTARY_POSITIONS_RANGE;
  for (std::size_t i = 0; i < 3; ++i) {
    const rotary_tensor x = c_tensor(thd<void>(got[i].data(), DType::kFloat32, 2048, 32, 32));
    ASSERT_EQ(rotary_apply(handle.get(), &x, nullptr, &p, &options[i]), ROTARY_OK) << rotary_last_error();
  }
  EXPECT_EQ(got[0], got[1]);
  EXPECT_EQ(got[0], got[2]);
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace rotary::testing
