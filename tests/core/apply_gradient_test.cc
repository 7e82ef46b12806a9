// Gradients against central differences of L = sum(grad_out * out), all in float64.
#include <gtest/gtest.h>

#include "core/apply_cases.h"

namespace rotary::testing {
namespace {

constexpr double kStep = 1e-6;

class ApplyGradientProperty : public ::testing::TestWithParam<SpecCase> {
 protected:
  RotationMap map = GetParam().map();
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

std::vector<SpecCase> gradient_cases() {
  std::vector<SpecCase> cases = layout_cases();
  for (SpecCase& c : axis_cases()) cases.push_back(std::move(c));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Maps, ApplyGradientProperty, ::testing::ValuesIn(gradient_cases()), case_name);

TEST(ApplyGradientTest, FrequenciesOfEveryHeadHaveGradientsOfTheirOwn) {
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
