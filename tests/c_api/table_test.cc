// Tables out of C are those of C++.
#include "c_api/flat_spec.h"
#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

struct Rows {
  std::vector<float> cosines, sines;
};

rotary_positions ids_of(const auto& ids, rotary_dtype dtype, int num_axes) {
  rotary_positions p{};
  p.struct_size = sizeof p;
  p.kind = ROTARY_POSITIONS_IDS;
  p.ids_dtype = dtype;
  p.ids = ids.data();
  p.num_ids = static_cast<int64_t>(ids.size());
  p.num_axes = num_axes;
  return p;
}

Rows rows_of(const rotary_rotation* rotation, const rotary_positions& p, std::int64_t num_tokens, int set = 0) {
  const std::size_t size = static_cast<std::size_t>(num_tokens) * map_of_handle(rotation).pairs.size();
  Rows rows{std::vector<float>(size), std::vector<float>(size)};
  EXPECT_EQ(rotary_table(rotation, &p, num_tokens, set, rows.cosines.data(), rows.sines.data()), ROTARY_OK)
      << rotary_last_error();
  return rows;
}

void expect_rows(const Rows& got, const CosSinTable& want) {
  const auto pairs = static_cast<std::size_t>(want.num_pairs());
  for (std::int64_t row = 0; row < want.num_rows(); ++row)
    for (std::size_t i = 0; i < pairs; ++i) {
      ASSERT_EQ(got.cosines[static_cast<std::size_t>(row) * pairs + i], want.cos(row)[i]) << row << " " << i;
      ASSERT_EQ(got.sines[static_cast<std::size_t>(row) * pairs + i], want.sin(row)[i]) << row << " " << i;
    }
}

class CTable : public ::testing::TestWithParam<Arithmetic> {};

TEST_P(CTable, IsThatOfCppInEveryArithmetic) {
  const RopeSpec spec = spec_of(32, 10000, yarn_of(4, 4096));
  const rotary_rotation_options options{sizeof options, static_cast<int32_t>(GetParam()), 0, 0};
  const Handle handle = handle_of(spec, &options);
  rotary_positions p{};
  p.struct_size = sizeof p;
  p.kind = ROTARY_POSITIONS_RANGE;
  expect_rows(rows_of(handle.get(), p, 300), CosSinTable::by_position(spec, 300, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Arithmetics, CTable,
                         ::testing::Values(Arithmetic::kExact, Arithmetic::kTransformersFloat32,
                                           Arithmetic::kTransformersBfloat16, Arithmetic::kGgml),
                         [](const auto& info) { return "Number" + std::to_string(static_cast<int>(info.param)); });

TEST(CTableOfAxes, TakesIdsAxisByAxis) {
  RopeSpec spec = spec_of(24, 10000);
  spec.axes = {AxisRule::kSections, 3, {4, 5, 3}, {}};
  const Handle handle = handle_of(spec);
  const std::vector<double> by_axis{1, 131071, 2.5, -3, 8191, 65537}, by_token{1, 2.5, 8191, 131071, -3, 65537};
  expect_rows(rows_of(handle.get(), ids_of(by_axis, ROTARY_FLOAT64, 3), 2),
              CosSinTable::by_token(make_rotation_map(spec), by_token));
  const std::vector<std::int32_t> one{7, 2049};
  const std::vector<std::int64_t> every{7, 7, 7, 2049, 2049, 2049};
  expect_rows(rows_of(handle.get(), ids_of(one, ROTARY_INT32, 0), 2),
              CosSinTable::by_token(make_rotation_map(spec), every));
}

TEST(CTableOfSets, ChoosesTheFrequencySet) {
  RotationMap map = map_of(4, 10000);
  map.num_sets = 2;
  map.frequency = {{1, 0}, {0.5, 0}, {0.25, 0}, {0.125, 0}};
  const std::vector<std::int64_t> ids{1, 131071};
  const rotary_positions p = ids_of(ids, ROTARY_INT64, 1);
  for (int set : {0, 1})
    expect_rows(rows_of(handle_of(map).get(), p, 2, set), CosSinTable::by_token(map, ids, Arithmetic::kExact, set));
}

}  // namespace
}  // namespace rotary::testing
