// The words tokenizer: lower-cased words and single other characters, the most frequent of them with an id.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/piece_map.h"
#include "text/special_pieces.h"
#include "text/tokenizer.h"

namespace rotary::text {

struct WordsVocabulary {
  std::vector<std::string> pieces;  ///< by id; all different, valid UTF-8
  std::vector<std::int32_t> added;  ///< ids of the special pieces, which are found in text as it stands
  std::int32_t unk = 1;             ///< id of every word that is not among the pieces
  bool lowercase = true;
};

class WordsTokenizer final : public Tokenizer {
 public:
  explicit WordsTokenizer(WordsVocabulary vocabulary);

  std::vector<std::int32_t> encode(std::string_view utf8) const override;
  std::string piece(std::int32_t id) const override;
  std::int32_t vocab_size() const override { return static_cast<std::int32_t>(vocabulary_.pieces.size()); }
  SpecialIds special_ids() const override { return special_ids_; }
  /// tokenizer.json as the `tokenizers` library reads it, with the same ids, and tokenizer_config.json.
  void save(const std::filesystem::path& folder) const override;

 private:
  WordsVocabulary vocabulary_;
  PieceMap<std::int32_t> ids_;
  SpecialFinder finder_;
  SpecialIds special_ids_;
};

/// The most frequent words of the texts; of equally frequent ones the bytewise smaller first. Throws
/// std::invalid_argument for texts without a word and a vocab_size of the special pieces alone.
WordsVocabulary train_words(std::span<const std::string> texts, const TokenizerOptions& options);

/// Reads a tokenizer.json of the form that to_tokenizer_json() writes: model WordLevel, normalizer Lowercase or null,
/// pre-tokenizer Split by kWordsPattern, post-processor null. Throws std::runtime_error "name: key must …, got …".
WordsVocabulary parse_words_vocabulary(std::string_view json, const std::string& name);

std::string to_tokenizer_json(const WordsVocabulary& vocabulary);

}  // namespace rotary::text
