#include <array>

#include "core/require.h"
#include "rotary/formats/gguf.h"

namespace rotary {
namespace {

struct Row {
  std::uint32_t number;
  std::string_view name;
  GgmlBlock block;
};

// 4, 5, 31 to 33 and 36 to 38 were types once and are refused by ggml.
constexpr std::array kRows{
    Row{0, "F32", {1, 4}},         Row{1, "F16", {1, 2}},         Row{2, "Q4_0", {32, 18}},
    Row{3, "Q4_1", {32, 20}},      Row{6, "Q5_0", {32, 22}},      Row{7, "Q5_1", {32, 24}},
    Row{8, "Q8_0", {32, 34}},      Row{9, "Q8_1", {32, 36}},      Row{10, "Q2_K", {256, 84}},
    Row{11, "Q3_K", {256, 110}},   Row{12, "Q4_K", {256, 144}},   Row{13, "Q5_K", {256, 176}},
    Row{14, "Q6_K", {256, 210}},   Row{15, "Q8_K", {256, 292}},   Row{16, "IQ2_XXS", {256, 66}},
    Row{17, "IQ2_XS", {256, 74}},  Row{18, "IQ3_XXS", {256, 98}}, Row{19, "IQ1_S", {256, 50}},
    Row{20, "IQ4_NL", {32, 18}},   Row{21, "IQ3_S", {256, 110}},  Row{22, "IQ2_S", {256, 82}},
    Row{23, "IQ4_XS", {256, 136}}, Row{24, "I8", {1, 1}},         Row{25, "I16", {1, 2}},
    Row{26, "I32", {1, 4}},        Row{27, "I64", {1, 8}},        Row{28, "F64", {1, 8}},
    Row{29, "IQ1_M", {256, 56}},   Row{30, "BF16", {1, 2}},       Row{34, "TQ1_0", {256, 54}},
    Row{35, "TQ2_0", {256, 66}},   Row{39, "MXFP4", {32, 17}},    Row{40, "NVFP4", {64, 36}},
    Row{41, "Q1_0", {128, 18}},    Row{42, "Q2_0", {64, 18}},
};

constexpr std::array<std::pair<GgmlType, StoredDType>, 8> kStored{{
    {GgmlType::kFloat32, StoredDType::kFloat32},
    {GgmlType::kFloat16, StoredDType::kFloat16},
    {GgmlType::kBfloat16, StoredDType::kBfloat16},
    {GgmlType::kFloat64, StoredDType::kFloat64},
    {GgmlType::kInt8, StoredDType::kInt8},
    {GgmlType::kInt16, StoredDType::kInt16},
    {GgmlType::kInt32, StoredDType::kInt32},
    {GgmlType::kInt64, StoredDType::kInt64},
}};

}  // namespace

std::string_view to_string(GgmlType type) {
  for (const Row& row : kRows)
    if (row.number == static_cast<std::uint32_t>(type)) return row.name;
  return "";
}

GgmlBlock block_of(GgmlType type) {
  for (const Row& row : kRows)
    if (row.number == static_cast<std::uint32_t>(type)) return row.block;
  return {};
}

std::optional<StoredTensor> to_stored(const GgufTensor& tensor) {
  for (const auto& [type, dtype] : kStored)
    if (type == tensor.type)
      return StoredTensor{tensor.name, dtype, {tensor.extents.rbegin(), tensor.extents.rend()}, tensor.data};
  return std::nullopt;
}

GgufTensor to_gguf(const StoredTensor& tensor) {
  for (const auto& [type, dtype] : kStored)
    if (dtype == tensor.dtype) return {tensor.name, type, {tensor.shape.rbegin(), tensor.shape.rend()}, tensor.data, 0};
  detail::require(false, "to_gguf", "tensor " + tensor.name + " must be of a type that ggml has",
                  to_string(tensor.dtype));
  return {};
}

}  // namespace rotary
