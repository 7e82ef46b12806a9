// compare() of two layers sees everything that LayerRotation holds.
#include <gtest/gtest.h>

#include <functional>

#include "core/rotation_cases.h"
#include "rotary/layer_rotation.h"

namespace rotary::testing {
namespace {

LayerRotation usual() {
  LayerRotation layer;
  layer.query = map_of(64, 500000);
  layer.axes = {{}};
  return layer;
}

struct LayerCase {
  const char* name;
  std::function<void(LayerRotation&)> change;
  const char* cause;  // "": the same

  friend void PrintTo(const LayerCase& c, std::ostream* out) { *out << c.name; }
};

const LayerCase kCases[] = {
    {"Same", [](LayerRotation&) {}, ""},
    {"NoRotation", [](LayerRotation& l) { l.rotates = false; }, "rotation present in one only"},
    {"NotARotation",
     [](LayerRotation& l) {
       l.not_a_rotation = "shear";
       l.query = {};
     },
     "rotation present in one only"},
    {"Query", [](LayerRotation& l) { l.query = map_of(64, 10000); }, "base"},
    {"Key", [](LayerRotation& l) { l.key = map_of(64, 10000); }, "base of the keys"},
    {"TheSameKey", [](LayerRotation& l) { l.key = l.query; }, ""},
    {"Xpos", [](LayerRotation& l) { l.xpos = Xpos{}; }, "xPos"},
    {"AxisOffset", [](LayerRotation& l) { l.axes[0].offset = 0.5; }, "positions of the axes"},
    {"AxisMultiplier", [](LayerRotation& l) { l.axes[0].multiplier = 2; }, "positions of the axes"},
    {"AxisName", [](LayerRotation& l) { l.axes[0].name = "time"; }, ""},
    {"Heads", [](LayerRotation& l) { l.heads = {0}; }, "heads that rotate"},
    {"Keys", [](LayerRotation& l) { l.rotates_keys = false; }, "keys rotated in one only"},
    {"Values", [](LayerRotation& l) { l.rotates_values = true; }, "values rotated in one only"},
    {"Output", [](LayerRotation& l) { l.rotates_output_back = true; }, "output rotated back in one only"},
    {"HiddenStates", [](LayerRotation& l) { l.before_projection = true; }, "before the projections in one only"},
    {"QueryScale", [](LayerRotation& l) { l.query_scale = 0.5; }, "query scale"},
    {"Temperature",
     [](LayerRotation& l) {
       l.query_scale_rule = {QueryScaleRule::Kind::kLogN, 0, 2048, 0};
     },
     "temperature"},
    {"Softmax", [](LayerRotation& l) { l.softmax_factor = 2; }, "softmax factor"},
    {"Several",
     [](LayerRotation& l) {
       l.query = map_of(64, 10000);
       l.heads = {0};
       l.softmax_factor = 2;
     },
     "base, heads that rotate, softmax factor"},
};

class LayerCompare : public ::testing::TestWithParam<LayerCase> {};

TEST_P(LayerCompare, NamesTheCauseEitherWay) {
  LayerRotation other = usual();
  GetParam().change(other);
  for (const MapDifference& d : {compare(usual(), other), compare(other, usual())}) {
    EXPECT_EQ(d.cause, GetParam().cause);
    EXPECT_EQ(d.same, d.cause.empty());
  }
  EXPECT_TRUE(compare(other, other).same);
}

INSTANTIATE_TEST_SUITE_P(Fields, LayerCompare, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(LayerCompare, OfTwoThatDoNotRotateOnlyTheMultipliersCount) {
  LayerRotation still = usual(), other = usual();
  still.rotates = other.rotates = false;
  other.query = map_of(64, 10000);
  other.heads = {0};
  EXPECT_TRUE(compare(still, other).same);
  other.query_scale = 0.5;
  EXPECT_EQ(compare(still, other).cause, "query scale");
}

TEST(LayerCompare, TwoOperationsThatAreNoRotationsDifferByTheirReason) {
  LayerRotation shear, learned;
  shear.not_a_rotation = "shear";
  learned.not_a_rotation = "learned";
  EXPECT_TRUE(compare(shear, shear).same);
  EXPECT_EQ(compare(shear, learned).cause, "another operation");
}

}  // namespace
}  // namespace rotary::testing
