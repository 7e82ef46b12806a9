#include "rotary/formats/stored_tensor.h"

#include <array>

namespace rotary {
namespace {

struct Row {
  StoredDType dtype;
  std::string_view name;
  std::int64_t bits;
};

constexpr std::array kRows{
    Row{StoredDType::kFloat64, "F64", 64},       Row{StoredDType::kFloat32, "F32", 32},
    Row{StoredDType::kFloat16, "F16", 16},       Row{StoredDType::kBfloat16, "BF16", 16},
    Row{StoredDType::kInt64, "I64", 64},         Row{StoredDType::kInt32, "I32", 32},
    Row{StoredDType::kInt16, "I16", 16},         Row{StoredDType::kInt8, "I8", 8},
    Row{StoredDType::kUint64, "U64", 64},        Row{StoredDType::kUint32, "U32", 32},
    Row{StoredDType::kUint16, "U16", 16},        Row{StoredDType::kUint8, "U8", 8},
    Row{StoredDType::kBool, "BOOL", 8},          Row{StoredDType::kComplex64, "C64", 64},
    Row{StoredDType::kFloat8E4M3, "F8_E4M3", 8}, Row{StoredDType::kFloat8E4M3Fnuz, "F8_E4M3FNUZ", 8},
    Row{StoredDType::kFloat8E5M2, "F8_E5M2", 8}, Row{StoredDType::kFloat8E5M2Fnuz, "F8_E5M2FNUZ", 8},
    Row{StoredDType::kFloat8E8M0, "F8_E8M0", 8}, Row{StoredDType::kFloat6E2M3, "F6_E2M3", 6},
    Row{StoredDType::kFloat6E3M2, "F6_E3M2", 6}, Row{StoredDType::kFloat4, "F4", 4},
};

constexpr bool rows_stand_in_the_order_of_the_enumerators() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].dtype) != i) return false;
  return true;
}
static_assert(rows_stand_in_the_order_of_the_enumerators());

}  // namespace

std::string_view to_string(StoredDType dtype) { return kRows.at(static_cast<std::size_t>(dtype)).name; }

std::optional<StoredDType> parse_stored_dtype(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

std::int64_t bits_of(StoredDType dtype) { return kRows.at(static_cast<std::size_t>(dtype)).bits; }

std::int64_t num_elements(const StoredTensor& tensor) {
  return static_cast<std::int64_t>(tensor.data.size()) * 8 / bits_of(tensor.dtype);
}

}  // namespace rotary
