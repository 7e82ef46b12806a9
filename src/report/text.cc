#include "report/text.h"

namespace rotary::report {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// One code point from the start of `text`, which it shortens.
char32_t take_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  char32_t point = size == 1 ? lead : lead & (0xFFu >> (size + 1));
  bool valid = size > 0 && size <= text.size();
  for (std::size_t i = 1; valid && i < size; ++i) {
    valid = (byte(i) & 0xC0) == 0x80;
    point = point << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (size == 3 && point < 0x800) || (size == 4 && point < 0x10000);
  valid = valid && !overlong && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
  text.remove_prefix(valid ? size : 1);
  return valid ? point : kReplacement;
}

void append_utf8(std::string& out, char32_t point) {
  const auto add = [&out](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (point < 0x80) return add(point);
  if (point < 0x800) return add(0xC0 | point >> 6), add(0x80 | (point & 0x3F));
  if (point < 0x10000) return add(0xE0 | point >> 12), add(0x80 | (point >> 6 & 0x3F)), add(0x80 | (point & 0x3F));
  add(0xF0 | point >> 18), add(0x80 | (point >> 12 & 0x3F)), add(0x80 | (point >> 6 & 0x3F)),
      add(0x80 | (point & 0x3F));
}

bool is_forbidden(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || (point & 0xFFFE) == 0xFFFE ||
         (point >= 0xFDD0 && point <= 0xFDEF);
}

// In parts of the font size.
double width_of(char32_t point) {
  constexpr std::u32string_view kNarrow = U"iljI.,:;'|!()[]ftr/ ";
  constexpr std::u32string_view kWide = U"mwMW%@—…";
  if (point >= 0x300 && point < 0x370) return 0;  // combining
  if (point >= 0x1100 && (point < 0x1200 || point >= 0x2E80)) return 1.05;
  if (kNarrow.find(point) != kNarrow.npos) return 0.41;
  if (kWide.find(point) != kWide.npos) return 1.0;
  return point >= 'A' && point <= 'Z' ? 0.74 : 0.64;
}

}  // namespace

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> out;
  while (!text.empty()) out.push_back(take_code_point(text));
  return out;
}

std::string to_utf8(const std::vector<char32_t>& points) {
  std::string out;
  for (const char32_t point : points) append_utf8(out, point);
  return out;
}

std::string escape_markup(std::string_view text, LineBreaks breaks) {
  std::string out;
  out.reserve(text.size() + 8);
  while (!text.empty()) {
    const char32_t point = take_code_point(text);
    switch (point) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\t':
      case '\n': out += breaks == LineBreaks::kKept ? static_cast<char>(point) : ' '; break;
      default:
        if (!is_forbidden(point)) append_utf8(out, point);
    }
  }
  return out;
}

std::string shorten_middle(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::vector<char32_t> points = code_points(text);
  if (points.size() <= limit) return std::string(text);
  const std::size_t tail = (limit - 1) / 2, head = limit - 1 - tail;
  std::vector<char32_t> kept(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(head));
  kept.push_back(U'…');
  kept.insert(kept.end(), points.end() - static_cast<std::ptrdiff_t>(tail), points.end());
  return to_utf8(kept);
}

double estimate_width(std::string_view text, double font_size) {
  double width = 0;
  while (!text.empty()) width += width_of(take_code_point(text));
  return width * font_size;
}

std::string fit_width(std::string_view text, double font_size, double width) {
  std::size_t limit = code_points(text).size();
  std::string out(text);
  while (limit > 1 && estimate_width(out, font_size) > width) out = shorten_middle(text, --limit);
  return out;
}

}  // namespace rotary::report
