// Bad input through C: the call, its status, a part of the text; and nothing is written.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>

#include "c_api/flat_spec.h"
#include "core/table_cases.h"

namespace rotary::testing {
namespace {

/// A good call on [2 tokens][1 head][4 channels], for a case to spoil.
struct Call {
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  float y[8] = {};
  double ids[2] = {1, 2};
  std::int64_t offsets[2] = {1, 2};
  std::int32_t cu[2] = {0, 2};
  rotary_tensor in{sizeof in, x, ROTARY_FLOAT32, 3, {2, 1, 4}, {4, 4, 1}};
  rotary_tensor out{sizeof out, y, ROTARY_FLOAT32, 3, {2, 1, 4}, {4, 4, 1}};
  rotary_positions positions{
      sizeof positions, ROTARY_POSITIONS_RANGE, ROTARY_FLOAT64, 1, offsets, 1, ids, 2, 1, 0, cu, 2};
  rotary_executor executor{};
  rotary_options options{sizeof options, 1, nullptr, 0};
};

struct Refused {
  const char* name;
  std::function<void(Call&)> spoil;
  rotary_status status;
  const char* substring;

  friend void PrintTo(const Refused& r, std::ostream* out) { *out << r.name; }
};

class CRefuses : public ::testing::TestWithParam<Refused> {};

TEST_P(CRefuses, WithItsStatusAndText) {
  const Handle handle = handle_of(spec_of(4, 10000));
  Call call;
  GetParam().spoil(call);
  const auto* x = static_cast<const float*>(static_cast<const void*>(call.x));
  const std::vector<float> before(x, x + 8);
  EXPECT_EQ(rotary_apply(handle.get(), &call.in, &call.out, &call.positions, &call.options), GetParam().status);
  EXPECT_NE(std::strstr(rotary_last_error(), GetParam().substring), nullptr) << rotary_last_error();
  EXPECT_EQ(std::vector<float>(x, x + 8), before);
  for (float y : call.y) EXPECT_EQ(y, 0);
}

constexpr auto kInvalid = ROTARY_INVALID_ARGUMENT;

std::vector<Refused> bad_tensors() {
  return {{"NullData", [](Call& c) { c.in.data = nullptr; }, kInvalid, "data"},
          {"NoDtype", [](Call& c) { c.in.dtype = 0; }, kInvalid, "in.dtype"},
          {"DtypeOfIds", [](Call& c) { c.in.dtype = ROTARY_INT32; }, kInvalid, "in.dtype"},
          {"DtypesDiffer", [](Call& c) { c.out.dtype = ROTARY_BFLOAT16; }, kInvalid, "dtype"},
          {"NoRank", [](Call& c) { c.in.rank = 0; }, kInvalid, "in.rank"},
          {"RankFive", [](Call& c) { c.out.rank = 5; }, kInvalid, "out.rank"},
          {"NegativeShape", [](Call& c) { c.in.shape[0] = -1; }, kInvalid, "shape"},
          {"ShapesDiffer", [](Call& c) { c.out.shape[0] = 1; }, kInvalid, "shape"},
          {"OtherChannels", [](Call& c) { c.in.shape[2] = c.out.shape[2] = 2; }, kInvalid, "channels"},
          {"HugeShape", [](Call& c) { c.in.shape[0] = INT64_MAX; }, kInvalid, "in"},
          {"HugeStride", [](Call& c) { c.in.strides[0] = INT64_MIN; }, kInvalid, "memory"},
          {"WrittenTwice", [](Call& c) { c.out.strides[0] = 0; }, kInvalid, "strides"},
          {"Overlap", [](Call& c) { c.out.data = c.x + 1; }, kInvalid, "overlap"},
          {"Misaligned", [](Call& c) { c.in.data = reinterpret_cast<char*>(c.x) + 1; }, kInvalid, "aligned"}};
}

std::vector<Refused> bad_positions() {
  const auto ids = [](auto change) {
    return [change](Call& c) {
      c.positions.kind = ROTARY_POSITIONS_IDS;
      change(c.positions, c);
    };
  };
  const auto of_kind = [](int kind, auto change) {
    return [kind, change](Call& c) {
      c.positions.kind = kind;
      change(c.positions);
    };
  };
  return {
      {"NoKind", [](Call& c) { c.positions.kind = 0; }, kInvalid, "positions.kind"},
      {"HugeFirst", [](Call& c) { c.positions.first = INT64_MAX; }, kInvalid, "2^53"},
      {"IdsOfNoType", ids([](auto& p, Call&) { p.ids_dtype = ROTARY_FLOAT32; }), kInvalid, "ids_dtype"},
      {"NullIds", ids([](auto& p, Call&) { p.ids = nullptr; }), kInvalid, "positions.ids must not be null"},
      {"TooFewIds", ids([](auto& p, Call&) { p.num_ids = 1; }), kInvalid, "ids"},
      {"NegativeCount", ids([](auto& p, Call&) { p.num_ids = -1; }), kInvalid, "negative"},
      {"OtherAxes", ids([](auto& p, Call&) { p.num_axes = 2; }), kInvalid, "num_axes"},
      {"NegativeAxes", ids([](auto& p, Call&) { p.num_axes = -3; }), kInvalid, "num_axes"},
      {"NanId", ids([](auto&, Call& c) { c.ids[1] = std::nan(""); }), kInvalid, "ids[1]"},
      {"InfiniteId", ids([](auto&, Call& c) { c.ids[0] = std::numeric_limits<double>::infinity(); }), kInvalid,
       "ids[0]"},
      {"NullOffsets", of_kind(ROTARY_POSITIONS_OFFSETS, [](auto& p) { p.offsets = nullptr; }), kInvalid, "offsets"},
      {"TooManyOffsets", of_kind(ROTARY_POSITIONS_OFFSETS, [](auto& p) { p.num_offsets = 2; }), kInvalid, "offsets"},
      {"NullCuSeqlens", of_kind(ROTARY_POSITIONS_PACKED, [](auto& p) { p.cu_seqlens = nullptr; }), kInvalid,
       "cu_seqlens"},
      {"ShortCuSeqlens", of_kind(ROTARY_POSITIONS_PACKED, [](auto& p) { p.num_cu_seqlens = 1; }), kInvalid,
       "cu_seqlens"},
      {"NegativeCuSeqlens", of_kind(ROTARY_POSITIONS_PACKED, [](auto& p) { p.num_cu_seqlens = -2; }), kInvalid,
       "cu_seqlens"}};
}

std::vector<Refused> bad_options() {
  return {
      {"NegativeThreads", [](Call& c) { c.options.num_threads = -1; }, kInvalid, "num_threads"},
      {"NegativeLimit", [](Call& c) { c.options.limit = -1; }, kInvalid, "limit"},
      {"BeyondLimit", [](Call& c) { c.options.limit = 2; }, ROTARY_OUT_OF_RANGE, "limit = 2"},
      {"NegativeBelowLimit", [](Call& c) { c.options.limit = 9, c.positions.first = -1; }, ROTARY_OUT_OF_RANGE, "-1"},
      {"ExecutorWithoutSize", [](Call& c) { c.options.executor = &c.executor; }, kInvalid, "executor.struct_size"},
      {"ExecutorWithoutFunctions",
       [](Call& c) { c.executor.struct_size = sizeof c.executor, c.options.executor = &c.executor; }, kInvalid,
       "executor"}};
}

std::string name_of(const ::testing::TestParamInfo<Refused>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Tensors, CRefuses, ::testing::ValuesIn(bad_tensors()), name_of);
INSTANTIATE_TEST_SUITE_P(Positions, CRefuses, ::testing::ValuesIn(bad_positions()), name_of);
INSTANTIATE_TEST_SUITE_P(Options, CRefuses, ::testing::ValuesIn(bad_options()), name_of);

struct BadSpec {
  const char* name;
  std::function<void(rotary_spec&)> spoil;
  const char* substring;

  friend void PrintTo(const BadSpec& s, std::ostream* out) { *out << s.name; }
};

class CRefusesSpec : public ::testing::TestWithParam<BadSpec> {};

TEST_P(CRefusesSpec, WithTheFieldsName) {
  rotary_spec spec;
  ASSERT_EQ(rotary_spec_init(&spec, sizeof spec, ROTARY_SCALING_DEFAULT), ROTARY_OK);
  spec.head_dim = spec.rotary_dim = 8;
  spec.pairing = ROTARY_PAIRING_HALF;
  GetParam().spoil(spec);
  rotary_rotation* made = nullptr;
  EXPECT_EQ(rotary_rotation_from_spec(&spec, nullptr, &made), ROTARY_INVALID_ARGUMENT);
  EXPECT_EQ(made, nullptr);
  EXPECT_NE(std::strstr(rotary_last_error(), GetParam().substring), nullptr) << rotary_last_error();
}

INSTANTIATE_TEST_SUITE_P(
    Specs, CRefusesSpec,
    ::testing::Values(
        BadSpec{"NoPairing", [](rotary_spec& s) { s.pairing = 0; }, "pairing"},
        BadSpec{"NoOutputPairing", [](rotary_spec& s) { s.output_pairing = 7; }, "output_pairing"},
        BadSpec{"OddWidth", [](rotary_spec& s) { s.rotary_dim = 7; }, "rotary_dim"},
        BadSpec{"NanBase", [](rotary_spec& s) { s.base = std::nan(""); }, "base"},
        BadSpec{"NoScaling", [](rotary_spec& s) { s.scaling = 13; }, "scaling"},
        BadSpec{"NoAxisRule", [](rotary_spec& s) { s.axis_rule = -1; }, "axis_rule"},
        BadSpec{"NullSections", [](rotary_spec& s) { s.axis_rule = ROTARY_AXES_SECTIONS, s.num_sections = 3; },
                "sections must not be null"},
        BadSpec{"NegativeSections", [](rotary_spec& s) { s.num_sections = -1; }, "sections"},
        BadSpec{"NullFactors", [](rotary_spec& s) { s.scaling = ROTARY_SCALING_LONGROPE, s.num_factors = 4; },
                "short_factor must not be null"},
        BadSpec{"YarnOfNoLength", [](rotary_spec& s) { s.scaling = ROTARY_SCALING_YARN; }, "original_max_position"}),
    [](const auto& info) { return info.param.name; });

TEST(CLastError, BelongsToTheThreadAndIsCut) {
  const std::string path(3000, 'x');
  rotary_rotation* made = nullptr;
  EXPECT_EQ(rotary_rotation_from_config(path.c_str(), nullptr, nullptr, &made), ROTARY_NOT_FOUND);
  EXPECT_EQ(std::strlen(rotary_last_error()), 1023);
  std::thread([] { EXPECT_STREQ(rotary_last_error(), ""); }).join();
}

}  // namespace
}  // namespace rotary::testing
