#pragma once

#include <string>
#include <string_view>

#include "text/unicode.h"

namespace rotary::text {

/// The words tokenizer's pattern, as tokenizer.json spells it. On ASCII text: [A-Za-z0-9_]+|[^\sA-Za-z0-9_], where \s
/// is Python's.
constexpr std::string_view kWordsPattern = R"([\p{L}\p{M}\p{N}_]+|[^\s\x1c-\x1f\p{L}\p{M}\p{N}_])";

/// Calls `visit` with every match of kWordsPattern in the text (in its lower case), in order. The view lives until
/// `visit` returns.
template <class Visit>
void for_each_word(std::string_view text, bool lowercase, Visit&& visit) {
  const Unicode& unicode = Unicode::get();
  std::u32string lowered;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) visit(std::string_view(word));
    word.clear();
  };
  const auto take = [&](char32_t c) {
    const auto classes = unicode.classes(c);
    if ((classes & kWord) != 0) {
      append_utf8(word, c);
      return;
    }
    end_word();
    if ((classes & kSpace) != 0) return;
    append_utf8(word, c);
    end_word();
  };
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = read_code_point(text, at);
    if (!lowercase) {
      take(c);
    } else if (c < 0x80) {
      take(unicode.lower(c));
    } else {
      lowered.clear();
      unicode.append_lower(lowered, c);
      for (const char32_t small : lowered) take(small);
    }
  }
  end_word();
}

}  // namespace rotary::text
