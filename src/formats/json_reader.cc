#include "formats/json_reader.h"

#include <stdexcept>

#include "formats/document_builder.h"

namespace rotary::detail {
namespace {

// Rewrites bare NaN, Infinity and -Infinity outside strings, which Python writes and JSON does not know.
std::string mark_non_finite(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < text.size()) out += text[++i];
      if (c == '"') in_string = false;
      continue;
    }
    in_string = c == '"';
    std::string_view word;
    for (std::string_view candidate : {"-Infinity", "Infinity", "NaN"})
      if (text.substr(i).starts_with(candidate)) {
        word = candidate;
        break;
      }
    if (word.empty()) {
      out += c;
    } else {
      out += std::string("\"\\u0001") + std::string(word) + '"';
      i += word.size() - 1;
    }
  }
  return out;
}

}  // namespace

JsonDocument parse_json(std::string_view text, const std::string& name, const JsonRules& rules) {
  if (text.size() > rules.max_bytes)
    throw std::runtime_error(name + ": must be at most " + std::to_string(rules.max_bytes >> 20) + " MiB, got " +
                             std::to_string(text.size()) + " bytes");
  // The JSON library takes a NUL for the end.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    throw std::runtime_error(name + ": must be JSON, got a NUL at byte " + std::to_string(nul));
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  DocumentBuilder builder(name);
  if (rules.python_numbers)
    Json::sax_parse(mark_non_finite(text), &builder);
  else
    Json::sax_parse(text, &builder);
  return builder.take();
}

std::string show(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (!text.empty() && text[0] == kNonFiniteMark) return text.substr(1);
  }
  constexpr std::size_t kMaxShown = 1000;
  if (value.size() > kMaxShown)
    return (value.is_array() ? "a list of " : "an object of ") + std::to_string(value.size());
  std::string out = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (out.size() > 80) out = out.substr(0, 77) + "...";
  return out;
}

}  // namespace rotary::detail
