// Files of the format's own library (tests/golden/safetensors), and what it and NumPy say is in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>

#include "rotary/formats/model_tensors.h"
#include "rotary/formats/safetensors.h"

namespace rotary::testing {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;

const std::string kFolder = ROTARY_TEST_DATA "/safetensors/";

Json every_type() {
  std::ifstream in(kFolder + "every_type.json");
  return Json::parse(in);
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string out;
  for (const std::byte byte : bytes)
    for (const int digit : {std::to_integer<int>(byte) >> 4, std::to_integer<int>(byte) & 15})
      out += "0123456789abcdef"[digit];
  return out;
}

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

TEST(SafetensorsGolden, EveryTypeIsFoundWithItsShapeAndBytes) {
  const SafetensorsFile file(kFolder + "every_type.safetensors");
  const Json expected = every_type();
  EXPECT_EQ(file.metadata(), (expected.at("metadata").get<std::map<std::string, std::string>>()));
  EXPECT_EQ(file.tensors().size(), expected.at("tensors").size());
  for (const auto& [name, record] : expected.at("tensors").items()) {
    const StoredTensor& tensor = file.at(name);
    EXPECT_EQ(tensor.name, name);
    EXPECT_EQ(to_string(tensor.dtype), record.at("dtype").get<std::string>());
    EXPECT_EQ(tensor.shape, record.at("shape").get<std::vector<std::int64_t>>()) << name;
    EXPECT_EQ(hexadecimal(tensor.data), record.at("bytes").get<std::string>()) << name;
  }
}

TEST(SafetensorsGolden, NumbersAreThoseOfNumPyOrRefusedByType) {
  const SafetensorsFile file(kFolder + "every_type.safetensors");
  const Json expected = every_type();
  for (const auto& [name, record] : expected.at("tensors").items()) {
    if (record.contains("float_bits"))
      EXPECT_EQ(bits(file.read_float(name)), record.at("float_bits").get<std::vector<std::uint32_t>>()) << name;
    else
      EXPECT_THROW(file.read_float(name), std::runtime_error) << name;
    if (record.contains("int64"))
      EXPECT_EQ(file.read_int64(name), record.at("int64").get<std::vector<std::int64_t>>()) << name;
    else
      EXPECT_THROW(file.read_int64(name), std::runtime_error) << name;
  }
}

TEST(SafetensorsGolden, ShardsAreOneModel) {
  for (const char* path : {"sharded", "sharded/model.safetensors.index.json"}) {
    const ModelTensors model(kFolder + path);
    EXPECT_EQ(model.files().size(), 2u);
    EXPECT_THAT(model.names(), ElementsAre("first", "third", "second"));
    EXPECT_THAT(model.at("first").shape, ElementsAre(2, 3));
    EXPECT_THAT(model.read_float("first"), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(model.read_float("second"), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(model.read_int64("third"), ElementsAre(3));
  }
}

}  // namespace
}  // namespace rotary::testing
