// Bands of the frequencies of a spec.
#include "rotary/bands.h"

#include <gtest/gtest.h>

#include <numbers>

#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

TEST(Bands, OfYarnAreKeptBlendedAndDivided) {
  RopeSpec spec = spec_of(64, 10000);
  spec.scaling = yarn_of(4, 4096);
  std::vector<BandEffect> effects;
  int next = 0;
  for (const Band& band : frequency_bands(spec)) {
    EXPECT_EQ(band.begin, next);
    EXPECT_LT(band.begin, band.end);
    next = band.end;
    if (effects.empty() || effects.back() != band.effect) effects.push_back(band.effect);
  }
  EXPECT_EQ(next, 32);
  EXPECT_EQ(effects, (std::vector{BandEffect::kKept, BandEffect::kBlended, BandEffect::kDivided}));
  EXPECT_EQ(frequency_bands(spec).back().last_divisor, 4);
}

TEST(Bands, OfGivenFrequenciesCompareWithNothing) {
  RopeSpec spec = spec_of(8, 10000);
  spec.scaling = GivenFrequencies{1, {1, 0.5, 0.25, 0}};
  spec.angle_multiplier = -2;
  const std::vector<Band> bands = frequency_bands(spec);
  ASSERT_EQ(bands.size(), 2U);
  EXPECT_EQ(bands[0].effect, BandEffect::kGiven);
  EXPECT_DOUBLE_EQ(bands[0].first_wavelength, std::numbers::pi);
  EXPECT_DOUBLE_EQ(bands[0].last_wavelength, 4 * std::numbers::pi);
  EXPECT_EQ(bands[1].effect, BandEffect::kStill);
}

TEST(Bands, SayWhatTurnsInTraining) {
  RopeSpec spec = spec_of(4, 10000);  // wavelengths 6.28 and 628
  spec.max_position = 600;
  const std::vector<Band> bands = frequency_bands(spec);
  ASSERT_EQ(bands.size(), 2U);
  EXPECT_TRUE(bands[0].turns_in_training);
  EXPECT_FALSE(bands[1].turns_in_training);
  EXPECT_EQ(trained_length(spec), 600);
  spec.scaling = yarn_of(4, 700);
  EXPECT_EQ(trained_length(spec), 700);
}

}  // namespace
}  // namespace rotary::testing
