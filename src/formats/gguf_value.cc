#include <array>
#include <limits>

#include "formats/gguf_bytes.h"

namespace rotary {
namespace {

constexpr std::array<std::string_view, 13> kNames{"u8",   "i8",  "u16", "i16", "u32", "i32", "f32",
                                                  "bool", "str", "arr", "u64", "i64", "f64"};
constexpr std::size_t kArrayHeader = 12;  // type of the elements (u32), their number (u64)

template <class Number>
Number number_at(std::span<const std::byte> bytes) {
  Number out;
  std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

// Of one element whose bytes are all there.
std::optional<std::int64_t> integer_of(GgufType type, std::span<const std::byte> bytes) {
  switch (type) {
    case GgufType::kUint8: return number_at<std::uint8_t>(bytes);
    case GgufType::kInt8: return number_at<std::int8_t>(bytes);
    case GgufType::kUint16: return number_at<std::uint16_t>(bytes);
    case GgufType::kInt16: return number_at<std::int16_t>(bytes);
    case GgufType::kUint32: return number_at<std::uint32_t>(bytes);
    case GgufType::kInt32: return number_at<std::int32_t>(bytes);
    case GgufType::kInt64: return number_at<std::int64_t>(bytes);
    case GgufType::kUint64: {
      const auto value = number_at<std::uint64_t>(bytes);
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
      return static_cast<std::int64_t>(value);
    }
    default: return std::nullopt;
  }
}

std::optional<double> floating_of(GgufType type, std::span<const std::byte> bytes) {
  if (type == GgufType::kFloat32) return number_at<float>(bytes);
  if (type == GgufType::kFloat64) return number_at<double>(bytes);
  return std::nullopt;
}

// The elements of an array of numbers, each through `convert`; none as soon as one of them is none.
template <class Out, class Convert>
std::optional<std::vector<Out>> elements(const GgufValue& array, Convert&& convert) {
  const auto type = array.element_type();
  const std::size_t size = type ? detail::size_of(*type) : 0;
  if (size == 0 || array.size() > (array.encoded().size() - kArrayHeader) / size) return std::nullopt;
  std::vector<Out> out;
  out.reserve(array.size());
  for (std::uint64_t i = 0; i < array.size(); ++i) {
    const auto value = convert(*type, array.encoded().subspan(kArrayHeader + i * size, size));
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

}  // namespace

std::string_view to_string(GgufType type) {
  const auto number = static_cast<std::size_t>(type);
  return number < kNames.size() ? kNames[number] : "?";
}

std::optional<std::int64_t> GgufValue::integer() const {
  if (encoded_.size() < detail::size_of(type_)) return std::nullopt;
  return integer_of(type_, encoded_);
}

std::optional<double> GgufValue::floating() const {
  if (encoded_.size() < detail::size_of(type_)) return std::nullopt;
  return floating_of(type_, encoded_);
}

std::optional<bool> GgufValue::boolean() const {
  if (type_ != GgufType::kBool || encoded_.empty()) return std::nullopt;
  return std::to_integer<int>(encoded_[0]) != 0;
}

std::optional<std::string_view> GgufValue::text() const {
  if (type_ != GgufType::kString || encoded_.size() < 8) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(encoded_.data()) + 8, encoded_.size() - 8);
}

std::optional<GgufType> GgufValue::element_type() const {
  if (type_ != GgufType::kArray || encoded_.size() < kArrayHeader) return std::nullopt;
  return static_cast<GgufType>(number_at<std::uint32_t>(encoded_));
}

std::uint64_t GgufValue::size() const { return element_type() ? number_at<std::uint64_t>(encoded_.subspan(4)) : 0; }

std::optional<std::vector<std::int64_t>> GgufValue::integers() const {
  return elements<std::int64_t>(*this, [](GgufType type, std::span<const std::byte> bytes) {
    return type == GgufType::kBool ? std::optional<std::int64_t>(std::to_integer<int>(bytes[0]) != 0)
                                   : integer_of(type, bytes);
  });
}

std::optional<std::vector<double>> GgufValue::floatings() const { return elements<double>(*this, floating_of); }

std::optional<std::vector<std::string_view>> GgufValue::texts() const {
  if (element_type() != GgufType::kString) return std::nullopt;
  std::vector<std::string_view> out;
  std::span<const std::byte> rest = encoded_.subspan(kArrayHeader);
  for (std::uint64_t i = 0; i < size(); ++i) {
    if (rest.size() < 8 || number_at<std::uint64_t>(rest) > rest.size() - 8) return std::nullopt;
    const std::size_t length = number_at<std::uint64_t>(rest);
    out.emplace_back(reinterpret_cast<const char*>(rest.data()) + 8, length);
    rest = rest.subspan(8 + length);
  }
  return out;
}

}  // namespace rotary
