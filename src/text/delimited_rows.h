// Rows of CSV and TSV, as RFC 4180 has them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/line_reader.h"

namespace rotary::text {

/// A field is quoted when its first character is a quote: then delimiters and line ends belong to it, and a doubled
/// quote is a quote. Elsewhere a quote is a character like others.
class DelimitedRows {
 public:
  DelimitedRows(LineReader& lines, char delimiter, bool quotes)
      : lines_(lines), delimiter_(delimiter), quotes_(quotes) {}

  /// Reads the next row that is not a blank line; false at the end. Throws std::runtime_error for a quoted field that
  /// does not end, that goes on behind its closing quote or is too long, and for a row of more than 65,536 fields.
  bool next();

  const std::vector<std::string>& fields() const { return fields_; }

  /// The line that the row begins on.
  const Place& place() const { return place_; }

 private:
  std::string& new_field();
  bool read_plain();
  bool read_quoted();

  LineReader& lines_;
  char delimiter_;
  bool quotes_;
  std::vector<std::string> fields_;
  Place place_;
  std::size_t at_ = 0;  // byte of the present line
};

}  // namespace rotary::text
