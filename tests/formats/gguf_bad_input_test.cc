// Whatever a file holds, it is read or refused by one std::runtime_error that names the file, the byte and the item.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/made_gguf.h"

namespace rotary::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct BadGgufBytes {
  const char* name;
  std::string bytes;
  const char* error;  // after "x.gguf: byte "
};

void PrintTo(const BadGgufBytes& bad, std::ostream* out) { *out << bad.name; }

constexpr std::uint64_t kHuge = 0x7fff'ffff'ffff'fff0;

std::string head(std::uint64_t num_tensors, std::uint64_t num_keys, const std::string& rest = "") {
  return "GGUF" + u32(3) + u64(num_tensors) + u64(num_keys) + rest;
}

std::string one_key(GgufType type, const std::string& value) { return gguf({.keys = {key("k", type, value)}}); }

std::string one_tensor(const std::vector<std::uint64_t>& extents, std::uint32_t type, std::uint64_t offset,
                       std::size_t num_data) {
  return gguf({.tensors = {tensor("t", extents, type, offset)}, .num_data = num_data});
}

std::string nested(int depth) {
  std::string out = array(GgufType::kUint8, 1, "\x01");
  for (int i = 1; i < depth; ++i) out = array(GgufType::kArray, 1, out);
  return out;
}

std::string align_key(GgufType type, const std::string& value) {
  return gguf({.keys = {key("general.alignment", type, value)}});
}

class BadGguf : public ::testing::TestWithParam<BadGgufBytes> {};

TEST_P(BadGguf, IsOneErrorThatNamesTheByte) {
  EXPECT_THAT(gguf_error(GetParam().bytes),
              AllOf(StartsWith("x.gguf: byte "), HasSubstr(GetParam().error), Not(HasSubstr("\n"))));
}

INSTANTIATE_TEST_SUITE_P(
    Header, BadGguf,
    ::testing::Values(
        BadGgufBytes{"Empty", "", R"(byte 0: the file must begin with "GGUF", got "")"},
        BadGgufBytes{"OtherMagic", "GGML\x03", R"(must begin with "GGUF", got "GGML")"},
        BadGgufBytes{"MagicOnly", "GGUF", "byte 4: the version must lie within the file's 4 bytes, got 4 bytes"},
        BadGgufBytes{"Version0", "GGUF" + u32(0) + u64(0) + u64(0), "byte 4: the version must be 2 or 3"},
        BadGgufBytes{"Version1", "GGUF" + u32(1) + u32(0) + u32(0), "2 or 3, little-endian, got 1"},
        BadGgufBytes{"Version4", "GGUF" + u32(4) + u64(0) + u64(0), "got 4"},
        BadGgufBytes{"BigEndian", std::string("GGUF\0\0\0\3", 8) + u64(0) + u64(0), "got a big-endian file"},
        BadGgufBytes{"NoCounts", "GGUF" + u32(3) + u64(0), "byte 16: the counts must lie within the file's 16 bytes"},
        BadGgufBytes{"TooManyKeys", head(0, 65537), "byte 16: the number of keys must be at most 65536, got 65537"},
        BadGgufBytes{"HugeNumberOfKeys", head(0, ~0ULL), "got 18446744073709551615"},
        BadGgufBytes{"MoreKeysThanBytes", head(0, 60000), "the keys must lie within the file's 24 bytes, got 60000"},
        BadGgufBytes{"TooManyTensors", head(262145, 0), "byte 8: the number of tensors must be at most 262144"},
        BadGgufBytes{"MoreTensorsThanBytes", head(2, 0), "the tensors must lie within the file's 24 bytes, got 2"},
        BadGgufBytes{"NameBeyondTheFile", head(0, 1, u64(100) + std::string(20, 'a')),
                     "byte 32: key number 0: the name must lie within the file's 52 bytes, got 100 bytes"},
        BadGgufBytes{"NameOfHugeLength", head(0, 1, u64(kHuge) + std::string(20, 'a')),
                     "byte 24: key number 0: the name must have at most 65535 bytes"},
        BadGgufBytes{"KeyTwice", gguf({.keys = {key("k", GgufType::kBool, "\1"), key("k", GgufType::kUint8, "\1")}}),
                     R"(byte 38: key "k": must be there once, got the name again)"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Value, BadGguf,
    ::testing::Values(
        BadGgufBytes{"TypeUnknown", one_key(static_cast<GgufType>(13), u64(1)),
                     R"(byte 33: key "k": the type must be in 0 .. 12, got 13)"},
        BadGgufBytes{"NumberCut", one_key(GgufType::kUint64, u32(1)), R"(key "k": the value must lie within)"},
        BadGgufBytes{"TruthValueOf2", one_key(GgufType::kBool, "\2"), "byte 37: key \"k\": a truth value must be 0"},
        BadGgufBytes{"TruthValueOf2InAnArray", one_key(GgufType::kArray, array(GgufType::kBool, 2, "\1\2")),
                     "a truth value must be 0 or 1, got 2"},
        BadGgufBytes{"StringCut", one_key(GgufType::kString, u64(9) + "12345678"), "got 9 bytes"},
        BadGgufBytes{"StringHuge", one_key(GgufType::kString, u64(~0ULL)), "got 18446744073709551615 bytes"},
        BadGgufBytes{"ArrayCut", one_key(GgufType::kArray, array(GgufType::kUint16, 3, "12345")),
                     "byte 37: key \"k\": the array must lie within the file's 54 bytes, got 3 elements of type u16"},
        BadGgufBytes{"ArrayOfHugeSize", one_key(GgufType::kArray, array(GgufType::kUint8, ~0ULL, "1")),
                     "got 18446744073709551615 elements of type u8"},
        BadGgufBytes{"ArrayWhoseSizeOverflows",
                     one_key(GgufType::kArray, array(GgufType::kUint64, 0x2000'0000'0000'0001, "12345678")),
                     "got 2305843009213693953 elements of type u64"},
        BadGgufBytes{"ArrayOfManyStrings", one_key(GgufType::kArray, array(GgufType::kString, 1 << 30, str("a"))),
                     "got 1073741824 elements of type str"},
        BadGgufBytes{"ArrayOfManyArrays", one_key(GgufType::kArray, array(GgufType::kArray, 1 << 30, nested(1))),
                     "got 1073741824 elements of type arr"},
        BadGgufBytes{"ArrayOfUnknownType", one_key(GgufType::kArray, array(static_cast<GgufType>(99), 1, "1")),
                     "the type must be in 0 .. 12, got 99"},
        BadGgufBytes{"ArraysNestedTooDeep", one_key(GgufType::kArray, nested(9)), "nested at most 8 deep, got more"},
        BadGgufBytes{"AlignmentOfThree", align_key(GgufType::kUint32, u32(3)),
                     R"(key "general.alignment": must be a u32 and a power of two up to 1048576, got 3)"},
        BadGgufBytes{"AlignmentOfZero", align_key(GgufType::kUint32, u32(0)), "a power of two up to 1048576, got 0"},
        BadGgufBytes{"AlignmentTooLarge", align_key(GgufType::kUint32, u32(1 << 21)), "got 2097152"},
        BadGgufBytes{"AlignmentOfText", align_key(GgufType::kString, str("32")), "must be a u32"},
        BadGgufBytes{"AlignmentOfU64", align_key(GgufType::kUint64, u64(32)), "must be a u32"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Tensor, BadGguf,
    ::testing::Values(
        BadGgufBytes{"FiveExtents", one_tensor({1, 1, 1, 1, 1}, 0, 0, 4), "must have at most 4 extents, got 5"},
        BadGgufBytes{"ExtentAbove63Bits", one_tensor({1ULL << 63}, 0, 0, 4), "every extent must be below 2^63"},
        BadGgufBytes{"ProductOverflows", one_tensor({1ULL << 32, 1ULL << 32}, 24, 0, 4),
                     "whole blocks of its type and a size below 2^63, got I8 of extents [4294967296,4294967296]"},
        BadGgufBytes{"BytesOverflow", one_tensor({1ULL << 61}, 28, 0, 4), "a size below 2^63"},
        BadGgufBytes{"HalfABlock", one_tensor({48}, 2, 0, 64), "must have whole blocks of its type"},
        BadGgufBytes{"TypeUnknown", one_tensor({1}, 43, 0, 4), R"(tensor "t": the type must be one of ggml's, got 43)"},
        BadGgufBytes{"TypeWithdrawn", one_tensor({1}, 4, 0, 4), "the type must be one of ggml's, got 4"},
        BadGgufBytes{"OffsetNotAligned", one_tensor({1}, 0, 4, 8), "must be a multiple of the alignment, 32, got 4"},
        BadGgufBytes{"BeyondTheFile", one_tensor({2}, 0, 0, 7),
                     R"(tensor "t": the data must lie within the file's 71 bytes, got 8 bytes at offset 0)"},
        BadGgufBytes{"OffsetFarBeyond", one_tensor({1}, 0, 1ULL << 62, 4), "4 bytes at offset 4611686018427387904"},
        BadGgufBytes{"OffsetOverflows", one_tensor({1}, 0, ~31ULL, 4), "at offset 18446744073709551584"},
        BadGgufBytes{"WithoutData", one_tensor({1}, 0, 0, 0), "the data must lie within the file's"},
        BadGgufBytes{"NameTwice", gguf({.tensors = {tensor("t", {1}, 0, 0), tensor("t", {1}, 0, 32)}, .num_data = 36}),
                     R"(byte 57: tensor "t": must be there once)"},
        BadGgufBytes{"TheSameData", gguf({.tensors = {tensor("t", {1}, 0, 0), tensor("u", {1}, 0, 0)}, .num_data = 36}),
                     R"(tensor "u": must not overlap another, got data shared with tensor "t")"},
        BadGgufBytes{"Overlapping",
                     gguf({.tensors = {tensor("t", {1}, 0, 32), tensor("u", {9}, 0, 0)}, .num_data = 36}),
                     R"(tensor "t": must not overlap another, got data shared with tensor "u")"},
        BadGgufBytes{"ManyExtents", gguf({.tensors = {str("t") + u32(~0U) + u64(1) + u32(0) + u64(0)}}),
                     "at most 4 extents, got 4294967295"}),
    [](const auto& info) { return info.param.name; });

std::string small_file() {
  return gguf({.keys = {key("general.architecture", GgufType::kString, str("llama")),
                        key("l", GgufType::kArray, array(GgufType::kString, 2, str("a") + str("bc"))),
                        key("n", GgufType::kArray, nested(3)), key("f", GgufType::kFloat32, le(1.0F))},
               .tensors = {tensor("t", {2, 2}, 0, 0), tensor("u", {3}, 24, 32)},
               .num_data = 35});
}

TEST(BadGgufBytesOfAFile, CutAnywhereAreAnError) {
  const std::string whole = small_file();
  EXPECT_EQ(gguf_error(whole), "");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(gguf_error(whole.substr(0, size)), StartsWith("x.gguf: byte ")) << size;
}

TEST(BadGgufBytesOfAFile, ChangedAnywhereAreReadOrAnError) {
  const std::string whole = small_file();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      const std::string error = gguf_error(changed);
      EXPECT_TRUE(error.empty() || error.rfind("x.gguf: byte ", 0) == 0) << at << ": " << error;
    }
}

}  // namespace
}  // namespace rotary::testing
