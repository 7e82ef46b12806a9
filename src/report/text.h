// Text as figures and pages need it: UTF-8, escaped, shortened, measured without a font.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rotary::report {

/// The code points of UTF-8 text; a byte that belongs to none is U+FFFD.
std::vector<char32_t> code_points(std::string_view text);
std::string to_utf8(const std::vector<char32_t>& points);

enum class LineBreaks { kSpaces, kKept };

/// For text and attribute values of XML and HTML: & < > " ' as entities; characters that XML forbids and other control
/// characters are dropped; tabs and line breaks become spaces unless kept.
std::string escape_markup(std::string_view text, LineBreaks breaks = LineBreaks::kSpaces);

/// At most `limit` (>= 1) code points: the middle of longer text is replaced by "…".
std::string shorten_middle(std::string_view text, std::size_t limit);

/// An upper estimate of the width in pixels, for the wider of the usual sans-serif fonts.
double estimate_width(std::string_view text, double font_size);

/// Shortened in the middle until the estimate is at most `width`.
std::string fit_width(std::string_view text, double font_size, double width);

}  // namespace rotary::report
