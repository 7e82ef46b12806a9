// Lines of UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/byte_source.h"
#include "text/data_error.h"

namespace rotary::text {

class LineReader {
 public:
  LineReader(ByteSource& source, std::size_t max_bytes);

  /// Goes to the next line; false at the end. A byte order mark at the beginning is left out. Throws
  /// std::runtime_error for a line that is no UTF-8, has a NUL or is longer than the limit.
  bool next();

  /// The line with its line feed, if it has one; valid until next().
  std::string_view line() const { return line_; }

  /// A byte of the line (0 is the first), or the line itself.
  Place place() const { return {source_.name(), number_, 0}; }
  Place place(std::size_t byte) const { return {source_.name(), number_, byte + mark_bytes_ + 1}; }

  std::size_t max_bytes() const { return max_bytes_; }

 private:
  void append_line();
  void check_line();

  ByteSource& source_;
  std::size_t max_bytes_;
  std::vector<char> block_;
  std::string_view rest_;  // of the block
  std::string line_;
  std::size_t number_ = 0;
  std::size_t mark_bytes_ = 0;  // of the byte order mark in this line
};

/// `text` without "\n" or "\r\n" at its end.
std::string_view without_line_end(std::string_view text);

}  // namespace rotary::text
