// BERT's WordPiece, for checkpoints that bring a vocab.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/piece_map.h"
#include "text/special_pieces.h"
#include "text/tokenizer.h"

namespace rotary::text {

/// What tokenizer_config.json says, by its own names.
struct WordPieceOptions {
  bool do_lower_case = true;
  bool strip_accents = true;           ///< null in the file: as do_lower_case
  bool tokenize_chinese_chars = true;  ///< every ideograph a word
};

/// BERT's basic tokenization (control characters dropped; ideographs apart; accents stripped; lower case; split at
/// spaces and around punctuation), then per word the longest pieces from the left, "##" before those inside; a word of
/// over 100 characters, or with a part that is no piece, is [UNK]. The same as the `tokenizers` library's
/// BertNormalizer, BertPreTokenizer and WordPiece, but for the order of spacing combining marks in text that is not in
/// canonical order.
///
/// RoFormer's Chinese checkpoints were trained on words that the Python package jieba finds, which is not done here:
/// Chinese text is split into single characters, which are in their vocabulary too, so ids differ from transformers'.
class WordPieceTokenizer final : public Tokenizer {
 public:
  /// `pieces`: by id, all different, with "[UNK]".
  WordPieceTokenizer(std::vector<std::string> pieces, const WordPieceOptions& options);

  std::vector<std::int32_t> encode(std::string_view utf8) const override;
  std::string piece(std::int32_t id) const override;
  std::int32_t vocab_size() const override { return static_cast<std::int32_t>(pieces_.size()); }
  SpecialIds special_ids() const override { return special_ids_; }
  /// vocab.txt and tokenizer_config.json.
  void save(const std::filesystem::path& folder) const override;

 private:
  std::u32string normalize(std::string_view text) const;
  void encode_text(std::string_view text, std::vector<std::int32_t>& ids) const;
  void encode_word(std::u32string_view word, std::vector<std::int32_t>& ids) const;
  std::int32_t find(std::string_view piece) const;

  std::vector<std::string> pieces_;
  WordPieceOptions options_;
  PieceMap<std::int32_t> ids_;
  SpecialFinder finder_;
  SpecialIds special_ids_;
};

/// One piece a line, the id is the line's number from 0. Throws std::runtime_error by file and line for a piece that
/// comes twice or is not UTF-8, and for a list without [UNK].
std::vector<std::string> parse_vocab_txt(std::string_view text, const std::string& name);

}  // namespace rotary::text
