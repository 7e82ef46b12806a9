#include "text/data_error.h"

#include <cstdio>
#include <stdexcept>
#include <system_error>

namespace rotary::text {
namespace {

// Control characters would break the one line of a message, or draw on the terminal.
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", byte);
      out += hex;
    } else {
      out += c;
    }
  }
  return out;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string to_string(const Place& place) {
  std::string out = escape(place.file);
  if (place.line != 0) out += ":" + std::to_string(place.line);
  if (place.column != 0) out += ":" + std::to_string(place.column);
  return out;
}

std::string quote(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return "'" + escape(text) + "'";
  std::size_t end = max_bytes;
  while (end > 0 && continues(text[end])) --end;  // not inside a character
  return "'" + escape(text.substr(0, end)) + "...'";
}

void fail(const Place& place, std::string_view must_hold, std::string_view got) {
  throw std::runtime_error(to_string(place) + ": " + std::string(must_hold) + ", got " + std::string(got));
}

void fail_to_read(const std::string& path, int code) {
  fail({path}, "must be readable", std::generic_category().message(code));
}

}  // namespace rotary::text
