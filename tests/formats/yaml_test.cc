// YAML becomes the document that PyYAML's safe_load makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/reading.h"
#include "formats/yaml_reader.h"
#include "formats/yaml_scalar.h"

namespace rotary::testing {
namespace {

using detail::parse_yaml;
using detail::yaml_scalar;
using ::testing::ElementsAre;

TEST(YamlScalars, AreTypedAsInYaml11) {
  const std::pair<const char*, Json> cases[] = {{"", nullptr},
                                                {"~", nullptr},
                                                {"null", nullptr},
                                                {"yes", true},
                                                {"On", true},
                                                {"False", false},
                                                {"off", false},
                                                {"y", "y"},
                                                {"10000", 10000},
                                                {"-1", -1},
                                                {"+7", 7},
                                                {"1_000_000", 1000000},
                                                {"0x10", 16},
                                                {"010", 8},
                                                {"08", "08"},
                                                {"0b11", 3},
                                                {"0", 0},
                                                {"1.5", 1.5},
                                                {"-.5", -0.5},
                                                {"1.", 1.0},
                                                {"1.0e-5", 1e-5},
                                                {"1.0e+6", 1e6},
                                                {"1.0e6", "1.0e6"},
                                                {"1e-5", "1e-5"},
                                                {"1e6", "1e6"},
                                                {"1:30", "1:30"},
                                                {"2024-01-02", "2024-01-02"},
                                                {".", "."},
                                                {"-", "-"},
                                                {"rope", "rope"},
                                                {"1.2.3", "1.2.3"},
                                                {".inf", "\x01Infinity"},
                                                {"-.inf", "\x01-Infinity"},
                                                {".nan", "\x01NaN"},
                                                {"99999999999999999999", 99999999999999999999.0}};
  for (const auto& [text, value] : cases) EXPECT_EQ(yaml_scalar(text), value) << text;
}

#ifdef ROTARY_HAS_YAML
TEST(Yaml, IsReadInBlocksAndInJsonsClothes) {
  const Json want = parse(R"({"a": 1, "b": {"c": [1.5, "x", null]}, "d": "1"})");
  EXPECT_EQ(parse_yaml("a: 1 # one\nb:\n  c: [1.5, x, ~]\nd: '1'\n", "x").root, want);
  EXPECT_EQ(parse_yaml("{\"a\": 1, \"b\": {\"c\": [1.5, \"x\", null,],},\n# two\n\"d\": \"1\",}", "x").root, want);
}

TEST(Yaml, ReportsKeysGivenTwice) {
  const detail::JsonDocument document = parse_yaml("a: 1\nb: {c: 1, c: 2}\na: 3\n", "x");
  EXPECT_THAT(document.duplicate_keys, ElementsAre("b.c", "a"));
  EXPECT_EQ(document.root.at("a"), 3);
}

TEST(Yaml, IsLimitedInSize) {
  EXPECT_THROW(parse_yaml(std::string(detail::kMaxYamlBytes + 1, ' '), "x"), std::runtime_error);
}
#else
TEST(Yaml, IsRefusedByNameWithoutItsLibrary) {
  try {
    parse_yaml("a: 1", "x.yml");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "x.yml: must be JSON (rotary was built without libyaml), got YAML");
  }
}
#endif

}  // namespace
}  // namespace rotary::testing
