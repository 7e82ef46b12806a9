// Self-contained HTML pages: text, tables, figures, commands.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/figure.h"
#include "report/table.h"

namespace rotary::report {

/// Builds an HTML5 page from top to bottom. Everything is inside: no script, no other file, light or dark as the reader
/// has it. The same calls give the same bytes. All text is escaped; UTF-8.
class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  /// What follows stands under this heading, until the next. Pages of four or more sections begin with a list of them.
  Page& section(const std::string& heading);

  /// Blank lines divide paragraphs.
  Page& paragraph(const std::string& text);

  /// Names with their values, like the settings of a run.
  Page& facts(const std::vector<std::pair<std::string, std::string>>& facts);

  /// The first column is the rows' header. Throws as alignments(table).
  Page& table(const Table& table, const std::string& caption = {});

  /// In its natural size if none is given; in a narrow window three quarters of it, then it can be scrolled.
  /// Throws as to_svg.
  Page& figure(const Figure& figure, const std::string& caption = {}, std::optional<Size> size = std::nullopt);

  /// What to type, or what was printed: kept line by line.
  Page& command(const std::string& text);

  std::string to_html() const;

 private:
  std::string contents() const;
  std::string title_, body_;
  std::vector<std::string> headings_;
  bool has_figures_ = false;
};

/// The style sheet of all pages.
std::string page_style();

}  // namespace rotary::report
