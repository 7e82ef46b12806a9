// What a GGUF file holds comes out as it lies there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/made_gguf.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GgufFile file_of(const std::string& bytes) { return {gguf_bytes(bytes), "x.gguf"}; }

TEST(GgufReader, ReadsEveryTypeOfNumber) {
  const std::string bytes =
      gguf({.keys = {key("a", GgufType::kUint8, le<std::uint8_t>(255)), key("b", GgufType::kInt8, le<std::int8_t>(-1)),
                     key("c", GgufType::kUint16, le<std::uint16_t>(65535)),
                     key("d", GgufType::kInt16, le<std::int16_t>(-2)), key("e", GgufType::kUint32, u32(~0U)),
                     key("f", GgufType::kInt32, le(-3)), key("g", GgufType::kUint64, u64(std::uint64_t{1} << 62)),
                     key("h", GgufType::kInt64, le(std::int64_t{-4})), key("i", GgufType::kUint64, u64(~0ULL))}});
  const GgufFile file = file_of(bytes);
  std::vector<std::int64_t> got;
  for (const GgufKey& k : file.metadata()) got.push_back(k.value.integer().value_or(77));
  EXPECT_THAT(got, ElementsAre(255, -1, 65535, -2, 4294967295, -3, std::int64_t{1} << 62, -4, 77));
}

TEST(GgufReader, ReadsFloatsTruthValuesAndText) {
  const std::string bytes =
      gguf({.keys = {key("f", GgufType::kFloat32, le(0.1F)), key("d", GgufType::kFloat64, le(0.1)),
                     key("b", GgufType::kBool, "\x01"), key("s", GgufType::kString, str("text"))},
            .version = 2});
  const GgufFile file = file_of(bytes);
  EXPECT_EQ(file.version(), 2U);
  EXPECT_EQ(file.value("f")->floating(), static_cast<double>(0.1F));
  EXPECT_EQ(file.value("d")->floating(), 0.1);
  EXPECT_EQ(file.value("b")->boolean(), true);
  EXPECT_EQ(file.value("s")->text(), "text");
  EXPECT_EQ(file.value("s")->integer(), std::nullopt);
  EXPECT_EQ(file.value("f")->text(), std::nullopt);
  EXPECT_EQ(file.value("nothing"), nullptr);
}

TEST(GgufReader, ReadsArrays) {
  const std::string inner = array(GgufType::kInt8, 1, "\x05");
  const std::string bytes = gguf({.keys = {
                                      key("i", GgufType::kArray, array(GgufType::kInt32, 2, le(7) + le(-8))),
                                      key("f", GgufType::kArray, array(GgufType::kFloat32, 1, le(1.5F))),
                                      key("s", GgufType::kArray, array(GgufType::kString, 2, str("a") + str(""))),
                                      key("b", GgufType::kArray, array(GgufType::kBool, 2, std::string("\0\x01", 2))),
                                      key("n", GgufType::kArray, array(GgufType::kArray, 2, inner + inner)),
                                      key("0", GgufType::kArray, array(GgufType::kUint64, 0, "")),
                                  }});
  const GgufFile file = file_of(bytes);
  EXPECT_THAT(file.value("i")->integers().value(), ElementsAre(7, -8));
  EXPECT_THAT(file.value("f")->floatings().value(), ElementsAre(1.5));
  EXPECT_THAT(file.value("s")->texts().value(), ElementsAre("a", ""));
  EXPECT_THAT(file.value("b")->integers().value(), ElementsAre(0, 1));
  EXPECT_EQ(file.value("n")->element_type(), GgufType::kArray);
  EXPECT_EQ(file.value("n")->size(), 2U);
  EXPECT_EQ(file.value("n")->integers(), std::nullopt);
  EXPECT_THAT(file.value("0")->integers().value(), ElementsAre());
}

TEST(GgufReader, ReadsTensorsAtTheirOffsets) {
  const std::string bytes = gguf({.keys = {key("general.alignment", GgufType::kUint32, u32(8))},
                                  .tensors = {tensor("late", {2, 3}, 24, 8), tensor("early", {2}, 25, 0),
                                              tensor("none", {0, 5}, 0, 0), tensor("one", {}, 24, 16)},
                                  .num_data = 17,
                                  .alignment = 8});
  const GgufFile file = file_of(bytes);
  EXPECT_EQ(file.alignment(), 8U);
  EXPECT_THAT(file.read_int64("late"), ElementsAre(8, 9, 10, 11, 12, 13));
  EXPECT_THAT(file.read_int64("early"), ElementsAre(0x0100, 0x0302));
  EXPECT_THAT(file.read_float("none"), ElementsAre());
  EXPECT_THAT(file.read_int64("one"), ElementsAre(16));
  EXPECT_THAT(file.at("late").extents, ElementsAre(2, 3));
  EXPECT_THAT(to_stored(file.at("late"))->shape, ElementsAre(3, 2));
  EXPECT_EQ(file.at("late").offset, bytes.size() - 9);
  EXPECT_EQ(file.find("nothing"), nullptr);
}

TEST(GgufReader, ListsQuantisedTensorsButDoesNotDecodeThem) {
  const std::string bytes = gguf({.tensors = {tensor("w", {64, 2}, 2, 0)}, .num_data = 72});
  const GgufFile file = file_of(bytes);
  EXPECT_EQ(to_string(file.at("w").type), "Q4_0");
  EXPECT_EQ(file.at("w").data.size(), 72U);
  EXPECT_EQ(to_stored(file.at("w")), std::nullopt);
  try {
    file.read_float("w");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "x.gguf: tensor \"w\": must be of a type that is not quantised to be read as numbers, got Q4_0");
  }
}

TEST(GgufReader, NamesATensorThatIsNotThere) {
  const std::string bytes = gguf({});
  const GgufFile file = file_of(bytes);
  try {
    file.read_float("w");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("x.gguf: tensor \"w\": must be in the file, got 0 tensors"));
  }
}

TEST(GgufReader, KeepsALargeArrayWhereItIs) {
  std::string elements;
  for (int i = 0; i < 200'000; ++i) elements += str("token");
  const std::string bytes = gguf({.keys = {key("t", GgufType::kArray, array(GgufType::kString, 200'000, elements))}});
  const GgufFile file = file_of(bytes);
  EXPECT_EQ(file.value("t")->size(), 200'000U);
  EXPECT_GE(file.value("t")->encoded().data(), gguf_bytes(bytes).data());
  EXPECT_EQ(file.value("t")->encoded().size(), elements.size() + 12);
}

TEST(GgmlTypes, HaveBlocksOrAreUnknown) {
  int known = 0;
  for (std::uint32_t number = 0; number < 64; ++number) {
    const auto type = static_cast<GgmlType>(number);
    const bool has_block = block_of(type).num_bytes > 0 && block_of(type).num_elements > 0;
    EXPECT_EQ(has_block, !to_string(type).empty()) << number;
    known += has_block ? 1 : 0;
  }
  EXPECT_EQ(known, 35);
  EXPECT_EQ(to_string(static_cast<GgmlType>(31)), "");
}

}  // namespace
}  // namespace rotary::testing
