#include "formats/tensor_values.h"

#include <cstring>
#include <stdexcept>

#include "core/bfloat16.h"
#include "core/float16.h"

namespace rotary::detail {
namespace {

// Nothing in a file is aligned: the header may have any size.
template <class Stored, class Number, class Convert>
void convert(std::span<const std::byte> data, std::span<Number> out, Convert&& number_of) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored element;
    std::memcpy(&element, data.data() + i * sizeof element, sizeof element);
    out[i] = number_of(element);
  }
}

template <class Stored>
void widen(std::span<const std::byte> data, std::span<std::int64_t> out) {
  convert<Stored>(data, out, [](Stored element) { return static_cast<std::int64_t>(element); });
}

[[noreturn]] void refuse(const StoredTensor& tensor, const std::string& place, const char* types) {
  throw std::runtime_error(place + ": dtype must be one of " + types + " here, got " +
                           std::string(to_string(tensor.dtype)));
}

}  // namespace

void read_float_into(const StoredTensor& tensor, const std::string& place, std::span<float> out) {
  switch (tensor.dtype) {
    case StoredDType::kFloat64:
      return convert<double>(tensor.data, out, [](double element) { return static_cast<float>(element); });
    case StoredDType::kFloat32: return convert<float>(tensor.data, out, [](float element) { return element; });
    case StoredDType::kFloat16: return convert<std::uint16_t>(tensor.data, out, from_float16);
    case StoredDType::kBfloat16: return convert<std::uint16_t>(tensor.data, out, from_bfloat16);
    default: refuse(tensor, place, "F64, F32, F16, BF16");
  }
}

void read_int64_into(const StoredTensor& tensor, const std::string& place, std::span<std::int64_t> out) {
  switch (tensor.dtype) {
    case StoredDType::kInt64: return widen<std::int64_t>(tensor.data, out);
    case StoredDType::kInt32: return widen<std::int32_t>(tensor.data, out);
    case StoredDType::kInt16: return widen<std::int16_t>(tensor.data, out);
    case StoredDType::kInt8: return widen<std::int8_t>(tensor.data, out);
    case StoredDType::kUint32: return widen<std::uint32_t>(tensor.data, out);
    case StoredDType::kUint16: return widen<std::uint16_t>(tensor.data, out);
    case StoredDType::kUint8: return widen<std::uint8_t>(tensor.data, out);
    case StoredDType::kBool:
      return convert<std::uint8_t>(tensor.data, out, [](std::uint8_t element) { return std::int64_t{element != 0}; });
    default: refuse(tensor, place, "I64, I32, I16, I8, U32, U16, U8, BOOL");
  }
}

}  // namespace rotary::detail
