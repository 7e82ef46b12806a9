// What rotary_apply() refuses, every other C operation refuses too, with the same status, and writes nothing.
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "c_api/flat_spec.h"
#include "core/table_cases.h"

namespace rotary::testing {
namespace {

/// A good call on [3 tokens][1 head][4 channels], for a fault to spoil.
struct Call {
  std::vector<float> x = std::vector<float>(12, 1.5F), y = std::vector<float>(12, 2.5F);
  std::vector<float> cosines = std::vector<float>(6, 3.5F), sines = cosines;
  double ids[3] = {1, 2, 3};
  rotary_tensor in{sizeof in, x.data(), ROTARY_FLOAT32, 3, {3, 1, 4}, {4, 4, 1}};
  rotary_tensor out{sizeof out, y.data(), ROTARY_FLOAT32, 3, {3, 1, 4}, {4, 4, 1}};
  rotary_positions positions{};
  rotary_options options{sizeof options, 1, nullptr, 0};

  Call() {
    positions.struct_size = sizeof positions;
    positions.kind = ROTARY_POSITIONS_IDS;
    positions.ids_dtype = ROTARY_FLOAT64;
    positions.ids = ids;
    positions.num_ids = 3;
  }
};

struct Operation {
  const char* name;
  std::function<rotary_status(const rotary_rotation*, Call&)> call;
  bool has_tensor = true, has_limit = true;
};

const std::vector<Operation> kOperations{
    {"rotary_apply", [](auto* r, Call& c) { return rotary_apply(r, &c.in, &c.out, &c.positions, &c.options); }},
    {"rotary_apply_many",
     [](auto* r, Call& c) {
       const rotary_tensor* both[2] = {&c.out, &c.in};
       return rotary_apply_many(r, both, 2, &c.positions, &c.options);
     }},
    {"rotary_unrotate", [](auto* r, Call& c) { return rotary_unrotate(r, &c.in, &c.out, &c.positions, &c.options); }},
    {"rotary_backward", [](auto* r, Call& c) { return rotary_backward(r, &c.in, &c.out, &c.positions, &c.options); }},
    {"rotary_shift_keys_each",
     [](auto* r, Call& c) { return rotary_shift_keys_each(r, &c.in, &c.positions, &c.options); }, true, false},
    {"rotary_move_keys",
     [](auto* r, Call& c) { return rotary_move_keys(r, &c.positions, r, &c.positions, &c.in, &c.options); }},
    {"rotary_table",
     [](auto* r, Call& c) { return rotary_table(r, &c.positions, 3, 0, c.cosines.data(), c.sines.data()); }, false,
     false},
};

struct Fault {
  const char* name;
  std::function<void(Call&)> spoil;
  rotary_status status;
  const char* substring;
  bool of_tensor = false, of_limit = false;
};

const std::vector<Fault> kFaults{
    {"NullData", [](Call& c) { c.in.data = nullptr; }, ROTARY_INVALID_ARGUMENT, "data", true},
    {"NoDtype", [](Call& c) { c.in.dtype = 0; }, ROTARY_INVALID_ARGUMENT, "dtype", true},
    {"RankFive", [](Call& c) { c.in.rank = 5; }, ROTARY_INVALID_ARGUMENT, "rank", true},
    {"OtherChannels", [](Call& c) { c.in.shape[2] = c.out.shape[2] = 2; }, ROTARY_INVALID_ARGUMENT, "channels", true},
    {"Misaligned", [](Call& c) { c.in.data = static_cast<char*>(c.in.data) + 1; }, ROTARY_INVALID_ARGUMENT, "aligned",
     true},
    {"NoTensorSize", [](Call& c) { c.in.struct_size = 0; }, ROTARY_INVALID_ARGUMENT, "struct_size", true},
    {"NoPositionsSize", [](Call& c) { c.positions.struct_size = 0; }, ROTARY_INVALID_ARGUMENT, "struct_size"},
    {"NullIds", [](Call& c) { c.positions.ids = nullptr; }, ROTARY_INVALID_ARGUMENT, "ids"},
    {"NanId", [](Call& c) { c.ids[2] = std::nan(""); }, ROTARY_INVALID_ARGUMENT, "positions"},
    {"TooFewIds", [](Call& c) { c.positions.num_ids = 2; }, ROTARY_INVALID_ARGUMENT, "positions"},
    {"BeyondTheLimit", [](Call& c) { c.options.limit = 3; }, ROTARY_OUT_OF_RANGE, "limit = 3, got 3", false, true},
};

struct Case {
  Operation operation;
  Fault fault;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.operation.name << " " << c.fault.name; }
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Operation& o : kOperations)
    for (const Fault& f : kFaults)
      if ((o.has_tensor || !f.of_tensor) && (o.has_limit || !f.of_limit)) out.push_back({o, f});
  return out;
}

class COperationRefuses : public ::testing::TestWithParam<Case> {};

TEST_P(COperationRefuses, WithItsStatusAndWritesNothing) {
  const auto& [operation, fault] = GetParam();
  const Handle handle = handle_of(spec_of(4, 10000));
  Call good, call;
  EXPECT_EQ(operation.call(handle.get(), good), ROTARY_OK) << rotary_last_error();
  const Call before;
  fault.spoil(call);
  EXPECT_EQ(operation.call(handle.get(), call), fault.status);
  EXPECT_NE(std::strstr(rotary_last_error(), fault.substring), nullptr) << rotary_last_error();
  EXPECT_EQ(call.x, before.x);
  EXPECT_EQ(call.y, before.y);
  EXPECT_EQ(call.cosines, before.cosines);
  EXPECT_EQ(call.sines, before.sines);
}

INSTANTIATE_TEST_SUITE_P(Operations, COperationRefuses, ::testing::ValuesIn(cases()), [](const auto& info) {
  return std::string(info.param.operation.name) + "_" + info.param.fault.name;
});

}  // namespace
}  // namespace rotary::testing
