// inverse, slice and compose against the twin.
#include <gtest/gtest.h>

#include "core/bad_calls.h"
#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

using reference::rotate;

constexpr double kEpsilon = 0x1p-52;

Vector everywhere(const RotationMap& map, double m) { return Vector(static_cast<std::size_t>(map.num_axes), m); }

/// Two rotations of a vector of channels below 1 in size: each angle is off by eps m f / 2, each step by 4 eps.
double tolerance(const RotationMap& map, double m) {
  const double factor = std::max(1.0, map.attention_factor);
  return kEpsilon * (4 * m * largest_frequency(map) + 16) * factor * factor;
}

/// half -> half, with the two outputs of every pair exchanged: no spec makes it, but a map may say it.
RotationMap crossed(int dim) {
  RotationMap map = map_of(dim, 10000);
  for (ChannelPair& p : map.pairs) std::swap(p.c, p.d);
  return map;
}

/// Passes everything, shifted by one channel.
RotationMap shifted(int channels) {
  RotationMap map;
  map.channels = channels;
  for (int i = 0; i < channels; ++i) map.pass_to.push_back((i + 1) % channels);
  return map;
}

class MapAlgebraProperty : public ::testing::TestWithParam<SpecCase> {
 protected:
  const RotationMap map = GetParam().map();
  const Vector x = random_vector(map.channels, 3);
};

TEST_P(MapAlgebraProperty, TheInverseOfTheInverseIsTheMap) {
  RotationMap twice = inverse(inverse(map));
  EXPECT_NEAR(twice.attention_factor, map.attention_factor, kEpsilon * map.attention_factor);  // two divisions
  twice.attention_factor = map.attention_factor;
  EXPECT_EQ(twice, map);
}

TEST_P(MapAlgebraProperty, AMapFollowedByItsInverseDoesNotTurn) {
  const RotationMap nothing = compose(map, inverse(map));
  EXPECT_EQ(rotary_dim(nothing), 0);
  for (double m : kPositions) EXPECT_LE(gap(rotate(nothing, x, everywhere(map, m)), x), 2 * kEpsilon);  // f * (1 / f)
}

TEST_P(MapAlgebraProperty, ACompositionTurnsLikeOneMapAfterTheOther) {
  RopeSpec spec = GetParam().spec;
  spec.pairing = spec.output_pairing;  // the outputs of the first map are the inputs of the second
  spec.output_pairing = Pairing::kInterleaved;
  const RotationMap next = make_rotation_map(spec, GetParam().seq_len), both = compose(map, next);
  for (double m : kPositions) {
    const Vector at = everywhere(map, m);
    EXPECT_LE(gap(rotate(both, x, at), rotate(next, rotate(map, x, at), at)), tolerance(map, m)) << m;
  }
}

TEST_P(MapAlgebraProperty, TheRotarySliceTurnsAlone) {
  const int begin = GetParam().spec.rotary_offset, end = begin + GetParam().spec.rotary_dim;
  const RotationMap part = slice(map, begin, end);
  for (double m : kPositions) {
    const Vector whole = rotate(map, x, everywhere(map, m));
    EXPECT_EQ(rotate(part, Vector(x.begin() + begin, x.begin() + end), everywhere(map, m)),
              Vector(whole.begin() + begin, whole.begin() + end));
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, MapAlgebraProperty, ::testing::ValuesIn(all_cases()), case_name);

TEST(MapAlgebraProperty, CrossedOutputsAreInvertedAndComposedToo) {
  const RotationMap map = crossed(8), plain = map_of(8, 10000);
  const Vector x = random_vector(8, 4);
  EXPECT_EQ(inverse(inverse(map)), map);
  for (double m : kPositions) {
    EXPECT_LE(gap(rotate(inverse(map), rotate(map, x, {m}), {m}), x), tolerance(map, m));
    EXPECT_LE(gap(rotate(compose(map, plain), x, {m}), rotate(plain, rotate(map, x, {m}), {m})), tolerance(map, m));
    EXPECT_LE(gap(rotate(compose(plain, map), x, {m}), rotate(map, rotate(plain, x, {m}), {m})), tolerance(map, m));
  }
}

TEST(MapAlgebraProperty, PlanesPassThroughTheOtherMap) {
  RopeSpec low = spec_of(16, 10000), high = low;
  low.rotary_dim = high.rotary_dim = 6;
  high.rotary_offset = 8;
  const RotationMap first = make_rotation_map(low), second = make_rotation_map(high);
  const Vector x = random_vector(16, 5);
  EXPECT_EQ(compose(first, second), compose(second, first));
  EXPECT_EQ(rotary_dim(compose(first, second)), 12);
  EXPECT_EQ(rotate(compose(first, second), x, {2049}), rotate(second, rotate(first, x, {2049}), {2049}));
}

TEST(MapAlgebraProperty, AShiftOfTheChannelsComposesOnEitherSide) {
  const RotationMap turn = map_of(8, 10000), shift = shifted(8);
  const Vector x = random_vector(8, 6);
  // Moving channels rounds nothing, so both ways have the same bits, or the opposite sign twice.
  EXPECT_EQ(rotate(compose(turn, shift), x, {8191}), rotate(shift, rotate(turn, x, {8191}), {8191}));
  EXPECT_EQ(rotate(compose(shift, turn), x, {8191}), rotate(turn, rotate(shift, x, {8191}), {8191}));
}

TEST(MapAlgebraProperty, ComposingAddsFrequenciesInFullPrecision) {
  const RotationMap map = map_of(64, 500000), twice = compose(map, map);
  for (std::size_t i = 0; i < map.frequency.size(); ++i) {
    EXPECT_EQ(twice.frequency[i].hi, 2 * map.frequency[i].hi);
    EXPECT_EQ(twice.frequency[i].lo, 2 * map.frequency[i].lo);
  }
}

// --- Bad input

const auto kMap = [] { return map_of(8, 10000); };
const auto kInvalid = [] { return RotationMap{}; };

const BadCall kBadCalls[] = {
    {"InverseOfInvalid", [] { inverse(kInvalid()); }, "invalid_argument", "channels"},
    {"SliceOfInvalid", [] { slice(kInvalid(), 0, 1); }, "invalid_argument", "channels"},
    {"SliceBackwards", [] { slice(kMap(), 4, 4); }, "out_of_range", "slice: bounds must satisfy"},
    {"SliceNegative", [] { slice(kMap(), -1, 8); }, "out_of_range", "got -1 .. 8"},
    {"SliceTooFar", [] { slice(kMap(), 0, 9); }, "out_of_range", "got 0 .. 9"},
    {"SliceThroughPairs", [] { slice(kMap(), 0, 4); }, "invalid_argument", "one side of each bound, got (0, 4)"},
    {"SliceThroughPassed", [] { slice(shifted(8), 0, 4); }, "invalid_argument", "a passed channel must stay"},
    {"ComposeInvalid", [] { compose(kMap(), kInvalid()); }, "invalid_argument", "channels"},
    {"ComposeWidths", [] { compose(kMap(), map_of(16, 10000)); }, "invalid_argument",
     "same number of channels, got 16"},
    {"ComposeAxes", [] { compose(kMap(), map_with(Vector(8, 1), 2)); }, "invalid_argument", "same number of axes"},
    {"ComposeSets",
     [] {
       compose(kMap(), map_of(8, 10000, GivenFrequencies{2, Vector(8, 1)}));
     },
     "invalid_argument", "same number of frequency sets"},
    {"ComposePairings",
     [] {
       RopeSpec spec = spec_of(8, 10000);
       spec.pairing = spec.output_pairing = Pairing::kInterleaved;
       compose(kMap(), make_rotation_map(spec));
     },
     "invalid_argument", "every output plane of the first map"},
    {"ComposeHalfAPlane",
     [] {
       RopeSpec part = spec_of(8, 10000);
       part.rotary_dim = 4;
       part.rotary_offset = 4;
       RotationMap low = make_rotation_map(part);
       part.rotary_offset = 2;
       compose(low, make_rotation_map(part));
     },
     "invalid_argument", "plane of the"},
    {"ComposeFactors",
     [] {
       RopeSpec part = spec_of(8, 10000);
       part.rotary_dim = 4;
       const RotationMap low = make_rotation_map(part);
       part.rotary_offset = 4;
       part.scaling = yarn_of(4, 4096);
       compose(low, make_rotation_map(part));
     },
     "invalid_argument", "attention factor to be 1, got 1.138"},
};

class MapAlgebraBadInput : public ::testing::TestWithParam<BadCall> {};
TEST_P(MapAlgebraBadInput, IsRefusedByName) { expect_refused(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Calls, MapAlgebraBadInput, ::testing::ValuesIn(kBadCalls), bad_call_name);

}  // namespace
}  // namespace rotary::testing
