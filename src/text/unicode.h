// Characters as the tokenizers see them: UTF-8 in and out, classes, lower case, accents.
//
// A table of our own (unicode.txt, 40 kB) rather than a library's: a library knows the Unicode version that it was
// built with, which differs between machines and from the `tokenizers` library's, and ids must be the same wherever a
// model is loaded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rotary::text {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kMaxCodePoint = 0x10FFFF;

/// Reads the code point that starts at `text[at]` and moves `at` behind it. A byte that starts no well-formed UTF-8
/// sequence (RFC 3629: no surrogates, no overlong forms, at most U+10FFFF) is read alone, as U+FFFD. `at` must be
/// inside.
inline char32_t read_code_point(std::string_view text, std::size_t& at);

/// Appends a code point as UTF-8.
inline void append_utf8(std::string& out, char32_t c);

/// The text itself where it is well-formed UTF-8; otherwise each bad byte becomes U+FFFD.
std::string to_valid_utf8(std::string_view text);

/// Bits of `Unicode::classes`.
enum CharacterClass : std::uint8_t {
  kWord = 1,         ///< letter, combining mark, number, underscore
  kSpace = 2,        ///< Unicode's White_Space and U+001C..U+001F
  kControl = 4,      ///< what BERT drops
  kPunctuation = 8,  ///< what BERT makes a word of its own
  kIdeograph = 16,   ///< likewise, in Chinese text
  kMark = 32,        ///< accent: dropped when accents are stripped
};

/// The character table; built at its first use (about a millisecond), then constant.
class Unicode {
 public:
  static const Unicode& get();

  std::uint8_t classes(char32_t c) const { return classes_[c]; }

  /// Appends the lower case: Unicode's mapping of one character without its context, so that capital sigma is always
  /// small sigma. U+0130 alone becomes two characters.
  void append_lower(std::u32string& out, char32_t c) const;
  /// The first (and but for U+0130 only) character of the lower case.
  char32_t lower(char32_t c) const { return c < lower_.size() ? lower_[c] : c; }

  /// Appends what canonical decomposition (NFD) leaves when nonspacing marks are dropped; nothing for a mark itself.
  void append_without_accents(std::u32string& out, char32_t c) const;

 private:
  Unicode();
  void read_line(std::string_view line);
  void note(std::string_view property, char32_t c);

  std::vector<std::uint8_t> classes_;  ///< [code point]
  std::vector<char32_t> lower_;        ///< [code point] up to the last that has one
  std::unordered_map<char32_t, std::u32string> base_;
};

inline char32_t read_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) [[likely]]
    return first;
  // The first byte says how many follow, and bounds the second so that there are no overlong forms and surrogates.
  const std::size_t more = first < 0xC2 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : 0;
  if (more == 0 || text.size() - at < more) return kReplacement;
  const unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(at) < least || byte(at) > most) return kReplacement;
  char32_t c = first & (0x3FU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    const unsigned char next = byte(at + i);
    if ((next & 0xC0U) != 0x80) return kReplacement;
    c = c << 6 | (next & 0x3FU);
  }
  at += more;
  return c;
}

inline void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

}  // namespace rotary::text
