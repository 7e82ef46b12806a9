// UTF-8, well-formed and not; the character table.
#include "text/unicode.h"

#include <gtest/gtest.h>

namespace rotary::testing {
namespace {

using text::Unicode;

std::string utf8(char32_t c) {
  std::string out;
  text::append_utf8(out, c);
  return out;
}

TEST(UnicodeProperty, EveryCodePointSurvivesUtf8) {
  for (char32_t c = 0; c <= text::kMaxCodePoint; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const std::string bytes = utf8(c);
    std::size_t at = 0;
    ASSERT_EQ(text::read_code_point(bytes, at), c);
    ASSERT_EQ(at, bytes.size());
  }
}

TEST(UnicodeProperty, ASequenceCutOffIsBadByteByByte) {
  for (char32_t c : {U'\u00e9', U'\u20ac', U'\U0001F600'})
    for (std::size_t size = 1; size < utf8(c).size(); ++size) {
      std::string expected;
      for (std::size_t i = 0; i < size; ++i) expected += "\xEF\xBF\xBD";
      EXPECT_EQ(text::to_valid_utf8(utf8(c).substr(0, size)), expected);
      EXPECT_EQ(text::to_valid_utf8(utf8(c).substr(0, size) + "x"), expected + "x");
    }
}

struct BadBytes {
  const char* id;
  std::string_view bytes;
  std::size_t num_bad;
  friend void PrintTo(const BadBytes& b, std::ostream* out) { *out << b.id; }
};

class BadUtf8 : public ::testing::TestWithParam<BadBytes> {};

TEST_P(BadUtf8, EachByteBecomesTheReplacementCharacter) {
  std::string expected = "a";
  for (std::size_t i = 0; i < GetParam().num_bad; ++i) expected += "\xEF\xBF\xBD";
  EXPECT_EQ(text::to_valid_utf8("a" + std::string(GetParam().bytes) + "b"), expected + "b");
}

INSTANTIATE_TEST_SUITE_P(Bytes, BadUtf8,
                         ::testing::Values(BadBytes{"Continuation", "\x80", 1}, BadBytes{"Overlong2", "\xC0\xAF", 2},
                                           BadBytes{"Overlong3", "\xE0\x9F\xBF", 3},
                                           BadBytes{"Overlong4", "\xF0\x8F\xBF\xBF", 4},
                                           BadBytes{"Surrogate", "\xED\xA0\x80", 3},
                                           BadBytes{"BeyondTheLast", "\xF4\x90\x80\x80", 4},
                                           BadBytes{"NoFirstByte", "\xFF\xFE\xF8", 3}),
                         [](const auto& info) { return info.param.id; });

TEST(UnicodeProperty, OnAsciiTheClassesAreTheReferencesPattern) {
  for (char32_t c = 0; c < 0x80; ++c) {
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool is_space = c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x1F);
    EXPECT_EQ((Unicode::get().classes(c) & text::kWord) != 0, is_word) << static_cast<int>(c);
    EXPECT_EQ((Unicode::get().classes(c) & text::kSpace) != 0, is_space) << static_cast<int>(c);
    EXPECT_EQ(Unicode::get().lower(c), c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
}

TEST(UnicodeProperty, LowerCaseIsItsOwnLowerCase) {
  std::u32string lowered;
  for (char32_t c = 0; c <= text::kMaxCodePoint; ++c) {
    lowered.clear();
    Unicode::get().append_lower(lowered, c);
    ASSERT_EQ(lowered.size(), c == 0x130 ? 2U : 1U);
    for (const char32_t small : lowered) ASSERT_EQ(Unicode::get().lower(small), small) << static_cast<unsigned>(c);
  }
}

TEST(UnicodeProperty, WithoutAccentsThereAreNoMarksToStrip) {
  std::u32string bare;
  for (char32_t c = 0; c <= text::kMaxCodePoint; ++c) {
    bare.clear();
    Unicode::get().append_without_accents(bare, c);
    for (const char32_t b : bare) {
      std::u32string again;
      Unicode::get().append_without_accents(again, b);
      ASSERT_EQ(again, std::u32string(1, b)) << static_cast<unsigned>(c);
    }
  }
}

}  // namespace
}  // namespace rotary::testing
