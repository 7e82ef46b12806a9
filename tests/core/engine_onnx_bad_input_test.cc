// Bad input of RotaryEmbedding in onnx.reference and onnxruntime, and its counterparts (golden/engines/onnx-rotary,
// ort-contrib).
#include <limits>

#include "core/engine_bad_calls.h"

namespace rotary::testing {
namespace {

using Ids = std::vector<std::int64_t>;

/// A call of the operator as a host makes it here. The records': 2 sequences of 3 tokens, 4 heads of 8, tables [10][4].
struct OnnxArguments {
  std::array<std::int64_t, 4> shape{2, 3, 4, 8};
  int rotary_dim = 0;  // 0: all
  int interleaved = 0;
  std::int64_t rows = 10, width = 4;
  std::int64_t sines = -1;  // numbers in sin_cache, if not as many as in cos_cache
  Ids ids{0, 1, 2, 4, 5, 9};
  bool per_sequence = true;
  double value = 1;
  DType dtype = DType::kFloat32;

  Rotary rotary() const {
    RopeSpec spec = spec_of(8, 10000);
    spec.head_dim = static_cast<int>(shape[3]);
    spec.rotary_dim = rotary_dim == 0 ? spec.head_dim : rotary_dim;
    spec.pairing = spec.output_pairing = static_cast<Pairing>(interleaved);
    const auto size = static_cast<std::size_t>(rows * width);
    std::vector<float> cos(size, 0.5F), sin(sines < 0 ? size : static_cast<std::size_t>(sines), 0.25F);
    return Rotary(make_rotation_map(spec), CosSinTable::from_values(cos, sin, width));
  }
  Vector at(const Positions& positions) const { return turned(rotary(), positions, shape, value, dtype); }
  Vector with_ids() const { return at(PositionIds{std::span<const std::int64_t>(ids), 1, per_sequence}); }
};

template <class Change>
OnnxArguments arguments(const Change& change) {
  OnnxArguments out;
  change(out);
  return out;
}

template <class Change>
BadCall refused(const char* record, const Change& change, const char* type, const char* substring) {
  return {record, [a = arguments(change)] { a.with_ids(); }, type, substring};
}

BadCall refused_ids(const char* record, Ids ids, const char* type, const char* substring) {
  return refused(
      record, [&](OnnxArguments& a) { a.ids = std::move(ids); }, type, substring);
}

/// Tables of [batch][tokens] rows, read with offsets.
BadCall refused_rows(const char* record, std::int64_t rows, Ids first) {
  OnnxArguments a;
  a.rows = rows;
  return {record, [a, first] { a.at(PositionOffsets{first}); }, kRange, "positions.offsets[1]"};
}

std::vector<BadCall> refused_positions() {
  return {refused_ids("onnx-rotary/bad/position_equal_to_table_length", {0, 1, 2, 4, 5, 10}, kRange,
                      "positions.ids[5] must be in 0 .. limit-1, limit = 10, got 10"),
          refused_ids("onnx-rotary/bad/position_far_beyond_table", {0, 1, 2, 4, 5, std::int64_t{1} << 40}, kRange,
                      "positions.ids[5]"),
          refused_ids("onnx-rotary/bad/position_negative_1", {0, 1, 2, 4, 5, -1}, kRange, "positions.ids[5]"),
          refused_ids("onnx-rotary/bad/position_negative_below_minus_table", {0, 1, 2, 4, 5, -11}, kRange,
                      "positions.ids[5]"),
          refused_ids("onnx-rotary/bad/position_ids_1d", {0, 1, 2}, kInvalid, "positions.ids"),
          refused_ids("onnx-rotary/bad/position_ids_one_value", {1}, kInvalid, "positions.ids"),
          refused_ids("onnx-rotary/bad/position_ids_batch_1_for_2", {0, 1, 2}, kInvalid, "6 numbers, got 3"),
          refused_ids("onnx-rotary/bad/position_ids_too_long", {0, 1, 2, 3, 0, 1, 2, 3}, kInvalid, "positions.ids"),
          refused_rows("onnx-rotary/bad/no_position_ids_cache_wrong_sequence", 4, {0, 3}),
          refused_rows("onnx-rotary/bad/no_position_ids_cache_wrong_batch", 3, {0, 3}),
          refused(
              "onnx-rotary/bad/position_ids_with_3d_cache", [](OnnxArguments& a) { a.rows = 6; }, kRange,
              "positions.ids[5]"),
          refused_ids("ort-contrib/bad/rope_position_equal_to_table_length", {0, 1, 2, 3, 4, 10}, kRange,
                      "positions.ids[5]"),
          refused_ids("ort-contrib/bad/rope_position_negative", {0, 1, 2, 3, 4, -1}, kRange, "positions.ids[5]"),
          {"ort-contrib/bad/rope_offset_runs_past_table", [] { OnnxArguments().at(PositionRange{8}); }, kRange,
           "positions.first must be in 0 .. limit-1, limit = 10, got 10"},
          {"ort-contrib/bad/rope_offset_negative", [] { OnnxArguments().at(PositionRange{-1}); }, kRange,
           "positions.first"},
          refused_ids("ort-contrib/bad/rope_positions_wrong_shape", {0, 1, 3, 4}, kInvalid, "positions.ids")};
}

/// 4 heads of 8 from a hidden width of 32, or what a wrong number of heads makes of it.
BadCall refused_heads(const char* record, std::int64_t heads, std::int64_t channels, const char* substring) {
  const auto call = [=] {
    std::vector<float> x(192);
    apply_rotary_inplace(OnnxArguments().rotary(), bshd<void>(x.data(), DType::kFloat32, 2, 3, heads, channels),
                         PositionRange{});
  };
  return {record, call, kInvalid, substring};
}

std::vector<BadCall> refused_shapes() {
  const auto width = [](int rotary_dim, std::int64_t columns) {
    return [=](OnnxArguments& a) { a.rotary_dim = rotary_dim, a.width = columns; };
  };
  const auto sines = [](std::int64_t count) { return [=](OnnxArguments& a) { a.sines = count; }; };
  const auto pairing = [](int interleaved) { return [=](OnnxArguments& a) { a.interleaved = interleaved; }; };
  constexpr const char* kPairs = "table must have the map's pairs";
  constexpr const char* kDim = "rotary_dim must be even";
  constexpr const char* kHead = "rotary_dim must be at most head_dim = 8";
  constexpr const char* kPairing = "pairing and output_pairing must be one";
  constexpr const char* kChannels = "channels";
  const auto odd_head = [](OnnxArguments& a) { a.shape[3] = 7, a.width = 3; };
  return {refused("onnx-rotary/bad/cache_too_narrow", width(0, 2), kInvalid, kPairs),
          refused("onnx-rotary/bad/cache_too_wide", width(0, 8), kInvalid, kPairs),
          refused("onnx-rotary/bad/cos_and_sin_of_different_width", sines(20), kInvalid, "sin must be as many"),
          refused("onnx-rotary/bad/cos_and_sin_of_different_length", sines(20), kInvalid, "sin must be as many"),
          refused("onnx-rotary/bad/rotary_dim_odd_5_cache_2", width(5, 2), kInvalid, kDim),
          refused("onnx-rotary/bad/rotary_dim_above_head", width(10, 5), kInvalid, kHead),
          refused("onnx-rotary/bad/rotary_dim_negative", width(-4, 4), kInvalid, kDim),
          refused("onnx-rotary/bad/rotary_dim_4_cache_full_width", width(4, 4), kInvalid, kPairs),
          refused("onnx-rotary/bad/head_dim_odd", odd_head, kInvalid, kDim),
          refused("onnx-rotary/bad/interleaved_2", pairing(2), kInvalid, kPairing),
          refused("onnx-rotary/bad/interleaved_minus_1", pairing(-1), kInvalid, kPairing),
          refused_heads("onnx-rotary/bad/3d_without_num_heads", 1, 32, kChannels),
          refused_heads("onnx-rotary/bad/3d_num_heads_not_dividing", 3, 10, kChannels),
          refused_heads("onnx-rotary/bad/3d_num_heads_2_cache_of_4", 2, 16, kChannels),
          refused_heads("onnx-rotary/bad/3d_num_heads_negative", -4, 8, "heads"),
          refused_heads("onnx-rotary/bad/3d_partial_without_num_heads", 1, 32, kChannels),
          refused("ort-contrib/bad/rope_odd_rotary_dim", width(5, 2), kInvalid, kDim),
          refused_heads("ort-contrib/bad/rope_rotary_dim_without_heads", 1, 32, kChannels),
          refused("ort-contrib/bad/rope_rotary_dim_above_head", width(16, 8), kInvalid, kHead),
          refused("ort-contrib/bad/rope_cache_too_wide", width(0, 8), kInvalid, kPairs),
          refused_heads("ort-contrib/bad/rope_hidden_not_multiple", 3, 10, kChannels),
          refused("ort-contrib/bad/rope_interleaved_2", pairing(2), kInvalid, kPairing)};
}

/// Ones turned by cos 0.5 and sin 0.25.
constexpr double kFirst = 0.25, kSecond = 0.75;

void expect_pair(const OnnxArguments& a, std::size_t i, std::size_t j) {
  const Vector y = a.with_ids();
  EXPECT_EQ(y[i], kFirst * a.value);
  EXPECT_EQ(y[j], kSecond * a.value);
}

void expect_same_with_int32() {
  const std::vector<std::int32_t> ids{0, 1, 2, 4, 5, 9};
  EXPECT_EQ(OnnxArguments().at(PositionIds{std::span<const std::int32_t>(ids), 1, true}), OnnxArguments().with_ids());
}

void expect_partial(int interleaved) {
  OnnxArguments a;
  a.rotary_dim = 6;
  a.width = 3;
  a.interleaved = interleaved;
  expect_pair(a, 0, interleaved == 1 ? 1 : 3);
  EXPECT_EQ(a.with_ids()[6], 1);
  EXPECT_EQ(a.with_ids()[7], 1);
}

void expect_propagation() {
  OnnxArguments a;
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    a.value = value;
    EXPECT_FALSE(std::isfinite(a.with_ids()[0]));
  }
}

std::vector<DefinedResult> defined() {
  const auto without_ids = [] { EXPECT_EQ(OnnxArguments().at(PositionRange{})[0], kFirst); };  // rows 0, 1, 2
  const auto no_heads = [] { EXPECT_TRUE(turned(OnnxArguments().rotary(), PositionRange{}, {2, 3, 0, 8}).empty()); };
  const auto float64 = [] { expect_pair(arguments([](OnnxArguments& a) { a.dtype = DType::kFloat64; }), 0, 4); };
  const auto two_offsets = [] {
    EXPECT_EQ(OnnxArguments().at(PositionOffsets{std::vector<std::int64_t>{0, 3}})[0], kFirst);
  };
  return {{"onnx-rotary/bad/position_ids_int32", expect_same_with_int32},
          {"onnx-rotary/bad/no_position_ids_2d_cache", without_ids},
          {"onnx-rotary/bad/rotary_dim_6_not_multiple_of_4", [] { expect_partial(0); }},
          {"onnx-rotary/bad/rotary_dim_6_interleaved", [] { expect_partial(1); }},
          {"onnx-rotary/bad/3d_num_heads_0", no_heads},
          {"onnx-rotary/bad/float64", float64},
          {"onnx-rotary/bad/nan_and_inf_in_X", expect_propagation},
          {"ort-contrib/bad/rope_two_offsets", two_offsets},
          {"ort-contrib/bad/rope_int32_positions", expect_same_with_int32}};
}

const std::vector<NoWords> kNoWords{
    {"onnx-rotary/bad/4d_num_heads_wrong", "the heads are those of the shape, said once"},
    {"onnx-rotary/bad/rank_2", "a view has four dimensions"},
    {"onnx-rotary/bad/rank_5", "a view has four dimensions"},
    {"onnx-rotary/bad/cache_float16_data_float32", "tables are float32 for every dtype of the data"}};

std::vector<BadCall> all_refused() {
  std::vector<BadCall> out = refused_positions();
  for (BadCall& call : refused_shapes()) out.push_back(std::move(call));
  return out;
}

class EngineOnnxBadInput : public ::testing::TestWithParam<BadCall> {};
TEST_P(EngineOnnxBadInput, IsRefusedByName) { expect_refused(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Records, EngineOnnxBadInput, ::testing::ValuesIn(all_refused()), record_name);

class EngineOnnxBorderline : public ::testing::TestWithParam<DefinedResult> {};
TEST_P(EngineOnnxBorderline, HasADefinedResult) { GetParam().check(); }
INSTANTIATE_TEST_SUITE_P(Records, EngineOnnxBorderline, ::testing::ValuesIn(defined()), result_name);

TEST(EngineOnnxBorderline, EveryRecordHasACounterpart) {
  for (const char* folder : {"onnx-rotary", "ort-contrib"}) expect_all_in(folder, all_refused(), defined(), kNoWords);
}

}  // namespace
}  // namespace rotary::testing
