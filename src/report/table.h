// Tables: columns with names, rows of text; for a terminal here, for a page in page.h.
#pragma once

#include <string>
#include <vector>

namespace rotary::report {

/// kByContent: right if all cells are numbers (with a sign, a unit of up to three letters, a spread …), else left.
enum class Align { kByContent, kLeft, kRight };

struct Column {
  std::string name = {};
  Align align = Align::kByContent;
};

/// rows [num_rows][num_columns]. The first column names the row.
struct Table {
  std::vector<Column> columns = {};
  std::vector<std::vector<std::string>> rows = {};
};

/// kLeft or kRight for every column. Throws std::invalid_argument: a row that has not a cell for each column.
std::vector<Align> alignments(const Table& table);

/// Names, a rule, rows; columns two blanks apart, each as wide as its widest cell in code points; lines end without
/// blanks. Control characters in cells become blanks. Throws as alignments().
std::string to_text(const Table& table);

}  // namespace rotary::report
