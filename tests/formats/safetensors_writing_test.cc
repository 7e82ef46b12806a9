// What is written is read back, aligned, and the same bytes each time; wrong arguments write nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "formats/safetensors_bytes.h"
#include "formats/scratch_folder.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SafetensorsWriting : public ScratchFolder {};

std::vector<StoredDType> every_dtype() {
  std::vector<StoredDType> out;
  for (int i = 0; i <= static_cast<int>(StoredDType::kFloat4); ++i) out.push_back(static_cast<StoredDType>(i));
  return out;
}

TEST(StoredDTypes, AreNamedAndParsed) {
  for (const StoredDType dtype : every_dtype()) EXPECT_EQ(parse_stored_dtype(to_string(dtype)), dtype);
  EXPECT_EQ(parse_stored_dtype("F33"), std::nullopt);
}

TEST_F(SafetensorsWriting, GivesEveryTypeAndTheMetadataBack) {
  const std::string data = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::vector<StoredTensor> tensors;
  for (const StoredDType dtype : every_dtype()) {
    const auto size = static_cast<std::size_t>(4 * bits_of(dtype) / 8);
    tensors.push_back({std::string(to_string(dtype)), dtype, {2, 1, 2}, bytes_of(data).first(size)});
  }
  const std::map<std::string, std::string> metadata{{"format", "pt"}, {"\"\\\n\x01", "é€😀"}};
  write_safetensors(file("x"), tensors, metadata);
  const SafetensorsFile read(file("x"));
  EXPECT_EQ(read.metadata(), metadata);
  ASSERT_EQ(read.tensors().size(), tensors.size());
  for (const StoredTensor& tensor : tensors) {
    const StoredTensor& back = read.at(tensor.name);
    EXPECT_EQ(back.dtype, tensor.dtype) << tensor.name;
    EXPECT_EQ(back.shape, tensor.shape) << tensor.name;
    EXPECT_TRUE(std::ranges::equal(back.data, tensor.data)) << tensor.name;
    EXPECT_EQ(num_elements(back), 4) << tensor.name;
  }
}

TEST_F(SafetensorsWriting, GivesNumbersBackBitForBit) {
  const std::vector<float> values{0.1F, -0.0F, 1e-45F, 3.4e38F, -7};
  const std::vector<double> doubles{1 + 0x1p-24, 1 + 0x1.8p-23, 1e-320};  // ties go to even
  const std::vector<std::int64_t> integers{-1, INT64_MIN, INT64_MAX};
  write_safetensors(file("x"),
                    std::vector<StoredTensor>{{"f", StoredDType::kFloat32, {5}, std::as_bytes(std::span(values))},
                                              {"d", StoredDType::kFloat64, {3, 1}, std::as_bytes(std::span(doubles))},
                                              {"i", StoredDType::kInt64, {3}, std::as_bytes(std::span(integers))}});
  SafetensorsFile first(file("x"));
  const SafetensorsFile read = std::move(first);
  EXPECT_EQ(read.read_float("f"), values);
  EXPECT_THAT(read.read_float("d"), ElementsAre(1.0F, 1 + 0x1p-22F, 0.0F));
  EXPECT_EQ(read.read_int64("i"), integers);
  std::vector<float> out(5);
  read.read_float_into("f", out);
  EXPECT_TRUE(std::signbit(out[1]));
  EXPECT_EQ(out, values);
}

TEST_F(SafetensorsWriting, AlignsEveryElementAndKeepsTheOrderOtherwise) {
  const std::string data(24, 'x');
  const auto tensor = [&](const char* name, StoredDType dtype, std::int64_t extent) {
    return StoredTensor{
        name, dtype, {extent}, bytes_of(data).first(static_cast<std::size_t>(extent * bits_of(dtype) / 8))};
  };
  const std::vector<StoredTensor> tensors{tensor("bytes", StoredDType::kInt8, 3), tensor("z", StoredDType::kFloat32, 3),
                                          tensor("a", StoredDType::kInt32, 1),
                                          tensor("wide", StoredDType::kFloat64, 2)};
  write_safetensors(file("x"), tensors);
  const std::string bytes = contents("x");
  EXPECT_THAT(bytes.substr(8),
              ::testing::StartsWith(R"({"wide":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},"z":)"));
  const SafetensorsFile read(file("x"));
  EXPECT_THAT(read.names(), ElementsAre("wide", "z", "a", "bytes"));
  for (const StoredTensor& t : read.tensors())
    EXPECT_EQ(std::bit_cast<std::uintptr_t>(t.data.data()) % static_cast<std::uintptr_t>(bits_of(t.dtype) / 8), 0u);
  write_safetensors(file("y"), tensors);
  EXPECT_EQ(contents("y"), bytes);
}

TEST_F(SafetensorsWriting, WritesNothingAtAll) {
  write_safetensors(file("x"), {});
  EXPECT_EQ(contents("x"), safetensors("{}      "));
}

TEST_F(SafetensorsWriting, LeavesAnOpenFileItsOldNumbers) {
  const std::vector<std::int8_t> old_values{1}, new_values{2};
  write_safetensors(file("x"),
                    std::vector<StoredTensor>{{"a", StoredDType::kInt8, {1}, std::as_bytes(std::span(old_values))}});
  const SafetensorsFile open(file("x"));
  write_safetensors(file("x"),
                    std::vector<StoredTensor>{{"a", StoredDType::kInt8, {1}, std::as_bytes(std::span(new_values))}});
  EXPECT_THAT(open.read_int64("a"), ElementsAre(1));
  EXPECT_THAT(SafetensorsFile(file("x")).read_int64("a"), ElementsAre(2));
}

struct BadTensors {
  const char* name;
  std::vector<StoredTensor> tensors;
  std::map<std::string, std::string> metadata;
  const char* error;  // after "write_safetensors: "
};

void PrintTo(const BadTensors& bad, std::ostream* out) { *out << bad.name; }

class SafetensorsBadTensors : public ScratchFolder, public ::testing::WithParamInterface<BadTensors> {};

TEST_P(SafetensorsBadTensors, AreRefusedBeforeAnythingIsWritten) {
  try {
    write_safetensors(file("x"), GetParam().tensors, GetParam().metadata);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), "write_safetensors: " + std::string(GetParam().error));
  }
  EXPECT_THAT(listing(), IsEmpty());
}

constexpr StoredDType kInt8 = StoredDType::kInt8;
const std::span<const std::byte> kFour = bytes_of("1234");

INSTANTIATE_TEST_SUITE_P(
    , SafetensorsBadTensors,
    ::testing::Values(
        BadTensors{"NameTwice",
                   {{"a", kInt8, {4}, kFour}, {"a", kInt8, {4}, kFour}},
                   {},
                   R"(tensors must have names of their own, got "a" twice)"},
        BadTensors{"NameOfTheMetadata",
                   {{"__metadata__", kInt8, {4}, kFour}},
                   {},
                   R"(no tensor must have the name of the metadata, got "__metadata__")"},
        BadTensors{
            "NameNotUtf8", {{"\xff", kInt8, {4}, kFour}}, {}, "names and metadata must be UTF-8, got \"\xef\xbf\xbd\""},
        BadTensors{"MetadataNotUtf8", {}, {{"a", "\xc3"}}, "names and metadata must be UTF-8, got \"\xef\xbf\xbd\""},
        BadTensors{"Negative",
                   {{"a", kInt8, {-1, -4}, kFour}},
                   {},
                   R"(the extents of tensor "a" must not be negative, got -1)"},
        BadTensors{"Overflowing",
                   {{"a", kInt8, {INT64_MAX, 4}, kFour}},
                   {},
                   R"(tensor "a" must have a size in whole bytes below 2^64, got [9223372036854775807,4])"},
        BadTensors{"HalfAByte",
                   {{"a", StoredDType::kFloat4, {7}, kFour}},
                   {},
                   R"(tensor "a" must have a size in whole bytes below 2^64, got [7])"},
        BadTensors{"OtherSize",
                   {{"a", StoredDType::kInt16, {4}, kFour}},
                   {},
                   R"(the data of tensor "a" must have 8 bytes, got 4)"},
        BadTensors{"TooManyDimensions",
                   {{"a", kInt8, std::vector<std::int64_t>(65, 1), kFour.first(1)}},
                   {},
                   R"(tensor "a" must have at most 64 dimensions, got 65)"}),
    [](const auto& info) { return info.param.name; });

TEST_F(SafetensorsWriting, RefusesAHeaderThatNoReaderWouldTake) {
  const std::map<std::string, std::string> metadata{{"a", std::string(100'000'000, 'x')}};
  EXPECT_THROW(write_safetensors(file("x"), {}, metadata), std::invalid_argument);
  EXPECT_THAT(listing(), IsEmpty());
}

TEST_F(SafetensorsWriting, SaysWhereItCannotWrite) {
  write("folder_is_a_file", "");
  try {
    write_safetensors(file("folder_is_a_file/x"), {});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(file("folder_is_a_file/x") + ": must be writable"));
    EXPECT_THAT(error.what(), HasSubstr("Not a directory"));
  }
}

}  // namespace
}  // namespace rotary::testing
