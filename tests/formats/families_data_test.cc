#include "formats/families_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

TEST(FamiliesData, IsEmbeddedWhole) {
  const auto table = nlohmann::json::parse(rotary::detail::families_json());
  EXPECT_TRUE(table.contains("rows"));
}
