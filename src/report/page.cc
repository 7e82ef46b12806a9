#include "report/page.h"

#include <algorithm>

#include "report/text.h"

namespace rotary::report {
namespace {

constexpr double kPageWidth = 960;
constexpr double kSmallest = 0.75;  // of a figure's size, for a narrow window; then it scrolls
constexpr std::size_t kSectionsWithContents = 4;

std::string element(const std::string& name, const std::string& text, const std::string& attributes = "") {
  return "<" + name + attributes + ">" + escape_markup(text) + "</" + name + ">";
}

std::string cell(const std::string& name, const std::string& text, Align align, const std::string& scope) {
  const std::string attributes = (scope.empty() ? "" : " scope=\"" + scope + "\"") +
                                 std::string(align == Align::kRight ? " class=\"number\"" : "");
  return element(name, text, attributes);
}

std::string section_id(std::size_t index) { return "section-" + std::to_string(index + 1); }

}  // namespace

Page& Page::section(const std::string& heading) {
  body_ += element("h2", heading, " id=\"" + section_id(headings_.size()) + "\"") + "\n";
  headings_.push_back(heading);
  return *this;
}

Page& Page::paragraph(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    if (end > begin) body_ += element("p", text.substr(begin, end - begin)) + "\n";
    begin = end + 2;
  }
  return *this;
}

Page& Page::facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  if (facts.empty()) return *this;
  body_ += "<dl>\n";
  for (const auto& [name, value] : facts) body_ += element("dt", name) + element("dd", value) + "\n";
  body_ += "</dl>\n";
  return *this;
}

Page& Page::table(const Table& table, const std::string& caption) {
  const std::vector<Align> aligns = alignments(table);
  if (table.columns.empty()) return *this;
  std::string out = "<div class=\"scroll\"><table>\n";
  if (!caption.empty()) out += element("caption", caption) + "\n";
  out += "<thead><tr>";
  for (std::size_t c = 0; c < aligns.size(); ++c) out += cell("th", table.columns[c].name, aligns[c], "col");
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < aligns.size(); ++c)
      out += cell(c == 0 ? "th" : "td", row[c], aligns[c], c == 0 ? "row" : "");
    out += "</tr>\n";
  }
  body_ += out + "</tbody>\n</table></div>\n";
  return *this;
}

Page& Page::figure(const Figure& figure, const std::string& caption, std::optional<Size> size) {
  const Size shown = size.value_or(natural_size(figure));
  const std::string svg = to_inline_svg(figure, shown);
  const std::string least = std::to_string(static_cast<int>(shown.width * kSmallest));
  body_ += shown.width > kPageWidth ? "<figure class=\"wide\">" : "<figure>";
  body_ += "<div class=\"scroll\"><div style=\"min-width:" + least + "px\">\n" + svg + "</div></div>\n";
  if (!caption.empty()) body_ += element("figcaption", caption) + "\n";
  body_ += "</figure>\n";
  has_figures_ = true;
  return *this;
}

Page& Page::command(const std::string& text) {
  body_ += "<pre><code>" + escape_markup(text, LineBreaks::kKept) + "</code></pre>\n";
  return *this;
}

std::string Page::contents() const {
  if (headings_.size() < kSectionsWithContents) return "";
  std::string out = "<nav aria-label=\"Contents\"><ul>\n";
  for (std::size_t i = 0; i < headings_.size(); ++i)
    out += "<li>" + element("a", headings_[i], " href=\"#" + section_id(i) + "\"") + "</li>\n";
  return out + "</ul></nav>\n";
}

std::string Page::to_html() const {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  out += element("title", title_) + "\n<style>\n" + page_style() + (has_figures_ ? figure_style() : "") + "</style>\n";
  out += "</head>\n<body>\n<main>\n" + element("h1", title_) + "\n" + contents() + body_;
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace rotary::report
