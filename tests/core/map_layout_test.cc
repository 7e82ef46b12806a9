// The layout classes that kernels recognise.
#include <gtest/gtest.h>

#include <functional>

#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

struct LayoutCase {
  const char* name;
  std::function<void(RopeSpec&)> change;  // of a spec of 40 channels, 16 of them rotary from channel 20, half pairing
  LayoutClass want;

  friend void PrintTo(const LayoutCase& c, std::ostream* out) { *out << c.name; }
};

void interleaved(RopeSpec& s) { s.pairing = s.output_pairing = Pairing::kInterleaved; }
void sections(RopeSpec& s) { s.axes = {AxisRule::kSections, 3, {4, 2, 2}, {}}; }

const LayoutCase kCases[] = {
    {"Half", [](RopeSpec&) {}, {Layout::kHalf, 20, 16}},
    {"WholeHead", [](RopeSpec& s) { s.head_dim = 16, s.rotary_offset = 0; }, {Layout::kHalf, 0, 16}},
    {"Interleaved", interleaved, {Layout::kInterleaved, 20, 16}},
    {"InterleavedToHalf", [](RopeSpec& s) { s.pairing = Pairing::kInterleaved; }, {Layout::kInterleavedToHalf, 20, 16}},
    {"HalfToInterleaved", [](RopeSpec& s) { s.output_pairing = Pairing::kInterleaved; }, {Layout::kGeneral, 20, 16}},
    {"OnePair", [](RopeSpec& s) { s.rotary_dim = 2; }, {Layout::kHalf, 20, 2}},
    {"Negated", [](RopeSpec& s) { s.negate_angle = true; }, {Layout::kHalf, 20, 16}},
    {"StillPairsKeepTheirPlace",
     [](RopeSpec& s) {
       s.scaling = ProportionalScaling{0.5, 1};
     },
     {Layout::kHalf, 20, 16}},
    {"Sections", sections, {Layout::kSections, 20, 16}},
    {"InterleavedSections",
     [](RopeSpec& s) {
       s.axes = {AxisRule::kInterleavedSections, 3, {4, 2, 2}, {}};
     },
     {Layout::kSections, 20, 16}},
    {"SectionsOfInterleavedPairs", [](RopeSpec& s) { sections(s), interleaved(s); }, {Layout::kGeneral, 20, 16}},
    {"AllPairsOnTheFirstOfThreeAxes",
     [](RopeSpec& s) {
       s.axes = {AxisRule::kSections, 3, {8}, {}};
     },
     {Layout::kHalf, 20, 16}},
    {"AxialParts",
     [](RopeSpec& s) {
       s.axes = {AxisRule::kAxialParts, 2, {}, {}};
     },
     {Layout::kGeneral, 20, 16}},
};

class MapLayout : public ::testing::TestWithParam<LayoutCase> {};

TEST_P(MapLayout, IsRecognised) {
  RopeSpec spec = spec_of(16, 10000);
  spec.head_dim = 40;
  spec.rotary_offset = 20;
  GetParam().change(spec);
  const LayoutClass got = layout_class(make_rotation_map(spec));
  EXPECT_EQ(to_string(got.layout), to_string(GetParam().want.layout));
  EXPECT_EQ(got.offset, GetParam().want.offset);
  EXPECT_EQ(got.rotary_dim, GetParam().want.rotary_dim);
}

INSTANTIATE_TEST_SUITE_P(Specs, MapLayout, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

RotationMap passing(std::vector<int> pass_to) {
  RotationMap map;
  map.channels = static_cast<int>(pass_to.size());
  map.pass_to = std::move(pass_to);
  return map;
}

TEST(MapLayout, NoPairsAtAllIsTheIdentityOrAPermutation) {
  EXPECT_EQ(layout_class(passing({0, 1, 2})), (LayoutClass{Layout::kIdentity, 0, 0}));
  EXPECT_EQ(layout_class(passing({0, 2, 1})), (LayoutClass{Layout::kGeneral, 0, 0}));
}

TEST(MapLayout, APairTurnedBySeveralAxesIsGeneral) {
  EXPECT_EQ(layout_class(map_with({1, 0, 0, 1}, 2)).layout, Layout::kSections);
  EXPECT_EQ(layout_class(map_with({1, 1, 0, 1}, 2)).layout, Layout::kGeneral);
}

TEST(MapLayout, PairsWithMovedNeighboursAreGeneral) {
  RotationMap map = map_of(4, 10000);
  map.channels = 6;
  map.pass_to.insert(map.pass_to.end(), {5, 4});
  EXPECT_EQ(layout_class(map).layout, Layout::kGeneral);
}

TEST(MapLayout, OnlyPairsThatTurnCountInTheRotaryWidth) {
  EXPECT_EQ(rotary_dim(map_of(32, 10000)), 32);
  EXPECT_EQ(rotary_dim(map_of(32, 10000, ProportionalScaling{0.4, 1})), 12);  // 6 of 16 pairs
  EXPECT_EQ(rotary_dim(map_of(4, 10000, GivenFrequencies{2, {1, 0, 0, 0}})), 2);
  EXPECT_EQ(rotary_dim(map_of(4, 10000, GivenFrequencies{2, {0, 1, 1, 0}})), 4);  // each head turns another pair
}

TEST(MapLayout, TheAxisOfAPairIsNamedOrSaidToBeNoneOrSeveral) {
  const RotationMap map = map_with({0, 0, 0, 1, 2, 0, 3, 4}, 2);
  EXPECT_EQ(axis_of(map, 0), -1);
  EXPECT_EQ(axis_of(map, 1), 1);
  EXPECT_EQ(axis_of(map, 2), 0);
  EXPECT_EQ(axis_of(map, 3), -2);
}

}  // namespace
}  // namespace rotary::testing
