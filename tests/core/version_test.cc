#include "rotary/version.h"

#include <gtest/gtest.h>

#include <string>

TEST(Version, IsTheOneOfTheHeaders) {
  EXPECT_STREQ(rotary::version(), ROTARY_VERSION_STRING);
  EXPECT_EQ(rotary::version(), std::to_string(ROTARY_VERSION_MAJOR) + "." + std::to_string(ROTARY_VERSION_MINOR) + "." +
                                   std::to_string(ROTARY_VERSION_PATCH));
}
