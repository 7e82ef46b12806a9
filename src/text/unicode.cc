#include "text/unicode.h"

#include <charconv>
#include <numeric>

#include "text/unicode_data.h"

namespace rotary::text {
namespace {

constexpr char32_t kCapitalDottedI = 0x130, kCombiningDotAbove = 0x307;

char32_t from_hex(std::string_view digits) {
  std::uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

// Takes the part before the separator off the front.
std::string_view take_until(std::string_view& text, std::string_view separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
  return part;
}

std::uint8_t class_of(std::string_view property) {
  if (property == "word") return kWord;
  if (property == "space") return kSpace;
  if (property == "control") return kControl;
  if (property == "punctuation") return kPunctuation;
  if (property == "ideograph") return kIdeograph;
  return property == "mark" ? kMark : 0;
}

// Hangul syllables are decomposed by the Unicode Standard's rule (section 3.12).
constexpr char32_t kSyllables = 0xAC00, kNumSyllables = 11172;

void append_letters(std::u32string& out, char32_t syllable) {
  constexpr char32_t kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11A7, kNumVowels = 21, kNumTails = 28;
  const char32_t tail = syllable % kNumTails;
  out.push_back(kLeads + syllable / (kNumVowels * kNumTails));
  out.push_back(kVowels + syllable / kNumTails % kNumVowels);
  if (tail != 0) out.push_back(kTails + tail);
}

}  // namespace

const Unicode& Unicode::get() {
  static const Unicode table;
  return table;
}

Unicode::Unicode() : classes_(kMaxCodePoint + 1) {
  std::string_view rest = detail::unicode_data();
  while (!rest.empty())
    if (const std::string_view line = take_until(rest, "\n"); !line.starts_with('#')) read_line(line);
}

void Unicode::read_line(std::string_view line) {
  const std::string_view property = take_until(line, " ");
  while (!line.empty()) {
    std::string_view last = take_until(line, " ");
    const char32_t first = from_hex(take_until(last, ".."));
    for (char32_t c = first; c <= (last.empty() ? first : from_hex(last)); ++c) note(property, c);
  }
}

void Unicode::note(std::string_view property, char32_t c) {
  if (property.starts_with("lower")) {
    if (c >= lower_.size()) {
      const auto known = static_cast<std::ptrdiff_t>(lower_.size());
      lower_.resize(c + 1);
      std::iota(lower_.begin() + known, lower_.end(), static_cast<char32_t>(known));
    }
    const char32_t distance = from_hex(property.substr(6));
    lower_[c] = property[5] == '-' ? c - distance : c + distance;
  } else if (property.starts_with("base=")) {
    property.remove_prefix(5);
    while (!property.empty()) base_[c] += from_hex(take_until(property, "."));
  } else {
    classes_[c] = static_cast<std::uint8_t>(classes_[c] | class_of(property));
  }
}

void Unicode::append_lower(std::u32string& out, char32_t c) const {
  if (c == kCapitalDottedI) [[unlikely]]
    out += {U'i', kCombiningDotAbove};
  else
    out += lower(c);
}

void Unicode::append_without_accents(std::u32string& out, char32_t c) const {
  if (c - kSyllables < kNumSyllables)
    append_letters(out, c - kSyllables);
  else if (const auto base = c < 0x80 ? base_.end() : base_.find(c); base != base_.end())
    out += base->second;
  else if ((classes(c) & kMark) == 0)
    out += c;
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) append_utf8(out, read_code_point(text, at));
  return out;
}

}  // namespace rotary::text
