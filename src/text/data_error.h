// Where in the data something stands, and the one thrower of data errors: "file:line:column: must ..., got ...".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rotary::text {

/// Lines and columns are counted from 1, columns in bytes; 0 is left out of the message.
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

std::string to_string(const Place& place);

/// Text as a message quotes it: in quotes, on one line, cut to a readable length. `text` is UTF-8.
std::string quote(std::string_view text, std::size_t max_bytes = 60);

/// quote() of each, the first few of them, with commas.
template <class Strings>
std::string quote_list(const Strings& texts) {
  constexpr std::size_t kMaxShown = 10;
  std::string out;
  std::size_t count = 0;
  for (const auto& text : texts) {
    if (count == kMaxShown) return out + ", ...";
    if (count++ != 0) out += ", ";
    out += quote(text);
  }
  return count == 0 ? "none" : out;
}

/// Throws std::runtime_error "place: must_hold, got got".
[[noreturn]] void fail(const Place& place, std::string_view must_hold, std::string_view got);

/// fail() for a file or folder that the system refuses; `code` is an errno.
[[noreturn]] void fail_to_read(const std::string& path, int code);

}  // namespace rotary::text
