// What apply_rotary() refuses, every other operation refuses too: under its own name, before it writes.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>

#include "core/apply_cases.h"
#include "core/bad_calls.h"

namespace rotary::testing {
namespace {

/// A good call on [2][3][2][8], for a fault to spoil.
struct Call {
  Heads x = random_heads(DType::kFloat32, {2, 3, 2, 8}, 1), out = random_heads(DType::kFloat32, {2, 3, 2, 8}, 2);
  TensorView in = x.view(), to = out.view();
  Vector ids{1, 2, 3};
  int num_axes = 1;
  ApplyOptions options;
  Vector grad = Vector(6, 7.0);

  PositionIds at() const { return {std::span<const double>(ids), num_axes, false}; }
};

struct Operation {
  const char* name;
  std::function<void(const Rotary&, Call&)> call;
  bool writes_x, writes_out, has_limit = true;
};

const std::vector<Operation> kOperations{
    {"apply_rotary", [](auto& r, Call& c) { apply_rotary(r, as_const(c.in), c.to, c.at(), c.options); }, false, true},
    {"apply_rotary_inplace", [](auto& r, Call& c) { apply_rotary_inplace(r, c.in, c.at(), c.options); }, true, false},
    {"apply_rotary_inplace",
     [](auto& r, Call& c) {
       apply_rotary_inplace(r, std::array{c.to, c.in}, c.at(), c.options);
     },
     true, true},
    {"unrotate", [](auto& r, Call& c) { unrotate(r, as_const(c.in), c.to, c.at(), c.options); }, false, true},
    {"unrotate_inplace", [](auto& r, Call& c) { unrotate_inplace(r, c.in, c.at(), c.options); }, true, false},
    {"apply_rotary_backward",
     [](auto& r, Call& c) { apply_rotary_backward(r, as_const(c.in), c.to, c.at(), c.options); }, false, true},
    {"shift_keys_inplace", [](auto& r, Call& c) { shift_keys_inplace(r, c.in, c.at(), c.options); }, true, false,
     false},
    {"move_keys_inplace", [](auto& r, Call& c) { move_keys_inplace(r, PositionRange{}, r, c.at(), c.in, c.options); },
     true, false},
    {"frequency_gradient",
     [](auto& r, Call& c) {
       frequency_gradient(r, as_const(c.in), as_const(c.to), c.at(), std::span(c.grad).first(4));
     },
     false, false, false},
    {"position_gradient",
     [](auto& r, Call& c) { position_gradient(r, as_const(c.in), as_const(c.to), c.at(), c.grad); }, false, false,
     false},
};

struct Fault {
  const char* name;
  std::function<void(Call&)> spoil;
  const char* type;
  const char* substring;
  enum class For { kAll, kWrittenX, kWrittenOut, kLimit } where = For::kAll;

  bool concerns(const Operation& o) const {
    if (where == For::kLimit) return o.has_limit;
    return where == For::kAll || (where == For::kWrittenX ? o.writes_x : o.writes_out && !o.writes_x);
  }
};

constexpr const char* kInvalid = "invalid_argument";
const double kNan = std::numeric_limits<double>::quiet_NaN();

const std::vector<Fault> kFaults{
    {"NullData", [](Call& c) { c.in.data = nullptr; }, kInvalid, ".data must not be null"},
    {"Misaligned", [](Call& c) { c.in.data = static_cast<char*>(c.in.data) + 1; }, kInvalid, "aligned"},
    {"UnknownDtype", [](Call& c) { c.in.dtype = static_cast<DType>(4); }, kInvalid, ".dtype"},
    {"NegativeShape", [](Call& c) { c.in.shape[2] = -2; }, kInvalid, "must not be negative, heads"},
    {"OtherChannels", [](Call& c) { c.in.shape[3] = c.to.shape[3] = 4; }, kInvalid, "channels, 8, got 4"},
    {"BytesOverflow", [](Call& c) { c.in.strides[0] = std::int64_t{1} << 61; }, kInvalid, "fit in memory, batch"},
    {"NanPosition", [](Call& c) { c.ids[2] = kNan; }, kInvalid, "positions.ids[2]"},
    {"TooFewIds", [](Call& c) { c.ids.pop_back(); }, kInvalid, "positions.ids"},
    {"OtherAxes", [](Call& c) { c.num_axes = 3; }, kInvalid, "num_axes"},
    {"AngleTooLarge", [](Call& c) { c.ids[0] = 0x1p52; }, kInvalid, "2^60"},
    {"ElementsMeet", [](Call& c) { c.in.strides[2] = 7; }, kInvalid, "strides must keep elements apart",
     Fault::For::kWrittenX},
    {"ResultOnItsSource", [](Call& c) { c.to.data = static_cast<float*>(c.in.data) + 8; }, kInvalid, "overlap",
     Fault::For::kWrittenOut},
    {"ResultOfOtherDtype", [](Call& c) { c.to.dtype = DType::kFloat16; }, kInvalid, ".dtype must be",
     Fault::For::kWrittenOut},
    {"NoThreads", [](Call& c) { c.options.num_threads = 0; }, kInvalid, "num_threads", Fault::For::kLimit},
    {"BeyondTheLimit", [](Call& c) { c.options.limit = 3; }, "out_of_range", "limit = 3, got 3", Fault::For::kLimit},
};

struct Case {
  std::string name;
  Operation operation;
  Fault fault;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Operation& o : kOperations)
    for (const Fault& f : kFaults)
      if (f.concerns(o))
        out.push_back({std::string(o.name) + (o.writes_x && o.writes_out ? "_many_" : "_") + f.name, o, f});
  return out;
}

class OperationsBadInputTest : public ::testing::TestWithParam<Case> {
 protected:
  static Rotary rotation() {
    RotationMap map = map_of(8, 10000);
    map.frequency[1] = {600, 0};  // 2^52 positions are too many
    return Rotary(map, 16);
  }
  const Rotary rotary = rotation();
};

TEST_P(OperationsBadInputTest, IsRefusedUnderItsNameBeforeAnythingIsWritten) {
  const Operation& operation = GetParam().operation;
  const Fault& fault = GetParam().fault;
  Call call;
  const Heads x = call.x, out = call.out;
  fault.spoil(call);
  for (const char* substring : {fault.substring, operation.name})
    expect_refused({fault.name, [&] { operation.call(rotary, call); }, fault.type, substring});
  EXPECT_EQ(call.x.memory, x.memory);
  EXPECT_EQ(call.out.memory, out.memory);
  EXPECT_EQ(call.grad, Vector(6, 7.0));
}

INSTANTIATE_TEST_SUITE_P(Operations, OperationsBadInputTest, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(OperationsBadInput, TensorsAreCalledAsTheFunctionCallsThem) {
  const Rotary rotary(map_of(8, 10000));
  Call call;
  call.in.data = nullptr;
  expect_refused({"Gradient", [&] { apply_rotary_backward(rotary, as_const(call.in), call.to, PositionRange{}); },
                  kInvalid, "grad_out.data must not be null"});
  expect_refused({"Keys", [&] { shift_keys_inplace(rotary, call.in, 1); }, kInvalid, "keys.data must not be null"});
}

class OperationsTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(OperationsTest, AcceptTheCallThatIsSpoiled) {
  Call call;
  const Heads x = call.x, out = call.out;
  kOperations[GetParam()].call(Rotary(map_of(8, 10000), 16), call);
  EXPECT_EQ(call.x.memory == x.memory, !kOperations[GetParam()].writes_x);
  EXPECT_EQ(call.out.memory == out.memory, !kOperations[GetParam()].writes_out);
  EXPECT_EQ(call.grad != Vector(6, 7.0), !kOperations[GetParam()].writes_x && !kOperations[GetParam()].writes_out);
}

INSTANTIATE_TEST_SUITE_P(Operations, OperationsTest, ::testing::Range<std::size_t>(0, kOperations.size()));

}  // namespace
}  // namespace rotary::testing
