// The laws that every rotation obeys, on every scaling kind, axis rule and layout.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <variant>

#include "core/rotation_cases.h"
#include "rotary/cos_sin_table.h"

namespace rotary::testing {
namespace {

using reference::dot;
using reference::rotate;

constexpr double kEpsilon = 0x1p-52;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// A position on every axis, all different, that grows with m.
Vector on_axes(const RotationMap& map, double m) {
  Vector out{m};
  for (int axis = 1; axis < map.num_axes; ++axis) out.push_back(std::floor(m / (1 + axis)) + axis);
  return out;
}

Vector plus(Vector x, const Vector& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  return x;
}

Vector times(Vector x, double factor) {
  for (double& value : x) value *= factor;
  return x;
}

/// The map that acts where the outputs of the case's map are.
RotationMap on_outputs(const SpecCase& c) {
  RopeSpec spec = c.spec;
  spec.pairing = spec.output_pairing;
  return make_rotation_map(spec, c.seq_len);
}

bool same_bits(double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); }

class RotationLawProperty : public ::testing::TestWithParam<SpecCase> {
 protected:
  // An angle of m * f has an error of eps m f / 2 and turns a channel of at most 1 by as much; cos, sin, two products
  // and a sum add 4 eps.
  double tolerance(double positions) const { return kEpsilon * (positions * largest_frequency(map) + 8) * factor(); }
  double factor() const { return std::max(1.0, map.attention_factor); }

  const RotationMap map = GetParam().map();
  const Vector q = random_vector(map.channels, 1), k = random_vector(map.channels, 2);
};

TEST_P(RotationLawProperty, TheNormOfAPairIsKeptTimesTheFactor) {
  for (double m : kPositions) {
    const Vector out = rotate(map, q, on_axes(map, m));
    for (const ChannelPair& p : map.pairs) {
      const double before = std::hypot(q[index(p.a)], q[index(p.b)]),
                   after = std::hypot(out[index(p.c)], out[index(p.d)]);
      EXPECT_NEAR(after, map.attention_factor * before, 8 * kEpsilon * after) << m;  // cos, sin, two products, a sum
    }
  }
}

TEST_P(RotationLawProperty, AddingAConstantToAllPositionsChangesNoScore) {
  for (double m : kPositions)
    for (double n : kPositions)
      for (double shift : {1.0, 1000.0, 65536.0}) {
        const Vector at_m = on_axes(map, m), at_n = on_axes(map, n), by(at_m.size(), shift);
        const double score = dot(rotate(map, q, at_m), rotate(map, k, at_n));
        const double moved = dot(rotate(map, q, plus(at_m, by)), rotate(map, k, plus(at_n, by)));
        // Every channel is off by at most the tolerance, and meets a channel of at most twice the factor.
        EXPECT_NEAR(score, moved, map.channels * 2 * factor() * tolerance(2 * (m + n + shift))) << m << " " << n;
      }
}

TEST_P(RotationLawProperty, AScoreIsThatOfTheDifferenceOfPositions) {
  const Vector start(index(map.num_axes), 0.0);
  for (double m : kPositions)
    for (double n : kPositions) {
      const Vector at_m = on_axes(map, m), at_n = on_axes(map, n);
      const double score = dot(rotate(map, q, at_m), rotate(map, k, at_n));
      const double apart = dot(rotate(map, q, start), rotate(map, k, plus(at_n, times(at_m, -1))));
      EXPECT_NEAR(score, apart, map.channels * 2 * factor() * tolerance(2 * (m + n))) << m << " " << n;
    }
}

TEST_P(RotationLawProperty, TwoRotationsAddUp) {
  const RotationMap next = on_outputs(GetParam());
  for (double m : kPositions)
    for (double n : kPositions) {
      const Vector at_m = on_axes(map, m), at_n = on_axes(map, n);
      Vector once = rotate(map, q, plus(at_m, at_n));
      for (const ChannelPair& p : map.pairs)
        for (int channel : {p.c, p.d}) once[index(channel)] *= next.attention_factor;
      EXPECT_LE(gap(rotate(next, rotate(map, q, at_m), at_n), once), 2 * factor() * tolerance(2 * (m + n)))
          << m << " " << n;
    }
}

TEST_P(RotationLawProperty, TheInverseUndoes) {
  for (double m : kPositions) {
    const Vector at = on_axes(map, m);
    EXPECT_LE(gap(rotate(inverse(map), rotate(map, q, at), at), q), 2 * tolerance(m)) << m;
  }
}

TEST_P(RotationLawProperty, PositionZeroIsTheIdentityBitForBitButForTheFactor) {
  const Vector zero(index(map.num_axes), 0.0), out = rotate(map, q, zero);
  const CosSinTable table = CosSinTable::by_token(map, zero);
  for (std::size_t i = 0; i < map.pairs.size(); ++i) {
    const ChannelPair& p = map.pairs[i];
    EXPECT_TRUE(same_bits(out[index(p.c)], map.attention_factor * q[index(p.a)]));
    EXPECT_TRUE(same_bits(out[index(p.d)], map.attention_factor * q[index(p.b)]));
    EXPECT_EQ(table.cos(0)[i], static_cast<float>(map.attention_factor));
    EXPECT_EQ(table.sin(0)[i], 0.0F);
  }
}

TEST_P(RotationLawProperty, ChannelsInNoPairAreCopiedBitForBit) {
  const int begin = GetParam().spec.rotary_offset, end = begin + GetParam().spec.rotary_dim;
  for (double m : kPositions) {
    const Vector out = rotate(map, q, on_axes(map, m));
    for (int channel = 0; channel < map.channels; ++channel) {
      if (channel >= begin && channel < end) continue;
      EXPECT_TRUE(same_bits(out[index(channel)], q[index(channel)])) << channel;
    }
  }
}

TEST_P(RotationLawProperty, HalfAndInterleavedAreTheSameUnderThePermutation) {
  RopeSpec half = GetParam().spec, interleaved = half;
  half.pairing = half.output_pairing = Pairing::kHalf;
  interleaved.pairing = interleaved.output_pairing = Pairing::kInterleaved;
  const RotationMap x = make_rotation_map(half, GetParam().seq_len);
  const RotationMap y = make_rotation_map(interleaved, GetParam().seq_len);
  const int parts = half.axes.rule == AxisRule::kAxialParts ? half.axes.num_axes : 1, width = half.rotary_dim / parts;
  const auto permuted = [&](const Vector& values) {
    Vector out = values;
    for (int channel = half.rotary_offset; channel < half.rotary_offset + half.rotary_dim; ++channel) {
      const int start = half.rotary_offset + (channel - half.rotary_offset) / width * width;
      out[reference::interleaved_channel(index(channel), index(start), index(width))] = values[index(channel)];
    }
    return out;
  };
  for (double m : kPositions)
    EXPECT_EQ(rotate(y, permuted(q), on_axes(y, m)), permuted(rotate(x, q, on_axes(x, m)))) << m;
}

TEST_P(RotationLawProperty, TheTableTurnsAsTheTwinDoes) {
  for (double m : kPositions) {
    const Vector at = on_axes(map, m);
    const CosSinTable table = CosSinTable::by_token(map, at);
    for (std::size_t i = 0; i < map.pairs.size(); ++i) {
      Vector unit(index(map.channels));
      unit[index(map.pairs[i].a)] = 1;  // turns to f (cos t, sin t)
      const Vector out = rotate(map, unit, at);
      const double ulp = 0x1p-23 * factor();  // the table rounds to float32 and may be one place off
      EXPECT_NEAR(table.cos(0)[i], out[index(map.pairs[i].c)], ulp + tolerance(2 * m));
      EXPECT_NEAR(table.sin(0)[i], out[index(map.pairs[i].d)], ulp + tolerance(2 * m));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, RotationLawProperty, ::testing::ValuesIn(all_cases()), case_name);

TEST(RotationCases, NameEveryScalingKindAndEveryAxisRule) {
  std::set<std::size_t> kinds;
  std::set<AxisRule> rules;
  for (const SpecCase& c : scaling_cases()) kinds.insert(c.spec.scaling.index());
  for (const SpecCase& c : axis_cases()) rules.insert(c.spec.axes.rule);
  EXPECT_EQ(kinds.size(), std::variant_size_v<Scaling>);
  EXPECT_EQ(rules.size(), static_cast<std::size_t>(AxisRule::kAxialParts) + 1);
}

TEST(RotationCases, RandomVectorsAreTheSameForTheSameSeed) {
  EXPECT_EQ(random_vector(64, 7), random_vector(64, 7));
  EXPECT_NE(random_vector(64, 7), random_vector(64, 8));
}

TEST(RotationProperty, EveryHeadHasItsOwnFrequencies) {
  const Vector frequencies{1, 0.5, 0.25, 0.125};
  const RotationMap both = map_of(4, 10000, GivenFrequencies{2, frequencies});
  for (int head : {0, 1}) {
    const auto first = frequencies.begin() + 2 * head;
    const RotationMap one = map_of(4, 10000, GivenFrequencies{1, Vector(first, first + 2)});
    for (double m : kPositions) EXPECT_EQ(rotate(both, {1, 2, 3, 4}, {m}, head), rotate(one, {1, 2, 3, 4}, {m})) << m;
  }
}

}  // namespace
}  // namespace rotary::testing
