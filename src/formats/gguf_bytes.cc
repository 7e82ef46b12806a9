#include "formats/gguf_bytes.h"

#include <limits>
#include <stdexcept>

#include "formats/json_reader.h"

namespace rotary::detail {

std::size_t size_of(GgufType type) {
  switch (type) {
    case GgufType::kUint8:
    case GgufType::kInt8:
    case GgufType::kBool: return 1;
    case GgufType::kUint16:
    case GgufType::kInt16: return 2;
    case GgufType::kUint32:
    case GgufType::kInt32:
    case GgufType::kFloat32: return 4;
    case GgufType::kUint64:
    case GgufType::kInt64:
    case GgufType::kFloat64: return 8;
    case GgufType::kString:
    case GgufType::kArray: break;
  }
  return 0;
}

void GgufCursor::fail_at(std::size_t at, const std::string& must_hold, const std::string& got) const {
  throw std::runtime_error(place_ + ": byte " + std::to_string(at) + ": " + (item_.empty() ? "" : item_ + ": ") +
                           must_hold + ", got " + got);
}

std::span<const std::byte> GgufCursor::take(std::uint64_t count, const char* what) {
  if (count > left())
    fail(std::string(what) + " must lie within the file's " + std::to_string(bytes_.size()) + " bytes",
         std::to_string(count) + " bytes");
  const auto out = bytes_.subspan(at_, count);
  at_ += count;
  return out;
}

std::string_view GgufCursor::text(const char* what, std::uint64_t max_bytes) {
  const std::size_t begin = at_;
  const auto length = number<std::uint64_t>(what);
  if (length > max_bytes)
    fail_at(begin, std::string(what) + " must have at most " + std::to_string(max_bytes) + " bytes",
            std::to_string(length));
  const auto bytes = take(length, what);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

GgufType GgufCursor::type() {
  const std::size_t begin = at_;
  const auto number = this->number<std::uint32_t>("the type");
  if (number > static_cast<std::uint32_t>(GgufType::kFloat64))
    fail_at(begin, "the type must be in 0 .. 12", std::to_string(number));
  return static_cast<GgufType>(number);
}

std::span<const std::byte> GgufCursor::value(GgufType type) {
  const std::size_t begin = at_;
  skip(type, 0);
  return bytes_.subspan(begin, at_ - begin);
}

void GgufCursor::skip(GgufType type, int depth) {
  if (type == GgufType::kArray)
    skip_array(depth + 1);
  else if (type == GgufType::kString)
    text("the string");
  else if (const auto bytes = take(size_of(type), "the value");
           type == GgufType::kBool && std::to_integer<int>(bytes[0]) > 1)
    fail_at(at_ - 1, "a truth value must be 0 or 1", std::to_string(std::to_integer<int>(bytes[0])));
}

void GgufCursor::skip_array(int depth) {
  const std::size_t begin = at_;
  if (depth > kMaxGgufDepth) fail("arrays must be nested at most " + std::to_string(kMaxGgufDepth) + " deep", "more");
  const GgufType element = type();
  const auto count = number<std::uint64_t>("the array's size");
  const std::size_t size = size_of(element);
  const std::size_t smallest = size != 0 ? size : element == GgufType::kString ? 8 : 12;
  if (count > left() / smallest)
    fail_at(begin, "the array must lie within the file's " + std::to_string(bytes_.size()) + " bytes",
            std::to_string(count) + " elements of type " + std::string(to_string(element)));
  if (size != 0 && element != GgufType::kBool)
    take(count * size, "the array");
  else
    for (std::uint64_t i = 0; i < count; ++i) skip(element, depth);
}

std::optional<std::uint64_t> num_bytes(GgmlType type, std::span<const std::int64_t> extents) {
  const GgmlBlock block = block_of(type);
  const std::int64_t row = extents.empty() ? 1 : extents[0];
  if (block.num_elements == 0 || row % block.num_elements != 0) return std::nullopt;
  std::int64_t bytes = row / block.num_elements;
  for (std::size_t i = 1; i < extents.size(); ++i)
    if (__builtin_mul_overflow(bytes, extents[i], &bytes)) return std::nullopt;
  if (__builtin_mul_overflow(bytes, block.num_bytes, &bytes)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::string show(const GgufValue& value) {
  if (const auto x = value.integer()) return std::to_string(*x);
  if (const auto x = value.floating()) return show(Json(*x));
  if (const auto x = value.boolean()) return *x ? "true" : "false";
  if (const auto x = value.text()) return show(Json(std::string(x->substr(0, 200))));
  constexpr std::uint64_t kMaxShown = 16;
  if (value.size() <= kMaxShown) {
    if (const auto x = value.integers()) return show(Json(*x));
    if (const auto x = value.floatings()) return show(Json(*x));
  }
  if (const auto element = value.element_type())
    return "an array of " + std::to_string(value.size()) + " " + std::string(to_string(*element));
  return "a value of type " + std::string(to_string(value.type()));
}

}  // namespace rotary::detail
