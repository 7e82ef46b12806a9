#include "formats/gguf_keys.h"

#include <cmath>

#include "formats/gguf_bytes.h"

namespace rotary::detail {
namespace {

constexpr std::int64_t kMaxCount = 0x7fff'ffff;

bool is_count(std::int64_t x) { return x >= 0 && x <= kMaxCount; }

}  // namespace

const GgufValue* GgufKeys::value(const std::string& suffix) {
  const std::string path = path_of(suffix);
  read_.insert(path);
  return file_.value(path);
}

void GgufKeys::fail(const std::string& suffix, const std::string& must_hold, const std::string& got) const {
  detail::fail(reading_, path_of(suffix), must_hold, got);
}

std::optional<double> GgufKeys::number(const std::string& suffix) {
  const GgufValue* found = value(suffix);
  if (found == nullptr) return std::nullopt;
  const auto x = found->floating();
  if (!x || !std::isfinite(*x)) fail(suffix, "be a finite f32", show(*found));
  return x;
}

std::optional<std::int64_t> GgufKeys::count(const std::string& suffix) {
  const GgufValue* found = value(suffix);
  if (found == nullptr) return std::nullopt;
  const auto x = found->integer();
  if (!x || !is_count(*x)) fail(suffix, "be a whole number in 0 .. 2^31 - 1", show(*found));
  return x;
}

std::optional<bool> GgufKeys::boolean(const std::string& suffix) {
  const GgufValue* found = value(suffix);
  if (found == nullptr) return std::nullopt;
  if (!found->boolean()) fail(suffix, "be true or false", show(*found));
  return found->boolean();
}

std::optional<std::string> GgufKeys::text(const std::string& suffix) {
  const GgufValue* found = value(suffix);
  if (found == nullptr) return std::nullopt;
  if (!found->text()) fail(suffix, "be a string", show(*found));
  return std::string(*found->text());
}

std::optional<std::vector<std::int64_t>> GgufKeys::counts(const std::string& suffix, std::size_t num_layers) {
  const GgufValue* found = value(suffix);
  if (found == nullptr) return std::nullopt;
  if (const auto one = found->boolean()) return std::vector<std::int64_t>(num_layers, *one ? 1 : 0);
  if (const auto one = found->integer(); one && is_count(*one)) return std::vector<std::int64_t>(num_layers, *one);
  const auto list = found->size() == num_layers ? found->integers() : std::nullopt;
  bool ok = list.has_value();
  for (std::size_t i = 0; ok && i < num_layers; ++i) ok = is_count((*list)[i]);
  if (!ok) fail(suffix, "be a whole number, or " + std::to_string(num_layers) + " of them", show(*found));
  return list;
}

Source GgufKeys::source(std::string field, const std::string& suffix, const std::string& otherwise) {
  const GgufValue* found = value(suffix);
  return {std::move(field), path_of(suffix), found ? show(*found) : otherwise, found == nullptr};
}

}  // namespace rotary::detail
