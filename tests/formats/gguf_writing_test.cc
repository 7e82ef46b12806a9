// What write_gguf writes, GgufFile reads; what GgufFile would not read, write_gguf refuses.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>

#include "formats/made_gguf.h"
#include "formats/scratch_folder.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GgufWriting : public ScratchFolder {};

std::vector<GgufEntry> some_keys() {
  const std::array<std::int32_t, 3> sections{1, -2, 3};
  const std::array<float, 2> floats{0.1F, -0.0F};
  const std::array<std::string, 2> texts{"", "b\n\xff"};
  return {gguf_string("general.architecture", "llama"),
          gguf_uint32("u", ~0U),
          gguf_float32("f", 0.1F),
          gguf_bool("b", true),
          gguf_int32s("i", sections),
          gguf_float32s("fs", floats),
          gguf_bools("bs", {true, false}),
          gguf_strings("s", texts)};
}

GgufTensor bytes_tensor(const std::string& name, std::string_view data) {
  return {name, GgmlType::kInt8, {static_cast<std::int64_t>(data.size())}, gguf_bytes(data), 0};
}

TEST_F(GgufWriting, WhatWasWrittenIsRead) {
  const std::vector<GgufTensor> tensors{bytes_tensor("a", "12345"), bytes_tensor("empty", ""), bytes_tensor("b", "67")};
  write_gguf(file("x.gguf"), some_keys(), tensors);
  const GgufFile read(file("x.gguf"));
  EXPECT_EQ(read.version(), 3U);
  EXPECT_EQ(read.value("u")->integer(), 4294967295);
  EXPECT_EQ(read.value("f")->floating(), static_cast<double>(0.1F));
  EXPECT_EQ(read.value("b")->boolean(), true);
  EXPECT_THAT(read.value("i")->integers().value(), ElementsAre(1, -2, 3));
  EXPECT_THAT(read.value("fs")->floatings().value(), ElementsAre(static_cast<double>(0.1F), 0));
  EXPECT_TRUE(std::signbit(read.value("fs")->floatings().value()[1]));
  EXPECT_THAT(read.value("bs")->integers().value(), ElementsAre(1, 0));
  EXPECT_THAT(read.value("s")->texts().value(), ElementsAre("", "b\n\xff"));
  EXPECT_THAT(read.read_int64("a"), ElementsAre('1', '2', '3', '4', '5'));
  EXPECT_THAT(read.read_int64("b"), ElementsAre('6', '7'));
  EXPECT_EQ(read.at("b").offset % 32, 0U);
}

TEST_F(GgufWriting, TheSameArgumentsGiveTheSameBytesAndACopyIsEqual) {
  const std::vector<GgufTensor> tensors{bytes_tensor("a", "12345")};
  write_gguf(file("x.gguf"), some_keys(), tensors);
  write_gguf(file("y.gguf"), some_keys(), tensors);
  EXPECT_EQ(contents("x.gguf"), contents("y.gguf"));
  const GgufFile read(file("x.gguf"));
  std::vector<GgufEntry> copies;
  for (const GgufKey& k : read.metadata()) copies.push_back(gguf_copy(k));
  write_gguf(file("z.gguf"), copies, read.tensors());
  EXPECT_EQ(contents("z.gguf"), contents("x.gguf"));
  EXPECT_THAT(listing(), ::testing::UnorderedElementsAre("x.gguf", "y.gguf", "z.gguf"));
}

TEST_F(GgufWriting, TensorsStandAtMultiplesOfTheAlignment) {
  std::vector<GgufEntry> keys{gguf_uint32("general.alignment", 128)};
  write_gguf(file("x.gguf"), keys, std::vector{bytes_tensor("a", "1"), bytes_tensor("b", "2")});
  const GgufFile read(file("x.gguf"));
  EXPECT_EQ(read.alignment(), 128U);
  for (const GgufTensor& t : read.tensors()) EXPECT_EQ(t.offset % 128, 0U);
}

TEST_F(GgufWriting, StoredTensorsKeepTheirShapeThereAndBack) {
  const std::vector<float> data{1, 2, 3, std::numeric_limits<float>::quiet_NaN(), -0.0F, 6};
  const StoredTensor stored{"w", StoredDType::kFloat32, {2, 3}, std::as_bytes(std::span(data))};
  write_gguf(file("x.gguf"), {}, std::vector{to_gguf(stored)});
  const GgufFile read(file("x.gguf"));
  EXPECT_THAT(read.at("w").extents, ElementsAre(3, 2));
  const StoredTensor back = to_stored(read.at("w")).value();
  EXPECT_THAT(back.shape, ElementsAre(2, 3));
  EXPECT_TRUE(std::ranges::equal(back.data, stored.data));
  EXPECT_THROW(to_gguf({"w", StoredDType::kBool, {0}, {}}), std::invalid_argument);
}

struct BadWrite {
  const char* name;
  std::vector<GgufEntry> keys;
  std::vector<GgufTensor> tensors;
  const char* error;
};

void PrintTo(const BadWrite& bad, std::ostream* out) { *out << bad.name; }

class BadGgufWrite : public GgufWriting, public ::testing::WithParamInterface<BadWrite> {};

TEST_P(BadGgufWrite, IsRefusedAndNothingIsWritten) {
  try {
    write_gguf(file("x.gguf"), GetParam().keys, GetParam().tensors);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::StartsWith("write_gguf: "), HasSubstr(GetParam().error)));
  }
  EXPECT_THAT(listing(), ElementsAre());
}

INSTANTIATE_TEST_SUITE_P(
    All, BadGgufWrite,
    ::testing::Values(
        BadWrite{"KeyTwice", {gguf_bool("k", true), gguf_uint32("k", 1)}, {}, R"(key "k" twice)"},
        BadWrite{"KeyTooLong", {gguf_bool(std::string(65536, 'k'), true)}, {}, "at most 65535 bytes, got 65536"},
        BadWrite{"TypeUnknown", {{"k", static_cast<GgufType>(13), ""}}, {}, "must be one of the format's, got 13"},
        BadWrite{"ValueCut", {{"k", GgufType::kUint32, "123"}}, {}, "every value must be encoded as its type asks"},
        BadWrite{"ValueTooLong", {{"k", GgufType::kUint32, "12345"}}, {}, "must end with its bytes, got 1"},
        BadWrite{"AlignmentOfThree", {gguf_uint32("general.alignment", 3)}, {}, "power of two up to 2^20, got 3"},
        BadWrite{"AlignmentOfText", {gguf_string("general.alignment", "32")}, {}, "must be a u32"},
        BadWrite{"TensorTwice", {}, {bytes_tensor("t", "1"), bytes_tensor("t", "2")}, R"(tensor "t" twice)"},
        BadWrite{"FiveExtents", {}, {{"t", GgmlType::kInt8, {1, 1, 1, 1, 1}, {}, 0}}, "at most 4 extents, got 5"},
        BadWrite{"ExtentNegative", {}, {{"t", GgmlType::kInt8, {-1}, {}, 0}}, "must not be negative, got -1"},
        BadWrite{"TypeOfTensorUnknown", {}, {{"t", static_cast<GgmlType>(4), {1}, {}, 0}}, "a type of ggml's, got 4"},
        BadWrite{"HalfABlock", {}, {{"t", static_cast<GgmlType>(2), {16}, {}, 0}}, "must have whole blocks"},
        BadWrite{"DataTooShort", {}, {{"t", GgmlType::kInt8, {2}, {}, 0}}, "must have 2 bytes, got 0"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rotary::testing
