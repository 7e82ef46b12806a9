// Unigram and BPE vocabularies, through the library SentencePiece.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace rotary::text {

class SentencePieceTokenizer final : public Tokenizer {
 public:
  /// `model`: the contents of a SentencePiece model file; `name` for messages. Throws std::runtime_error for a model
  /// that the library refuses.
  SentencePieceTokenizer(std::string_view model, const std::string& name);
  ~SentencePieceTokenizer() override;

  std::vector<std::int32_t> encode(std::string_view utf8) const override;
  std::string piece(std::int32_t id) const override;
  std::int32_t vocab_size() const override;
  /// By name: [CLS], <cls> or <s>, and so on.
  SpecialIds special_ids() const override { return special_ids_; }
  /// spiece.model and tokenizer_config.json.
  void save(const std::filesystem::path& folder) const override;

 private:
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  SpecialIds special_ids_;
};

/// The model file's contents for the texts: the five special pieces (of which [MASK] alone is found in text that spells
/// it out), the 256 bytes, and what the library learns, in one thread, so that the same texts give the same model.
std::string train_sentencepiece(std::span<const std::string> texts, const TokenizerOptions& options);

}  // namespace rotary::text
