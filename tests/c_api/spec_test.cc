// Rotations made through C are those made through C++.
#include "c_api/flat_spec.h"
#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

class CSpec : public ::testing::TestWithParam<SpecCase> {};

TEST_P(CSpec, MakesTheMapOfCpp) {
  const rotary_rotation_options options{sizeof options, ROTARY_ARITHMETIC_EXACT, 0, GetParam().seq_len};
  const Handle handle = handle_of(GetParam().spec, &options);
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(map_of_handle(handle.get()), GetParam().map());
}

TEST_P(CSpec, ReadsBackWhatMakesTheSameMap) {
  const Handle handle = handle_of(GetParam().map());
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(map_of_handle(handle.get()), GetParam().map());
}

TEST_P(CSpec, SaysWhatItIs) {
  const RotationMap map = GetParam().map();
  rotary_rotation_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(rotary_rotation_get_info(handle_of(map).get(), &info), ROTARY_OK);
  EXPECT_EQ(info.fingerprint, fingerprint(map));
  EXPECT_EQ(info.rotary_dim, rotary_dim(map));
  EXPECT_EQ(info.num_axes, map.num_axes);
  EXPECT_EQ(info.attention_factor, map.attention_factor);
  EXPECT_EQ(info.layout, to_string(layout_class(map).layout));
}

INSTANTIATE_TEST_SUITE_P(Specs, CSpec, ::testing::ValuesIn(all_cases()), case_name);

TEST(CSpecInit, GivesTheDefaultsOfCpp) {
  // Llama3Scaling is the only method whose defaults make a rotation without further numbers.
  rotary_spec flat;
  ASSERT_EQ(rotary_spec_init(&flat, sizeof flat, ROTARY_SCALING_LLAMA3), ROTARY_OK);
  flat.head_dim = flat.rotary_dim = 64;
  flat.pairing = ROTARY_PAIRING_HALF;
  rotary_rotation* made = nullptr;
  ASSERT_EQ(rotary_rotation_from_spec(&flat, nullptr, &made), ROTARY_OK) << rotary_last_error();
  EXPECT_EQ(map_of_handle(Handle(made).get()), map_of(64, 10000, Llama3Scaling{}));
}

TEST(CSpecInit, LeavesNoMethodsDefaultOut) {
  for (const auto& scaling : {Scaling(yarn_of(4, 4096)), Scaling(NtkByPartsScaling{4, 2048}),
                              Scaling(NtkByPartsPaperScaling{4, 4096}), Scaling(NtkMixedScaling{4})}) {
    rotary_spec flat;
    ASSERT_EQ(rotary_spec_init(&flat, sizeof flat, static_cast<int32_t>(scaling.index())), ROTARY_OK);
    flat.head_dim = flat.rotary_dim = 64;
    flat.pairing = ROTARY_PAIRING_HALF;
    flat.factor = 4;
    flat.original_max_position = scaling.index() == ROTARY_SCALING_NTK_BY_PARTS ? 2048 : 4096;
    rotary_rotation* made = nullptr;
    ASSERT_EQ(rotary_rotation_from_spec(&flat, nullptr, &made), ROTARY_OK) << rotary_last_error();
    EXPECT_EQ(map_of_handle(Handle(made).get()), map_of(64, 10000, scaling)) << scaling_name(scaling);
  }
}

}  // namespace
}  // namespace rotary::testing
