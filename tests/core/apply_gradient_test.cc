// Gradients against central differences of L = sum(grad_out * out), all in float64.
#include <gtest/gtest.h>

#include "core/apply_cases.h"

namespace rotary::testing {
namespace {

constexpr double kStep = 1e-6;

struct MapCase {
  std::string name;
  RotationMap map;
  friend void PrintTo(const MapCase& c, std::ostream* out) { *out << c.name; }
};

class ApplyGradientProperty : public ::testing::TestWithParam<MapCase> {
 protected:
  RotationMap map = GetParam().map;
  const Heads x = random_heads(DType::kFloat64, {2, 4, 3, map.channels});
  const Heads g = random_heads(DType::kFloat64, {2, 4, 3, map.channels}, 2);
  Vector positions = position_list();

  Vector position_list() const {
    Vector out;
    for (int axis = 0; axis < map.num_axes; ++axis)
      for (int token = 0; token < 8; ++token) out.push_back(1.5 * token + axis);
    return out;
  }
  Positions at(const Vector& p) const { return PositionIds{std::span<const double>(p), map.num_axes, true}; }

  double loss(const RotationMap& with, const Heads& input, const Vector& p) const {
    Heads out = input;
    apply_rotary_inplace(Rotary(with), out.view(), at(p));
    double sum = 0;
    for_each_head(input, [&](auto b, auto t, auto h) { sum += reference::dot(out.head(b, t, h), g.head(b, t, h)); });
    return sum;
  }
};

// The loss is a sum of 24 heads of terms below 2 f: its third derivative times step^2, and the rounding of the sum over
// the step, stay below 1e-5 for positions and frequencies of this size.
constexpr double kTolerance = 1e-5;

TEST_P(ApplyGradientProperty, OfXIsTheDifferenceQuotient) {
  Heads back = g;
  apply_rotary_backward(Rotary(map), g.read(), back.view(), at(positions));
  for (std::size_t i = 0; i < x.memory.size(); i += 7) {
    Heads up = x, down = x;
    up.memory.set(i, x.memory[i] + kStep);
    down.memory.set(i, x.memory[i] - kStep);
    EXPECT_NEAR((loss(map, up, positions) - loss(map, down, positions)) / (2 * kStep), back.memory[i], kTolerance);
  }
}

TEST_P(ApplyGradientProperty, OfFrequenciesIsTheDifferenceQuotient) {
  Vector grad(map.frequency.size());
  frequency_gradient(Rotary(map), x.read(), g.read(), at(positions), grad);
  for (std::size_t i = 0; i < grad.size(); ++i) {
    RotationMap up = map, down = map;
    up.frequency[i].hi += kStep;
    down.frequency[i].hi -= kStep;
    EXPECT_NEAR((loss(up, x, positions) - loss(down, x, positions)) / (2 * kStep), grad[i], 1e2 * kTolerance) << i;
  }
}

TEST_P(ApplyGradientProperty, OfPositionsIsTheDifferenceQuotient) {
  Vector grad(positions.size());
  position_gradient(Rotary(map), x.read(), g.read(), at(positions), grad);
  for (std::size_t i = 0; i < grad.size(); ++i) {
    Vector up = positions, down = positions;
    up[i] += kStep;
    down[i] -= kStep;
    EXPECT_NEAR((loss(map, x, up) - loss(map, x, down)) / (2 * kStep), grad[i], 10 * kTolerance) << i;
  }
}

/// A set of frequencies of its own for each of the three heads.
RotationMap per_head(RotationMap map) {
  const std::vector<Frequency> one = map.frequency;
  map.num_sets = 3;
  for (int set = 1; set < 3; ++set)
    for (const Frequency& f : one) map.frequency.push_back({f.hi / (1 + set) + 0.125, 0});
  return map;
}

std::vector<MapCase> gradient_cases() {
  std::vector<MapCase> cases;
  for (const auto& specs : {layout_cases(), axis_cases()})
    for (const SpecCase& c : specs) cases.push_back({c.name, c.map()});
  RopeSpec partial = spec_of(16, 10000, yarn_of(4, 4096));
  partial.head_dim = 40;
  partial.rotary_offset = 20;
  partial.pairing = Pairing::kInterleaved;
  const RotationMap several = map_with({0.5, 0.25, 0.125, 1, 0.75, -0.5}, 2);
  cases.push_back({"StillPairs", map_of(16, 10000, ProportionalScaling{0.5, 1})});
  cases.push_back({"SeveralAxesPerPair", several});
  cases.push_back({"PerHead", per_head(map_of(16, 10000))});
  cases.push_back({"PerHeadPartialWithFactor", per_head(make_rotation_map(partial))});
  cases.push_back({"PerHeadSeveralAxesPerPair", per_head(several)});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Maps, ApplyGradientProperty, ::testing::ValuesIn(gradient_cases()),
                         [](const auto& info) { return info.param.name; });

/// Both gradients, one after the other.
Vector gradients(const Rotary& rotary, const Heads& x, const Heads& g, const Positions& positions) {
  const RotationMap& map = rotary.map();
  Vector out(map.frequency.size() + static_cast<std::size_t>(map.num_axes * x.shape[0] * x.shape[1]), 7);
  const std::span<double> all(out);
  frequency_gradient(rotary, x.read(), g.read(), positions, all.first(map.frequency.size()));
  position_gradient(rotary, x.read(), g.read(), positions, all.subspan(map.frequency.size()));
  return out;
}

class ApplyGradientTest : public ::testing::TestWithParam<DType> {
 protected:
  const Rotary rotary{per_head(map_of(16, 10000)), 4};
  const Heads x = random_heads(GetParam(), {1, 5, 3, 16}), g = random_heads(GetParam(), {1, 5, 3, 16}, 2);
};

TEST_P(ApplyGradientTest, PositionsOfEveryKindHaveTheGradientsOfTheIdsThatTheyStandFor) {
  const std::vector<std::int64_t> counting{3, 4, 5, 6, 7}, restarting{0, 1, 10, 11, 12}, three{3}, starts{0, 10};
  const std::vector<std::int32_t> cu{0, 2, 5};
  const auto ids = [](const auto& list) { return PositionIds{std::span<const std::int64_t>(list)}; };
  EXPECT_EQ(gradients(rotary, x, g, PositionRange{3}), gradients(rotary, x, g, ids(counting)));
  EXPECT_EQ(gradients(rotary, x, g, PositionOffsets{three}), gradients(rotary, x, g, ids(counting)));
  EXPECT_EQ(gradients(rotary, x, g, PackedSequences{cu, starts}), gradients(rotary, x, g, ids(restarting)));
  EXPECT_NE(gradients(rotary, x, g, ids(restarting)), gradients(rotary, x, g, ids(counting)));
}

TEST_P(ApplyGradientTest, StridesDoNotMatter) {
  Heads apart{Elements(GetParam(), 1000), 1, x.shape, {0, 33, 200, 2}};
  for (std::size_t i = 0; i < apart.memory.size(); ++i) apart.memory.set(i, 9);
  for_each_head(x, [&](auto b, auto t, auto h) {
    for (std::int64_t c = 0; c < 16; ++c) apart.memory.set(apart.at(b, t, h, c), x.memory[x.at(b, t, h, c)]);
  });
  EXPECT_EQ(gradients(rotary, apart, g, PositionRange{2}), gradients(rotary, x, g, PositionRange{2}));
  EXPECT_EQ(gradients(rotary, g, apart, PositionRange{2}), gradients(rotary, g, x, PositionRange{2}));
}

TEST_P(ApplyGradientTest, SequencesAddUp) {
  const Heads both = random_heads(GetParam(), {2, 5, 3, 16}, 3), grad = random_heads(GetParam(), both.shape, 4);
  const auto of_sequence = [&](Heads heads, std::int64_t b) {
    heads.start = b * heads.strides[0];
    heads.shape[0] = 1;
    return heads;
  };
  const Vector whole = gradients(rotary, both, grad, PositionRange{3});
  const Vector first = gradients(rotary, of_sequence(both, 0), of_sequence(grad, 0), PositionRange{3});
  const Vector second = gradients(rotary, of_sequence(both, 1), of_sequence(grad, 1), PositionRange{3});
  for (std::size_t i = 0; i < 24; ++i)
    EXPECT_NEAR(whole[i], first[i] + second[i], 10 * 10 * 14 * 0x1p-53) << i;  // ten terms below 7 * 2, added in turn
  for (std::size_t t = 0; t < 5; ++t) {
    EXPECT_EQ(whole[24 + t], first[24 + t]);
    EXPECT_EQ(whole[29 + t], second[24 + t]);
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, ApplyGradientTest, ::testing::ValuesIn(kDTypes),
                         [](const auto& info) { return dtype_label(info.param); });

TEST(ApplyGradientOfSets, FrequenciesOfEveryHeadHaveGradientsOfTheirOwn) {
  RotationMap map = map_of(8, 100), shared = map;
  map.num_sets = 3;
  for (int copy = 0; copy < 2; ++copy)
    for (int i = 0; i < 4; ++i) map.frequency.push_back(shared.frequency[static_cast<std::size_t>(i)]);
  const Heads x = random_heads(DType::kFloat32, {2, 5, 3, 8}), g = random_heads(DType::kFloat32, {2, 5, 3, 8}, 2);
  Vector each(12), all(4);
  frequency_gradient(Rotary(map), x.read(), g.read(), PositionRange{3}, each);
  frequency_gradient(Rotary(shared), x.read(), g.read(), PositionRange{3}, all);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(each[i] + each[4 + i] + each[8 + i], all[i], 1e-12 * 100);
}

}  // namespace
}  // namespace rotary::testing
