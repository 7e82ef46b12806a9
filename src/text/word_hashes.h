// A text as words that ignore what duplicates may differ in.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rotary::text {

/// A hash per word, in order. Words are what white space separates, ASCII letters in lower case; a character of a
/// script without spaces (kana, Han, Thai, Lao) is a word of its own.
std::vector<std::uint64_t> word_hashes(std::string_view text);

/// A hash of the words in their order: equal for texts that differ in white space and ASCII case only.
std::uint64_t text_hash(std::string_view text);

/// Hashes of all runs of five words, in order, or of all words if they are fewer.
std::vector<std::uint64_t> shingles(std::string_view text);

/// |a and b| / |a or b| of two lists taken as sets, not both empty.
double jaccard(std::vector<std::uint64_t> a, std::vector<std::uint64_t> b);

}  // namespace rotary::text
