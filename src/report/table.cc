#include "report/table.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/require.h"
#include "report/text.h"

namespace rotary::report {
namespace {

bool is_blank(std::string_view cell) {
  constexpr std::string_view kBlanks[] = {"", "-", "–", "—", "n/a", "nan"};
  return std::find(std::begin(kBlanks), std::end(kBlanks), cell) != std::end(kBlanks);
}

// A number, then at most three letters: "12", "−0.5", "81.2 %", "18.3k", "0.81 ± 0.02", "3.5 ms"; not "2 layers".
bool is_number(std::string_view cell) {
  for (const std::string_view sign : {"+", "-", "−", "±"})
    if (cell.starts_with(sign)) {
      cell.remove_prefix(sign.size());
      break;
    }
  if (cell.starts_with('.')) cell.remove_prefix(1);
  const auto is = [](int (*kind)(int)) { return [kind](char c) { return kind(static_cast<unsigned char>(c)) != 0; }; };
  return !cell.empty() && is(std::isdigit)(cell[0]) && std::count_if(cell.begin(), cell.end(), is(std::isalpha)) <= 3;
}

bool has_numbers(const Table& table, std::size_t column) {
  bool any = false;
  for (const std::vector<std::string>& row : table.rows) {
    if (is_number(row[column]))
      any = true;
    else if (!is_blank(row[column]))
      return false;
  }
  return any;
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return text;
}

using Lines = std::vector<std::vector<std::string>>;

std::vector<std::size_t> widths_of(const Lines& lines) {
  std::vector<std::size_t> out(lines[0].size(), 0);
  for (const std::vector<std::string>& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) out[c] = std::max(out[c], code_points(line[c]).size());
  return out;
}

std::string joined(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                   const std::vector<Align>& aligns) {
  std::string out;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::string blanks(widths[c] - code_points(cells[c]).size(), ' ');
    out += (c > 0 ? "  " : "") + (aligns[c] == Align::kRight ? blanks + cells[c] : cells[c] + blanks);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

}  // namespace

std::vector<Align> alignments(const Table& table) {
  for (const std::vector<std::string>& row : table.rows)
    detail::require(row.size() == table.columns.size(), "table",
                    "a row must have " + std::to_string(table.columns.size()) + " cells", row.size());
  std::vector<Align> out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Align wanted = table.columns[c].align;
    out.push_back(wanted != Align::kByContent ? wanted : has_numbers(table, c) ? Align::kRight : Align::kLeft);
  }
  return out;
}

std::string to_text(const Table& table) {
  const std::vector<Align> aligns = alignments(table);
  if (table.columns.empty()) return "";
  Lines lines(1);
  for (const Column& column : table.columns) lines[0].push_back(one_line(column.name));
  for (const std::vector<std::string>& row : table.rows) {
    lines.emplace_back();
    for (const std::string& cell : row) lines.back().push_back(one_line(cell));
  }
  const std::vector<std::size_t> widths = widths_of(lines);
  std::vector<std::string> rule;
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  std::string out = joined(lines[0], widths, aligns) + joined(rule, widths, aligns);
  for (std::size_t i = 1; i < lines.size(); ++i) out += joined(lines[i], widths, aligns);
  return out;
}

}  // namespace rotary::report
