// Bad input of the rotary classes of mlx, torchtune, timm, diffusers, keras-hub, x-transformers and
// rotary-embedding-torch, and its counterparts (golden/engines).
#include <limits>

#include "core/engine_bad_calls.h"

namespace rotary::testing {
namespace {

const char* const kFolders[] = {
    "mlx", "torchtune", "timm", "diffusers", "keras-hub", "x-transformers", "rotary-embedding-torch"};

Rotary rotation(int head_dim = 8, int rotary_dim = 8, const std::function<void(RopeSpec&)>& change = {}) {
  RopeSpec spec = spec_of(8, 10000);
  spec.head_dim = head_dim;
  spec.rotary_dim = rotary_dim;
  if (change) change(spec);
  return Rotary(spec);
}

BadCall refused_width(const char* record, int head_dim, int rotary_dim, const char* substring) {
  return {record, [=] { rotation(head_dim, rotary_dim); }, kInvalid, substring};
}

BadCall refused_base(const char* record, double base) {
  return {record, [=] { rotation(8, 8, [=](RopeSpec& s) { s.base = base; }); }, kInvalid,
          "base must be finite and above 1"};
}

BadCall refused_scaling(const char* record, const Scaling& scaling, const char* substring, int dim = 8) {
  return {record, [=] { rotation(dim, dim, [=](RopeSpec& s) { s.scaling = scaling; }); }, kInvalid, substring};
}

/// [2 sequences][3 tokens][1 head][8].
BadCall refused_ids(const char* record, Vector ids, const char* substring) {
  const auto call = [=] { turned(rotation(), PositionIds{std::span<const double>(ids)}, {2, 3, 1, 8}); };
  return {record, call, kInvalid, substring};
}

BadCall refused_offsets(const char* record, std::vector<std::int64_t> offsets) {
  const auto call = [=] { turned(rotation(), PositionOffsets{offsets}, {2, 3, 1, 8}); };
  return {record, call, kInvalid, "positions.offsets must be one per sequence, 2"};
}

/// A table of so many positions is a limit here: what lies beyond is computed where none is set.
BadCall refused_beyond(const char* record, std::int64_t limit, Vector ids, const char* substring) {
  const auto call = [=] {
    Heads x = zero_heads(DType::kFloat32, {1, 3, 1, 8});
    ApplyOptions options;
    options.limit = limit;
    apply_rotary_inplace(rotation(), x.view(), PositionIds{std::span<const double>(ids)}, options);
  };
  return {record, call, kRange, substring};
}

BadCall refused_axes(const char* record, int dim, int axes) {
  const auto call = [=] { rotation(dim, dim, [=](RopeSpec& s) { s.axes = {AxisRule::kAxialBlocks, axes, {}, {}}; }); };
  return {record, call, kInvalid, "rotary_dim / 2 must divide by the number of axes"};
}

BadCall refused_dtype(const char* record) {
  const auto call = [] {
    std::vector<std::int32_t> x(24, 1);
    apply_rotary_inplace(rotation(), bshd<void>(x.data(), static_cast<DType>(4), 1, 3, 1, 8), PositionRange{});
  };
  return {record, call, kInvalid, "x.dtype"};
}

YarnScaling yarn_by(double factor) { return yarn_of(factor, 4096); }

GivenFrequencies divisors(const Vector& values) {
  GivenFrequencies given;
  for (double v : values) given.frequencies.push_back(1 / v);
  return given;
}

std::vector<BadCall> mlx_calls() {
  return {refused_width("mlx/bad/dims_odd", 8, 7, "rotary_dim must be even and at least 2, got 7"),
          refused_width("mlx/bad/dims_above_head", 8, 10, "rotary_dim must be at most head_dim = 8, got 10"),
          refused_width("mlx/bad/dims_zero", 8, 0, "rotary_dim must be even and at least 2, got 0"),
          refused_width("mlx/bad/dims_negative", 8, -2, "rotary_dim must be even and at least 2, got -2"),
          refused_scaling("mlx/bad/freqs_wrong_length", divisors({1, 1, 1}), "given frequencies must be"),
          refused_scaling("mlx/bad/freqs_zero", divisors({0, 0, 0, 0}), "every given frequency must be in -2^100"),
          refused_offsets("mlx/bad/offset_vector_wrong_length", {0, 1, 2}),
          refused_offsets("mlx/bad/offset_2d", {0, 0, 0, 0, 0, 0}),
          refused_base("mlx/bad/base_negative", -1e4),
          refused_base("mlx/bad/base_zero", 0),
          refused_dtype("mlx/bad/integer_input")};
}

std::vector<BadCall> package_calls() {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();  // float16 of 70000
  const auto narrow_table = [] {
    const std::vector<float> values(32, 1);
    Rotary(make_rotation_map(spec_of(32, 10000)), CosSinTable::from_values(values, values, 8));
  };
  const auto other_head = [] { turned(rotation(4, 4), PositionRange{}, {1, 3, 1, 8}); };
  return {refused_beyond("torchtune/bad/position_beyond_table", 4, {0, 1, 4}, "positions.ids[2]"),
          refused_beyond("torchtune/bad/position_negative", 4, {0, 1, -1}, "positions.ids[2]"),
          refused_beyond("torchtune/bad/sequence_beyond_table", 2, {0, 1, 2}, "limit = 2, got 2"),
          refused_width("torchtune/bad/dim_odd", 7, 7, "rotary_dim must be even"),
          {"torchtune/bad/dim_differs_from_head", other_head, kInvalid, "channels, 4, got 8"},
          refused_axes("timm/bad/dim_not_multiple_of_4", 18, 2),
          refused_axes("timm/bad/dim_2", 2, 2),
          refused_axes("timm/bad/dinov3_dim_18", 18, 2),
          refused_axes("timm/bad/3d_grid", 16, 3),
          refused_ids("timm/bad/token_count_differs", {0, 1, 2, 3}, "positions.ids must be"),
          refused_width("diffusers/bad/dim_odd", 15, 15, "rotary_dim must be even"),
          refused_base("diffusers/bad/theta_zero", 0),
          refused_base("diffusers/bad/theta_negative", -1),
          refused_scaling("diffusers/bad/linear_factor_zero", LinearScaling{0}, "factor"),
          {"diffusers/bad/table_narrower_than_head", narrow_table, kInvalid, "table must have the map's pairs, 16"},
          refused_ids("diffusers/bad/positions_float16_like_70000", {0, kInfinite, 1}, "positions.ids[1]"),
          refused_width("keras-hub/bad/dim_odd", 7, 7, "rotary_dim must be even"),
          refused_scaling("keras-hub/bad/factor_zero", LinearScaling{0}, "factor must be finite and at least 1"),
          refused_scaling("keras-hub/bad/factor_negative_yarn", yarn_by(-4), "factor must be finite and at least 1"),
          refused_scaling("keras-hub/bad/factor_below_1_yarn", yarn_by(0.5), "factor must be finite and at least 1"),
          refused_ids("keras-hub/bad/positions_wrong_length", {0, 1, 2, 3}, "positions.ids must be"),
          refused_width("x-transformers/bad/dim_odd", 16, 15, "rotary_dim must be even"),
          refused_width("x-transformers/bad/dim_above_head", 16, 32, "rotary_dim must be at most head_dim = 16"),
          refused_width("rotary-embedding-torch/bad/dim_odd", 16, 15, "rotary_dim must be even"),
          refused_width("rotary-embedding-torch/bad/dim_above_head", 16, 32, "rotary_dim must be at most head_dim"),
          refused_scaling("rotary-embedding-torch/bad/dim_2_ntk", NtkScaling{4}, "rotary width above 2", 2),
          refused_scaling("rotary-embedding-torch/bad/interpolate_below_1", LinearScaling{0.5}, "factor"),
          refused_base("rotary-embedding-torch/bad/theta_zero", 0),
          refused_base("rotary-embedding-torch/bad/theta_negative", -10000),
          refused_dtype("rotary-embedding-torch/bad/integer_input")};
}

std::vector<BadCall> all_refused() {
  std::vector<BadCall> out = mlx_calls();
  for (BadCall& call : package_calls()) out.push_back(std::move(call));
  return out;
}

/// Ones at a position are turned by its own angle: cos - sin, cos + sin.
void expect_at(double position) {
  const Vector ids{position}, y = turned(rotation(), PositionIds{std::span<const double>(ids)}, {1, 1, 1, 8});
  const auto angle = static_cast<long double>(position);
  EXPECT_NEAR(y[0], static_cast<double>(std::cos(angle) - std::sin(angle)), 4 * 0x1p-24);  // a table, a product, a sum
  EXPECT_NEAR(y[4], static_cast<double>(std::cos(angle) + std::sin(angle)), 4 * 0x1p-24);
}

void expect_nothing() { EXPECT_TRUE(turned(rotation(), PositionRange{}, {2, 0, 1, 8}).empty()); }

void expect_given_frequencies_alone() {
  const auto with_base = [](double base) {
    return rotation(8, 8, [=](RopeSpec& s) { s.base = base, s.scaling = divisors({1, 2, 3, 4}); });
  };
  EXPECT_EQ(with_base(10000).map().frequency, with_base(500000).map().frequency);
}

void expect_nan() {
  for (double y : turned(rotation(), PositionRange{5}, {1, 1, 1, 8}, std::numeric_limits<double>::quiet_NaN()))
    EXPECT_TRUE(std::isnan(y));
}

/// Without a blended band: kept above, divided below.
void expect_no_band() {
  const Llama3Scaling scaling{8, 4, 4, 8192};
  const auto scaled = make_rotation_map(spec_of(64, 10000, scaling)), plain = make_rotation_map(spec_of(64, 10000));
  for (std::size_t i = 0; i < 32; ++i) {
    const double ratio = plain.frequency[i].hi / scaled.frequency[i].hi;
    EXPECT_TRUE(ratio == 1 || ratio == 8) << ratio;
  }
}

std::vector<DefinedResult> defined() {
  return {{"mlx/bad/base_and_freqs", expect_given_frequencies_alone},
          {"mlx/bad/offset_float", [] { expect_at(0.5); }},
          {"mlx/bad/offset_float_array", [] { expect_at(1.5); }},
          {"mlx/bad/offset_above_int32", [] { expect_at(0x1p40); }},  // mlx turns by 0
          {"mlx/bad/empty_sequence", expect_nothing},
          {"mlx/bad/nan_input", expect_nan},
          {"torchtune/bad/llama3_low_equals_high", expect_no_band},
          {"timm/bad/empty_grid", expect_nothing},
          {"x-transformers/bad/empty_positions", expect_nothing},
          {"rotary-embedding-torch/bad/negative_offset_after_a_cached_call", [] { expect_at(-1); }},
          {"rotary-embedding-torch/bad/offset_negative", [] { expect_at(-5); }},  // the engine does not turn at all
          {"rotary-embedding-torch/bad/beyond_cache", [] { expect_at(9000); }},
          {"rotary-embedding-torch/bad/empty", expect_nothing}};
}

const std::vector<NoWords> kNoWords{
    {"mlx/bad/neither_base_nor_freqs", "a spec has a base, 10000 unless another is said"},
    {"mlx/bad/freqs_2d", "frequencies are one list"},
    {"mlx/bad/rank_2", "a view has four dimensions"},
    {"keras-hub/bad/unknown_type", "a method is a type of the variant; names are read with configurations"},
    {"rotary-embedding-torch/bad/queries_longer_than_keys", "queries and keys have positions of their own"}};

class EngineBadInput : public ::testing::TestWithParam<BadCall> {};
TEST_P(EngineBadInput, IsRefusedByName) { expect_refused(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Records, EngineBadInput, ::testing::ValuesIn(all_refused()), record_name);

class EngineBorderline : public ::testing::TestWithParam<DefinedResult> {};
TEST_P(EngineBorderline, HasADefinedResult) { GetParam().check(); }
INSTANTIATE_TEST_SUITE_P(Records, EngineBorderline, ::testing::ValuesIn(defined()), result_name);

TEST(EngineBorderline, EveryRecordHasACounterpart) {
  for (const char* folder : kFolders) expect_all_in(folder, all_refused(), defined(), kNoWords);
}

}  // namespace
}  // namespace rotary::testing
