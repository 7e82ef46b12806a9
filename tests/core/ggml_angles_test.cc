#include "core/ggml_angles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "core/double_double.h"
#include "core/golden.h"
#include "rotary/cos_sin_table.h"

namespace rotary {
namespace {

using rotary::testing::Agreement;
using rotary::testing::open_golden;
using rotary::testing::read_golden;

RopeSpec spec_of(int dim, double base, Scaling scaling = {}, AxisLayout axes = {}) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = dim;
  spec.pairing = spec.output_pairing = Pairing::kInterleaved;
  spec.base = base;
  spec.scaling = std::move(scaling);
  spec.axes = std::move(axes);
  return spec;
}

void report(const std::string& what, const Agreement& a) {
  std::cout << what << ": " << a.equal << " of " << a.total << " values bit-equal (" << 100 * a.share() << " %)\n";
}

TEST(GgmlAnglesGolden, TablesAreThoseOfGgmlBitForBit) {
  const auto positions32 = read_golden<std::int32_t>("ggml/table_positions.i32");
  const std::vector<std::int64_t> positions(positions32.begin(), positions32.end());
  const auto cos = read_golden<float>("ggml/table_cos.f32"), sin = read_golden<float>("ggml/table_sin.f32");
  std::ifstream cases = open_golden("ggml/table_cases.txt");
  Agreement agreement;
  std::size_t next = 0;
  double base = 0;
  for (int dim = 0; cases >> dim >> base;) {
    const auto table = CosSinTable::by_token(spec_of(dim, base), positions, Arithmetic::kGgml);
    for (std::int64_t row = 0; row < table.num_rows(); ++row)
      for (std::size_t i = 0; i < table.cos(row).size(); ++i, ++next) {
        agreement.add(table.cos(row)[i], cos.at(next));
        agreement.add(table.sin(row)[i], sin.at(next));
      }
  }
  report("ggml tables", agreement);
  EXPECT_EQ(next, cos.size());
  EXPECT_EQ(agreement.equal, agreement.total);
}

// x and y: [token][2 heads][64]. Compares y with the rotation of x by the table's rows, in ggml's fused arithmetic.
struct Rotation {
  const float* x;
  const float* y;
  bool half;            // pairs (i, i + 32), else (2i, 2i + 1)
  Agreement agreement;  // over all calls

  void compare(const CosSinTable& table, std::int64_t token) {
    for (std::size_t head = 0; head < 2; ++head)
      for (std::size_t i = 0; i < 32; ++i) {
        const std::size_t row = (static_cast<std::size_t>(token) * 2 + head) * 64;
        const std::size_t a = row + (half ? i : 2 * i), b = row + (half ? i + 32 : 2 * i + 1);
        const float c = table.cos(token)[i], s = table.sin(token)[i];
        agreement.add(detail::fma_float(x[a], c, -(x[b] * s)), y[a]);
        agreement.add(detail::fma_float(x[a], s, x[b] * c), y[b]);
      }
  }
};

std::vector<Scaling> ext_scalings() {
  const auto yarn = [](double factor, double original, std::optional<double> attention = {}) {
    YarnScaling s;
    s.factor = factor;
    s.original_max_position = original;
    s.attention_factor = attention;
    return s;
  };
  YarnScaling beta = yarn(8, 8192, 0.9 * (1 + 0.1 * std::log(8.0)));
  beta.beta_fast = 64;
  beta.beta_slow = 2;
  const auto factors = read_golden<float>("ggml/ext_longrope_factors.f32");
  LongRopeScaling longrope;
  longrope.long_factor.assign(factors.begin(), factors.end());
  longrope.short_factor.assign(32, 1.0);
  longrope.original_max_position = 4096;
  longrope.attention_factor = 1.1902381;
  return {LinearScaling{3},
          yarn(4, 4096),
          yarn(16, 32768),
          yarn(32, 4096),
          yarn(40, 4096, 1.0),
          beta,
          Llama3Scaling{8, 1, 4, 8192},
          Llama3Scaling{32, 1, 4, 8192},
          longrope,
          ProportionalScaling{0.25, 1}};
}

TEST(GgmlAnglesGolden, ScaledRotationsAreThoseOfGgmlBitForBit) {
  const auto positions32 = read_golden<std::int32_t>("ggml/ext_positions.i32");
  const std::vector<std::int64_t> positions(positions32.begin(), positions32.end());
  const auto x = read_golden<float>("ggml/ext_x.f32"), y = read_golden<float>("ggml/ext_y.f32");
  const std::vector<double> bases{1e4, 1e4, 1e6, 150000, 1e4, 1e4, 5e5, 5e5, 1e4, 1e4};
  const auto scalings = ext_scalings();
  Rotation rotation{x.data(), nullptr, false, {}};
  for (std::size_t n = 0; n < scalings.size(); ++n) {
    const auto table = CosSinTable::by_token(spec_of(64, bases[n], scalings[n]), positions, Arithmetic::kGgml, 100000);
    rotation.y = y.data() + n * x.size();
    for (std::int64_t token = 0; token < table.num_rows(); ++token) rotation.compare(table, token);
  }
  report("ggml scaled rotations", rotation.agreement);
  EXPECT_EQ(static_cast<std::size_t>(rotation.agreement.total), y.size());
  EXPECT_EQ(rotation.agreement.equal, rotation.agreement.total);
}

struct Axes {
  AxisLayout layout;
  double base;
  Scaling scaling;
};

std::vector<Axes> multi_cases() {
  YarnScaling yarn;
  yarn.factor = 4;
  yarn.original_max_position = 32768;
  return {{{AxisRule::kSections, 3, {8, 12, 12}, {}}, 1e4, {}},
          {{AxisRule::kSections, 3, {8, 12, 12}, {}}, 1e6, yarn},
          {{AxisRule::kInterleavedSections, 3, {11, 11, 10}, {}}, 1e6, yarn},
          {{AxisRule::kInterleavedSections, 3, {12, 10, 10}, {}}, 5e6, {}},  // D2: a tail on the fourth id
          {{AxisRule::kAxialBlocks, 2, {}, {}}, 1e4, {}}};
}

TEST(GgmlAnglesGolden, RotationsOfSeveralAxesAreThoseOfGgmlBitForBitForTheFourthIdOfText) {
  const std::vector<Axes> cases = multi_cases();
  const auto ids = read_golden<std::int32_t>("ggml/multi_positions.i32");  // [4][7]
  const auto x = read_golden<float>("ggml/multi_x.f32"), y = read_golden<float>("ggml/multi_y.f32");
  const std::size_t tokens = 7, size = tokens * 2 * 64;
  Agreement total;
  for (std::size_t n = 0; n < cases.size(); ++n) {
    std::vector<std::int64_t> positions;
    for (std::size_t t = 0; t < tokens; ++t)
      for (int axis = 0; axis < cases[n].layout.num_axes; ++axis)
        positions.push_back(ids[static_cast<std::size_t>(axis) * tokens + t]);
    const auto table = CosSinTable::by_token(spec_of(64, cases[n].base, cases[n].scaling, cases[n].layout), positions,
                                             Arithmetic::kGgml);
    Rotation rotation{x.data() + n * size, y.data() + n * size, true, total};
    for (std::size_t t = 0; t < tokens; ++t)
      if (ids[3 * tokens + t] == 0) rotation.compare(table, static_cast<std::int64_t>(t));
    total = rotation.agreement;
  }
  report("ggml rotations of several axes", total);
  EXPECT_EQ(total.total, 5 * 3 * 128);  // three of the tokens have fourth id 0
  EXPECT_EQ(total.equal, total.total);
}

TEST(GgmlAngles, FrequenciesAreTheAnglesAtPositionOne) {
  const RopeSpec spec = spec_of(64, 10000, Llama3Scaling{});
  const auto frequencies = detail::ggml_frequencies(spec, 0);
  std::vector<float> angles(32);
  const double one = 1;
  detail::GgmlAngles(spec, 0).angles(&one, angles);
  EXPECT_EQ(frequencies, angles);
}

TEST(GgmlAngles, ANegatedSpecTurnsTheOtherWay) {
  RopeSpec spec = spec_of(64, 10000);
  const auto forward = CosSinTable::by_position(spec, 10, Arithmetic::kGgml);
  spec.negate_angle = true;
  const auto back = CosSinTable::by_position(spec, 10, Arithmetic::kGgml);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(forward.cos(9)[i], back.cos(9)[i]);
    EXPECT_EQ(forward.sin(9)[i], -back.sin(9)[i]);
  }
}

TEST(GgmlAngles, BothKindsOfTableHaveTheSameBits) {
  const auto by_position = CosSinTable::by_position(spec_of(64, 10000), 10, Arithmetic::kGgml).grown(3000);
  const auto by_token = CosSinTable::by_token(spec_of(64, 10000), std::vector<std::int64_t>{2999}, Arithmetic::kGgml);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(by_position.cos(2999)[i], by_token.cos(0)[i]);
}

std::string refusal(const RopeSpec& spec) {
  try {
    detail::GgmlAngles(spec, 0);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(GgmlAngles, WhatGgmlLacksIsRefusedByName) {
  EXPECT_NE(
      refusal(spec_of(64, 10000, DynamicNtkScaling{2, 4096})).find("scaling must be one that ggml has, got dynamic"),
      std::string::npos);
  EXPECT_NE(refusal(spec_of(64, 10000, {}, {AxisRule::kAxialParts, 2, {}, {}})).find("axis rule"), std::string::npos);
  YarnScaling yarn;
  yarn.original_max_position = 4096;
  EXPECT_NE(refusal(spec_of(64, 10000, yarn, {AxisRule::kAxialBlocks, 2, {}, {}})).find("yarn"), std::string::npos);
  RopeSpec spec = spec_of(64, 10000);
  spec.frequency_dim = 128;
  EXPECT_NE(refusal(spec).find("frequency_dim"), std::string::npos);
  spec.frequency_dim = 0;
  spec.angle_multiplier = 2;
  EXPECT_NE(refusal(spec).find("angle_multiplier"), std::string::npos);
}

}  // namespace
}  // namespace rotary
