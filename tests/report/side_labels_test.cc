// Labels beside a plot keep their order and their distance.
#include "report/side_labels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace rotary::report {
namespace {

TEST(SideLabelsProperty, KeepOrderDistanceAndBounds) {
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    const int n = std::uniform_int_distribution<>(1, 12)(random);
    std::vector<double> wanted;
    for (int i = 0; i < n; ++i) wanted.push_back(std::uniform_real_distribution<>(0, 200)(random));
    const std::vector<double> got = spread(wanted, 16, 10, 190);
    for (int i = 0; i < n; ++i) {
      EXPECT_GE(got[static_cast<std::size_t>(i)], 10 - 1e-9);
      EXPECT_LE(got[static_cast<std::size_t>(i)], 190 + 1e-9);
      for (int j = 0; j < n; ++j) {
        if (wanted[static_cast<std::size_t>(i)] >= wanted[static_cast<std::size_t>(j)]) continue;
        EXPECT_LE(got[static_cast<std::size_t>(i)] + std::min(16.0, 180.0 / (n - 1)) - 1e-9,
                  got[static_cast<std::size_t>(j)]);
      }
    }
  }
}

TEST(SideLabels, StayWhereTheyAreIfNothingIsInTheWay) {
  EXPECT_EQ(spread({150, 20, 90}, 16, 0, 200), (std::vector<double>{150, 20, 90}));
}

TEST(SideLabels, GiveWayEvenly) {
  EXPECT_EQ(spread({100, 100}, 16, 0, 200), (std::vector<double>{92, 108}));
  EXPECT_EQ(spread({200, 200}, 16, 0, 200), (std::vector<double>{184, 200}));
  EXPECT_EQ(spread({5, 5, 5}, 16, 0, 16), (std::vector<double>{0, 8, 16}));  // too many: closer together
}

TEST(SideLabels, NoneIsFine) { EXPECT_TRUE(spread({}, 16, 0, 200).empty()); }

}  // namespace
}  // namespace rotary::report
