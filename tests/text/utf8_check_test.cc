// The check of UTF-8 against a decoder that does it by the definition.
#include "text/utf8_check.h"

#include <gtest/gtest.h>

#include <string>

namespace rotary::testing {
namespace {

using text::find_bad_utf8;

std::string encode(std::uint32_t c) {
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | (c >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (c >> 18)), tail(12), tail(6), tail(0)};
}

TEST(Utf8, EveryCodePointButNulAndSurrogatesIsTaken) {
  for (std::uint32_t c = 0; c < 0x110000; ++c) {
    const bool good = c != 0 && !(c >= 0xD800 && c < 0xE000);
    const std::string text = "12345678" + encode(c) + "x";
    ASSERT_EQ(find_bad_utf8(text), good ? text.size() : 8) << std::hex << c;
  }
  EXPECT_EQ(find_bad_utf8(encode(0x110000)), 0u);
}

// A character of three bytes is good if and only if some code point is encoded so.
TEST(Utf8, EverySequenceOfTwoAndThreeBytesIsJudgedByTheDefinition) {
  for (std::uint32_t bytes = 0x800000; bytes < 0x1000000; ++bytes) {
    const std::string text{static_cast<char>(bytes >> 16), static_cast<char>(bytes >> 8), static_cast<char>(bytes)};
    const std::uint32_t two = ((bytes >> 16 & 0x1F) << 6) | (bytes >> 8 & 0x3F);
    const std::uint32_t three = ((bytes >> 16 & 0x0F) << 12) | ((bytes >> 8 & 0x3F) << 6) | (bytes & 0x3F);
    std::size_t expected = 0;
    if (three >= 0x800 && !(three >= 0xD800 && three < 0xE000) && encode(three) == text) expected = 3;
    if (two >= 0x80 && encode(two) == text.substr(0, 2)) {
      const auto last = static_cast<unsigned char>(text[2]);
      expected = last >= 1 && last < 0x80 ? 3 : 2;
    }
    ASSERT_EQ(find_bad_utf8(text), expected) << std::hex << bytes;
  }
}

TEST(Utf8, ABadByteIsFoundAtEveryPlace) {
  const std::string good = "abcdefgh\xC3\xA9ijklmnopqrstuvwxyz";
  for (std::size_t at = 0; at <= good.size(); ++at) {
    if (at == 9) continue;  // inside a character, which then begins the fault
    for (const char bad : {'\0', '\x80', '\xFF'}) {
      std::string text = good;
      text.insert(at, 1, bad);
      EXPECT_EQ(find_bad_utf8(text), at);
    }
  }
}

}  // namespace
}  // namespace rotary::testing
