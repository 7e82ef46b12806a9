#include "text/words_tokenizer.h"

#include <algorithm>

#include "core/require.h"
#include "rotary/formats/files.h"
#include "text/tokenizer_config.h"
#include "text/words_scan.h"

namespace rotary::text {

WordsTokenizer::WordsTokenizer(WordsVocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {
  const auto& pieces = vocabulary_.pieces;
  for (std::size_t i = 0; i < pieces.size(); ++i) ids_.emplace(pieces[i], static_cast<std::int32_t>(i));
  for (const std::int32_t id : vocabulary_.added) finder_.add(pieces[static_cast<std::size_t>(id)], id);
  special_ids_ = find_special_ids([&](std::string_view piece) {
    const auto found = ids_.find(piece);
    return found == ids_.end() ? -1 : found->second;
  });
  special_ids_.unk = vocabulary_.unk;
}

std::vector<std::int32_t> WordsTokenizer::encode(std::string_view utf8) const {
  std::vector<std::int32_t> ids;
  ids.reserve(utf8.size() / 4);
  const auto take_word = [&](std::string_view word) {
    const auto found = ids_.find(word);
    ids.push_back(found == ids_.end() ? vocabulary_.unk : found->second);
  };
  split_at_specials(
      finder_, utf8, [&](std::string_view text) { for_each_word(text, vocabulary_.lowercase, take_word); },
      [&](std::int32_t id) { ids.push_back(id); });
  return ids;
}

std::string WordsTokenizer::piece(std::int32_t id) const {
  detail::require<std::out_of_range>(id >= 0 && id < vocab_size(), "piece", "id must be below vocab_size", id);
  return vocabulary_.pieces[static_cast<std::size_t>(id)];
}

void WordsTokenizer::save(const std::filesystem::path& folder) const {
  write_file_atomically((folder / "tokenizer.json").string(), to_tokenizer_json(vocabulary_));
  write_tokenizer_config(folder, make_tokenizer_config(*this, "words", "PreTrainedTokenizerFast"));
}

WordsVocabulary train_words(std::span<const std::string> texts, const TokenizerOptions& options) {
  const auto num_special = static_cast<std::int32_t>(kSpecialPieces.size());
  detail::require(options.vocab_size > num_special, "train_tokenizer",
                  "vocab_size must be more than the special pieces", options.vocab_size);
  PieceMap<std::int64_t> counts;
  const auto count = [&](std::string_view word) {
    if (const auto found = counts.find(word); found != counts.end())
      ++found->second;
    else
      counts.emplace(word, 1);
  };
  for (const std::string& text : texts) for_each_word(text, options.lowercase, count);
  detail::require(!counts.empty(), "train_tokenizer", "texts must hold a word", texts.size());

  std::vector<const std::pair<const std::string, std::int64_t>*> order;
  order.reserve(counts.size());
  for (const auto& entry : counts) order.push_back(&entry);
  const auto num_words = std::min(order.size(), static_cast<std::size_t>(options.vocab_size - num_special));
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(num_words), order.end(),
      [](auto* a, auto* b) { return a->second != b->second ? a->second > b->second : a->first < b->first; });

  WordsVocabulary vocabulary;
  vocabulary.lowercase = options.lowercase;
  for (std::int32_t id = 0; id < num_special; ++id) {
    vocabulary.pieces.emplace_back(kSpecialPieces[static_cast<std::size_t>(id)]);
    vocabulary.added.push_back(id);
  }
  for (std::size_t i = 0; i < num_words; ++i) vocabulary.pieces.push_back(order[i]->first);
  return vocabulary;
}

}  // namespace rotary::text
