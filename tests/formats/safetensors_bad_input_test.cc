// Whatever a file holds, it is read or refused by one std::runtime_error that names the file and the tensor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/safetensors_bytes.h"
#include "formats/scratch_folder.h"

namespace rotary::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct BadBytes {
  const char* name;
  std::string bytes;
  const char* error;  // after "x.safetensors: "
};

void PrintTo(const BadBytes& bad, std::ostream* out) { *out << bad.name; }

std::string with_size(std::uint64_t size, const std::string& rest) {
  std::string out = safetensors(rest);
  std::memcpy(out.data(), &size, sizeof size);
  return out;
}

// A file of one tensor "a".
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets, std::size_t num_data) {
  return safetensors(R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}",
                     num_data);
}

// A file of two tensors of bytes, "a" and "b".
std::string two(const std::string& a, const std::string& b, std::size_t num_data, const std::string& second = "b") {
  const auto size = [](const std::string& offsets) {
    const auto comma = offsets.find(',');
    return std::to_string(std::stoi(offsets.substr(comma + 1)) - std::stoi(offsets.substr(1, comma)));
  };
  return safetensors(R"({"a":{"dtype":"U8","shape":[)" + size(a) + R"(],"data_offsets":)" + a + R"(},")" + second +
                         R"(":{"dtype":"U8","shape":[)" + size(b) + R"(],"data_offsets":)" + b + "}}",
                     num_data);
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

class BadSafetensors : public ::testing::TestWithParam<BadBytes> {};

TEST_P(BadSafetensors, IsOneErrorThatNamesTheFile) {
  EXPECT_THAT(safetensors_error(GetParam().bytes), AllOf(StartsWith("x.safetensors: "), HasSubstr(GetParam().error)));
}

INSTANTIATE_TEST_SUITE_P(
    Header, BadSafetensors,
    ::testing::Values(
        BadBytes{"Empty", "", "must begin with the 8 bytes of the header's size, got a file of 0"},
        BadBytes{"SevenBytes", "1234567", "got a file of 7"},
        BadBytes{"SizeOnly", safetensors(""), "the header must begin with {, got nothing"},
        BadBytes{"Truncated", safetensors("{}").substr(0, 9), "must lie within the file's 9 bytes, got 2 bytes after"},
        BadBytes{"SizeOneTooLarge", with_size(3, "{}"), "must lie within the file's 10 bytes, got 3"},
        BadBytes{"SizeOneTooSmall", with_size(1, "{}"), "header: must be JSON, got an error at byte 2"},
        BadBytes{"SizeAboveTheLimit", with_size(100'000'001, "{}"), "at most 100000000 bytes, got 100000001"},
        BadBytes{"SizeMinusOne", with_size(~std::uint64_t{0}, "{}"),
                 "at most 100000000 bytes, got 18446744073709551615"},
        BadBytes{"SizeOverflowing", with_size(~std::uint64_t{7}, "{}"), "got 18446744073709551608"},
        BadBytes{"NotJson", safetensors("{nonsense}"), "header: must be JSON, got an error at byte 3"},
        BadBytes{"NotAnObject", safetensors("[1, 2]"), R"(the header must begin with {, got "[")"},
        BadBytes{"LeadingSpace", safetensors(" {}"), R"(the header must begin with {, got " ")"},
        BadBytes{"ByteOrderMark", safetensors("\xef\xbb\xbf{}"), "the header must begin with {"},
        BadBytes{"PaddedWithNul", safetensors(std::string("{}\0\0", 4)), "header: must be JSON, got a NUL at byte 2"},
        BadBytes{"TextAfterTheObject", safetensors("{} {}"), "header: must be JSON, got an error at byte 4"},
        BadBytes{"NotUtf8", safetensors("{\"\xff\":1}"), "header: must be JSON, got an error at byte 3"},
        BadBytes{"PythonsNaN", safetensors(R"({"__metadata__":{"a":NaN}})"), "header: must be JSON"},
        BadBytes{"DeeplyNested", safetensors(R"({"a":)" + repeated("[", 200'000)), "nested at most 128 levels deep"},
        BadBytes{"MetadataIsAList", safetensors(R"({"__metadata__":[]})"),
                 "__metadata__: must be an object of strings"},
        BadBytes{"MetadataHasANumber", safetensors(R"({"__metadata__":{"step":7}})"),
                 R"(__metadata__: "step": must be a string, got 7)"},
        BadBytes{"MetadataKeyTwice", safetensors(R"({"__metadata__":{"a":"","a":""}})"),
                 "must not give a key twice, got __metadata__.a"},
        BadBytes{"NameTwice", two("[0,4]", "[4,8]", 8, "a"), "the header must not give a key twice, got a"},
        BadBytes{"DataWithoutTensors", safetensors("{}", 1), "the tensors must fill the 1 bytes of data, got 0"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Tensor, BadSafetensors,
    ::testing::Values(
        BadBytes{"NotAnObject", safetensors(R"({"a":3})"), R"(tensor "a": must be an object with dtype, shape)"},
        BadBytes{"WithoutDtype", safetensors(R"({"a":{"shape":[],"data_offsets":[0,0]}})"), "dtype must be given"},
        BadBytes{"WithoutShape", safetensors(R"({"a":{"dtype":"U8","data_offsets":[0,0]}})"), "shape must be given"},
        BadBytes{"WithoutOffsets", safetensors(R"({"a":{"dtype":"U8","shape":[0]}})"), "data_offsets must be given"},
        BadBytes{"DtypeUnknown", one(R"("F33")", "[1]", "[0,4]", 4), R"(dtype must be one of the format's)"},
        BadBytes{"DtypeInLowerCase", one(R"("f32")", "[1]", "[0,4]", 4), R"(got "f32")"},
        BadBytes{"DtypeIsANumber", one("32", "[1]", "[0,4]", 4), "dtype must be one of the format's"},
        BadBytes{"DtypeTwice", safetensors(R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})"),
                 "must not give a key twice, got a.dtype"},
        BadBytes{"ShapeNegative", one(R"("F32")", "[-1]", "[0,4]", 4), "shape must be a list of whole numbers"},
        BadBytes{"ShapeFractional", one(R"("F32")", "[1.0]", "[0,4]", 4), "got [1.0]"},
        BadBytes{"ShapeOfText", one(R"("F32")", R"(["1"])", "[0,4]", 4), R"(got ["1"])"},
        BadBytes{"ShapeIsANumber", one(R"("F32")", "1", "[0,4]", 4), "shape must be a list of whole numbers"},
        BadBytes{"ShapeAbove63Bits", one(R"("F32")", "[9223372036854775808]", "[0,4]", 4), "to 2^63 - 1, got [9223"},
        BadBytes{"ShapeAbove64Bits", one(R"("F32")", "[18446744073709551617]", "[0,4]", 4), "to 2^63 - 1"},
        BadBytes{"ShapeProductOverflows", one(R"("U8")", "[4294967296,4294967296,1]", "[0,0]", 0),
                 "must have a size in whole bytes below 2^64, got U8 of shape [4294967296"},
        BadBytes{"SizeOverflows", one(R"("F64")", "[2305843009213693952]", "[0,0]", 0), "whole bytes below 2^64"},
        BadBytes{"HalfAByte", one(R"("F4")", "[3]", "[0,2]", 2), "must have a size in whole bytes"},
        BadBytes{"TooManyDimensions", one(R"("U8")", "[1" + repeated(",1", 64) + "]", "[0,1]", 1),
                 "shape must have at most 64 dimensions, got 65"},
        BadBytes{"SizeTooSmall", one(R"("F32")", "[2,3]", "[0,20]", 20),
                 "F32 of shape [2,3] must have 24 bytes, got 20"},
        BadBytes{"SizeTooLarge", one(R"("F16")", "[2,3]", "[0,13]", 13), "must have 12 bytes, got 13"},
        BadBytes{"OffsetsOfThree", one(R"("U8")", "[1]", "[0,1,2]", 2), "data_offsets must be a begin and an end"},
        BadBytes{"OffsetsReversed", one(R"("U8")", "[1]", "[1,0]", 1), "an end not before it, got [1,0]"},
        BadBytes{"OffsetsNegative", one(R"("U8")", "[1]", "[-1,0]", 1), "data_offsets must be a list of whole"},
        BadBytes{"OffsetsBeyondTheFile", one(R"("U8")", "[4]", "[0,4]", 3), "must lie within the 3 bytes of data"},
        BadBytes{"OffsetsFarBeyond", one(R"("U8")", "[9223372036854775807]", "[0,9223372036854775807]", 3),
                 "must lie within the 3 bytes of data, got [0,9223372036854775807]"},
        BadBytes{"HoleAtTheBegin", one(R"("U8")", "[2]", "[1,3]", 3), "must begin at byte 0 of the data"},
        BadBytes{"HoleBetween", two("[0,4]", "[5,8]", 8), R"(tensor "b": must begin at byte 4 of the data)"},
        BadBytes{"HoleAtTheEnd", two("[0,4]", "[4,7]", 8), "the tensors must fill the 8 bytes of data, got 7 bytes"},
        BadBytes{"Overlapping", two("[0,4]", "[3,8]", 8), "got 3: they overlap"},
        BadBytes{"TheSameData", two("[0,4]", "[0,4]", 4), "got 0: they overlap"},
        BadBytes{"OneWithinTheOther", two("[0,8]", "[2,4]", 8), "got 2: they overlap"}),
    [](const auto& info) { return info.param.name; });

TEST(SafetensorsBytes, AreReadInAnyOrderAtAnyAlignmentAndWithKeysOfOthers) {
  const std::string bytes = safetensors(
      R"({"late":{"dtype":"I16","shape":[2],"data_offsets":[1,5],"comment":[1]},"__metadata__":null,)"
      R"("none":{"dtype":"F32","shape":[7,0],"data_offsets":[1,1]},"early":{"dtype":"U8","shape":[],"data_offsets":[0,1]}} )",
      5);
  const SafetensorsFile file(bytes_of(bytes), "x.safetensors");
  EXPECT_THAT(file.names(), ElementsAre("early", "none", "late"));
  EXPECT_THAT(file.read_int64("late"), ElementsAre(0x0201, 0x0403));
  EXPECT_THAT(file.read_int64("early"), ElementsAre(0));
  EXPECT_THAT(file.read_float("none"), ElementsAre());
  EXPECT_EQ(safetensors_error(safetensors("{}")), "");
}

TEST(SafetensorsBytes, CanBeCutNowhereWithoutAnError) {
  const std::string bytes = two("[0,4]", "[4,8]", 8);
  ASSERT_EQ(safetensors_error(bytes), "");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(safetensors_error(bytes.substr(0, size)), "") << size;
}

std::string error_of(const auto& call) {
  try {
    call();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(SafetensorsBytes, AnswerWrongQuestionsWithTheTensorsName) {
  const std::string bytes = one(R"("F8_E4M3")", "[3]", "[0,3]", 3);
  const SafetensorsFile file(bytes_of(bytes), "x.safetensors");
  EXPECT_EQ(file.find("b"), nullptr);
  EXPECT_EQ(error_of([&] { file.at("b"); }),
            R"(x.safetensors: tensor "b": must be in the file, got 1 tensors of other names)");
  EXPECT_EQ(error_of([&] { file.read_float("a"); }),
            R"(x.safetensors: tensor "a": dtype must be one of F64, F32, F16, BF16 here, got F8_E4M3)");
  EXPECT_EQ(
      error_of([&] { file.read_int64("a"); }),
      R"(x.safetensors: tensor "a": dtype must be one of I64, I32, I16, I8, U32, U16, U8, BOOL here, got F8_E4M3)");
  std::vector<float> out(2);
  EXPECT_THROW(file.read_float_into("a", out), std::invalid_argument);
}

class SafetensorsPaths : public ScratchFolder {};

TEST_F(SafetensorsPaths, ThatAreNoFilesAreNamed) {
  const auto error = [&](const std::string& path) { return error_of([&] { SafetensorsFile{path}; }); };
  EXPECT_EQ(error(file("none")), file("none") + ": must be a readable file, got an error: No such file or directory");
  EXPECT_EQ(error(folder_.string()), folder_.string() + ": must be a readable file, got a folder");
  EXPECT_THAT(error("/dev/null"), HasSubstr("/dev/null: must be a readable file, got something that is not a file"));
  write("empty", "");
  EXPECT_THAT(error(file("empty")), StartsWith(file("empty") + ": must begin with the 8 bytes"));
}

}  // namespace
}  // namespace rotary::testing
