#include "text/word_hashes.h"

#include <algorithm>
#include <cstddef>

#include "text/hash64.h"
#include "text/white_space.h"

namespace rotary::text {
namespace {

// FNV-1a.
constexpr std::uint64_t kHashBegin = 0xCBF29CE484222325, kHashFactor = 0x100000001B3;

// Bytes of the character that `text` begins with if its script puts no spaces between words, else 0: Thai and Lao
// U+0E00..0EFF, CJK U+3000..9FFF and U+20000 on. `text` is UTF-8.
std::size_t word_of_its_own(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0xE0 || text.size() < 2) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool southeast = lead == 0xE0 && second >= 0xB8 && second <= 0xBB;
  if (southeast || (lead >= 0xE3 && lead <= 0xE9)) return 3;
  return lead == 0xF0 && second >= 0xA0 ? 4 : 0;
}

std::uint64_t extend(std::uint64_t hash, char c) {
  if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return (hash ^ static_cast<unsigned char>(c)) * kHashFactor;
}

void make_set(std::vector<std::uint64_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

std::vector<std::uint64_t> word_hashes(std::string_view text) {
  std::vector<std::uint64_t> out;
  std::uint64_t hash = kHashBegin;
  bool in_word = false;
  const auto finish = [&] {
    if (in_word) out.push_back(mix64(hash));
    in_word = false;
    hash = kHashBegin;
  };
  while (!text.empty()) {
    const std::size_t space = leading_space(text), alone = space != 0 ? 0 : word_of_its_own(text);
    const std::size_t count = std::min(std::max<std::size_t>({space, alone, 1}), text.size());
    if (space != 0 || alone != 0) finish();
    if (space == 0) {
      in_word = true;
      for (std::size_t i = 0; i < count; ++i) hash = extend(hash, text[i]);
    }
    if (alone != 0) finish();
    text.remove_prefix(count);
  }
  finish();
  return out;
}

std::uint64_t text_hash(std::string_view text) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : word_hashes(text)) hash = chain64(hash, word);
  return hash;
}

std::vector<std::uint64_t> shingles(std::string_view text) {
  constexpr std::size_t kWords = 5;
  const std::vector<std::uint64_t> words = word_hashes(text);
  const std::size_t length = std::min(kWords, words.size());
  std::vector<std::uint64_t> out;
  if (length == 0) return out;
  out.reserve(words.size() - length + 1);
  for (std::size_t begin = 0; begin + length <= words.size(); ++begin) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < length; ++i) hash = chain64(hash, words[begin + i]);
    out.push_back(hash);
  }
  return out;
}

double jaccard(std::vector<std::uint64_t> a, std::vector<std::uint64_t> b) {
  make_set(a);
  make_set(b);
  std::size_t common = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j)
      ++common, ++i, ++j;
    else if (*i < *j)
      ++i;
    else
      ++j;
  }
  return static_cast<double>(common) / static_cast<double>(a.size() + b.size() - common);
}

}  // namespace rotary::text
