#include "report/wrap.h"

#include <algorithm>

#include "report/text.h"

namespace rotary::report {
namespace {

constexpr std::string_view kItem = "- ";

bool is_blank(char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; }

// `hang`: blanks more before all lines but the first.
void wrap_paragraph(std::string_view text, std::size_t width, std::size_t indent, std::size_t hang, std::string& out) {
  std::string line(indent, ' ');
  std::size_t used = indent;
  bool has_word = false;
  for (std::size_t begin = 0; begin < text.size();) {
    if (is_blank(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && !is_blank(text[end])) ++end;
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t length = code_points(word).size();
    if (has_word && used + 1 + length > width) {
      out += line + "\n";
      line.assign(indent + hang, ' ');
      used = indent + hang;
      has_word = false;
    }
    line.append(has_word ? " " : "").append(word);
    used += length + (has_word ? 1 : 0);
    has_word = true;
    begin = end;
  }
  out += has_word ? line + "\n" : "\n";
}

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view paragraph = text.substr(begin, end - begin);
    wrap_paragraph(paragraph, width, indent, paragraph.starts_with(kItem) ? kItem.size() : 0, out);
    begin = end + 1;
  }
  return out;
}

std::string indented(std::string_view block, std::size_t indent) {
  std::string out;
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t end = std::min(block.find('\n', begin), block.size());
    const std::string_view line = block.substr(begin, end - begin);
    if (!line.empty()) out.append(indent, ' ').append(line);
    out += '\n';
    begin = end + 1;
  }
  return out;
}

}  // namespace rotary::report
