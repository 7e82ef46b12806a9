#include "text/order_task.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <span>

#include "core/require.h"
#include "text/unicode.h"

namespace rotary::text {
namespace {

std::vector<std::string> split_at_spaces(std::string_view text) {
  const Unicode& unicode = Unicode::get();
  std::vector<std::string> words(1);
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = read_code_point(text, at);
    if ((unicode.classes(c) & kSpace) == 0)
      append_utf8(words.back(), c);
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::u32string decode(std::string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) out += read_code_point(text, at);
  return out;
}

constexpr std::u32string_view kOpening = U"\"'([{\u2018\u201C\u00AB", kClosing = U"\"')]}\u2019\u201D\u00BB";

// "etc.", "J.", "U.S.": the full stop is part of the word.
bool is_abbreviation(std::u32string_view word) {
  constexpr std::array<std::u32string_view, 19> kUsual = {U"mr.",  U"mrs.", U"ms.",  U"dr.",  U"st.",  U"no.",  U"vs.",
                                                          U"e.g.", U"i.e.", U"cf.",  U"fig.", U"sec.", U"gen.", U"gov.",
                                                          U"sen.", U"rep.", U"hon.", U"jr.",  U"sr."};
  std::u32string lowered;
  for (const char32_t c : word) Unicode::get().append_lower(lowered, c);
  const bool has_inner_stop = lowered.find(U'.') + 1 < lowered.size();
  return lowered.size() <= 2 || has_inner_stop || std::find(kUsual.begin(), kUsual.end(), lowered) != kUsual.end();
}

bool ends_sentence(std::string_view word) {
  std::u32string letters = decode(word);
  while (!letters.empty() && kClosing.find(letters.back()) != kClosing.npos) letters.pop_back();
  letters.erase(0, std::min(letters.find_first_not_of(kOpening), letters.size()));
  if (letters.empty()) return false;
  if (letters.back() == U'!' || letters.back() == U'?') return true;
  return letters.back() == U'.' && !is_abbreviation(letters);
}

bool starts_with_capital(std::string_view word) {
  for (const char32_t c : decode(word))
    if (kOpening.find(c) == kOpening.npos) return Unicode::get().lower(c) != c;
  return false;
}

// Sentences with their lengths in words.
struct Sentences {
  std::vector<std::string> texts;
  std::vector<std::int64_t> num_words;
};

Sentences find_sentences(std::string_view text) {
  const std::vector<std::string> words = split_at_spaces(text);
  Sentences out;
  bool is_new = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_new) {
      out.texts.emplace_back(words[i]);
      out.num_words.push_back(1);
    } else {
      out.texts.back() += ' ' + words[i];
      ++out.num_words.back();
    }
    is_new = i + 1 < words.size() && ends_sentence(words[i]) && starts_with_capital(words[i + 1]);
  }
  return out;
}

std::string join(std::span<const std::string> sentences) {
  std::string out;
  for (const std::string& sentence : sentences) out += (out.empty() ? "" : " ") + sentence;
  return out;
}

// How many sentences stand before the sentence end nearest the middle; 0 where it leaves too little on one side.
std::size_t find_middle(std::span<const std::int64_t> num_words, double least_half) {
  const std::int64_t total = std::accumulate(num_words.begin(), num_words.end(), std::int64_t{0});
  std::size_t best = 0;
  std::int64_t before = 0, best_before = 0;
  for (std::size_t i = 1; i < num_words.size(); ++i) {
    before += num_words[i - 1];
    if (best != 0 && std::abs(2 * before - total) >= std::abs(2 * best_before - total)) continue;
    best = i;
    best_before = before;
  }
  const auto least = static_cast<double>(std::min(best_before, total - best_before));
  return least >= least_half * static_cast<double>(total) ? best : 0;
}

}  // namespace

std::vector<std::string> split_sentences(std::string_view text) { return find_sentences(text).texts; }

std::vector<OrderExample> make_order_examples(std::string_view text, const OrderOptions& options) {
  using detail::require;
  require(options.words > 0, "make_order_examples", "words must be positive", options.words);
  require(options.least_half > 0 && options.least_half <= 0.5, "make_order_examples",
          "least_half must be between 0 and 0.5", options.least_half);
  const Sentences sentences = find_sentences(text);
  const std::span<const std::string> texts(sentences.texts);
  const std::span<const std::int64_t> num_words(sentences.num_words);
  std::vector<OrderExample> examples;
  std::int64_t words = 0, passage = 0;
  for (std::size_t begin = 0, i = 0; i < texts.size(); ++i) {
    words += num_words[i];
    if (words < options.words) continue;
    const std::size_t size = i + 1 - begin;
    if (const std::size_t middle = find_middle(num_words.subspan(begin, size), options.least_half); middle != 0) {
      const std::string first = join(texts.subspan(begin, middle));
      const std::string second = join(texts.subspan(begin + middle, size - middle));
      examples.push_back({first + ' ' + second, kOriginalOrder, passage});
      examples.push_back({second + ' ' + first, kSwappedOrder, passage++});
    }
    begin = i + 1;
    words = 0;
  }
  return examples;
}

void make_order_task(Corpus& corpus, const OrderOptions& options) {
  for (auto* documents : {&corpus.train, &corpus.valid, &corpus.test}) {
    std::vector<Document> examples;
    for (const Document& document : *documents)
      for (const OrderExample& example : make_order_examples(document.text, options))
        examples.push_back({example.text, std::string(example.label),
                            document.id + "#" + std::to_string(example.passage) + "-" + std::string(example.label)});
    *documents = std::move(examples);
  }
  corpus.labels = {std::string(kOriginalOrder), std::string(kSwappedOrder)};
  corpus.duplicates = {};  // every passage is there twice
}

}  // namespace rotary::text
