// UTF-8, escaping, shortening.
#include "report/text.h"

#include <gtest/gtest.h>

#include "report/number_text.h"

namespace rotary::report {
namespace {

TEST(ReportText, MarkupIsEscaped) {
  EXPECT_EQ(escape_markup("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
}

TEST(ReportText, ControlCharactersAreDroppedAndBlanksKept) {
  EXPECT_EQ(escape_markup(std::string("a\0b\x1B[31m\x7F\r\n\tc", 13)), "ab[31m  c");
  EXPECT_EQ(escape_markup("a\n\tb", LineBreaks::kKept), "a\n\tb");
  EXPECT_EQ(escape_markup("x\xC2\x85y\xEF\xBF\xBFz"), "xyz");  // U+0085, U+FFFF
}

TEST(ReportText, WhatIsNotUtf8BecomesTheReplacementCharacter) {
  EXPECT_EQ(escape_markup("gr\xC3\xB6\xC3\x9F"), "grö\xC3\x9F");
  for (const char* bad : {"\xFF", "\xC3", "\x80", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82"})
    EXPECT_EQ(escape_markup(bad).substr(0, 3), "\xEF\xBF\xBD") << bad;
}

TEST(ReportText, CodePointsComeBackAsTheyWere) {
  const std::string text = "aé€😀\xF4\x8F\xBF\xBD";
  EXPECT_EQ(code_points(text).size(), 5U);
  EXPECT_EQ(to_utf8(code_points(text)), text);
}

TEST(ReportText, LongTextLosesItsMiddle) {
  EXPECT_EQ(shorten_middle("archive_read_data", 17), "archive_read_data");
  EXPECT_EQ(shorten_middle("archive_read_data_into_fd", 11), "archi…to_fd");
  EXPECT_EQ(shorten_middle("größenordnungen", 6), "grö…en");
  EXPECT_EQ(shorten_middle("abc", 1), "…");
}

TEST(ReportText, FittedTextIsNotWiderThanAsked) {
  const std::string text = "Wide WORDS with many mmmmmm and 長い文書";
  for (double width = 30; width < 400; width += 10) EXPECT_LE(estimate_width(fit_width(text, 12, width), 12), width);
  EXPECT_EQ(fit_width(text, 12, 1000), text);
}

TEST(ReportNumbers, AreReadable) {
  EXPECT_EQ(short_number(0.12345), "0.1235");
  EXPECT_EQ(short_number(131072), "131,072");
  EXPECT_EQ(short_number(-0.5), "−0.5");
  EXPECT_EQ(short_number(-0.0), "0");
  EXPECT_EQ(short_number(1.25e-9), "1.25×10⁻⁹");
  EXPECT_EQ(short_number(-1.0 / 0.0), "−∞");
  EXPECT_EQ(short_number(0.0 / 0.0), "not a number");
}

TEST(ReportNumbers, ComparedValuesHaveEqualDecimals) {
  EXPECT_EQ(value_labels({0.7, 0.66, 1}, 3), (std::vector<std::string>{"0.70", "0.66", "1.00"}));
  EXPECT_EQ(value_labels({250, -77.5, 0.0 / 0.0}, 3), (std::vector<std::string>{"250.0", "−77.5", "–"}));
  EXPECT_EQ(value_labels({0.0012345, 1}, 3), (std::vector<std::string>{"0.00123", "1"}));  // five decimals: left alone
}

}  // namespace
}  // namespace rotary::report
