// Text to token ids: one interface, and how a tokenizer is trained, loaded and saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rotary::text {

/// Ids of the pieces that stand for no text; -1 where a vocabulary of others has none.
struct SpecialIds {
  std::int32_t pad = 0;
  std::int32_t unk = 1;
  std::int32_t cls = 2;
  std::int32_t sep = 3;
  std::int32_t mask = 4;

  bool contains(std::int32_t id) const {
    return id >= 0 && (id == pad || id == unk || id == cls || id == sep || id == mask);
  }
  friend bool operator==(const SpecialIds&, const SpecialIds&) = default;
};

/// Splits text into pieces of a fixed vocabulary. Immutable: one object serves any number of threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// The ids of a text's pieces, each in 0 … vocab_size()−1. No [CLS] or [SEP] is added. Any bytes are taken: a byte
  /// that is no part of well-formed UTF-8 is read as U+FFFD. Where the text spells out a special piece, as in "[MASK]",
  /// its id comes out (of a SentencePiece vocabulary trained here: [MASK] only).
  virtual std::vector<std::int32_t> encode(std::string_view utf8) const = 0;

  /// The piece with this id, as the vocabulary spells it ("▁the", "##ing", "[MASK]"). Throws std::out_of_range.
  virtual std::string piece(std::int32_t id) const = 0;

  virtual std::int32_t vocab_size() const = 0;
  virtual SpecialIds special_ids() const = 0;

  /// Writes the tokenizer's files into an existing folder, each beside its final name and renamed. Files of other
  /// tokenizers there are left, and no longer loaded. Throws std::runtime_error naming the file.
  virtual void save(const std::filesystem::path& folder) const = 0;

 protected:
  Tokenizer() = default;
  Tokenizer(const Tokenizer&) = default;
  Tokenizer& operator=(const Tokenizer&) = default;
};

/// What a tokenizer is made of. kWordPiece (BERT's vocab.txt) is loaded, never trained.
enum class TokenizerKind { kWords, kUnigram, kBpe, kWordPiece };

struct TokenizerOptions {
  TokenizerKind kind = TokenizerKind::kWords;
  std::int32_t vocab_size = 16000;  ///< at most; the five special pieces, and for unigram and BPE 256 bytes, included
  bool lowercase = true;            ///< for unigram and BPE: Unicode's case folding
  /// Unigram and BPE learn from about this many bytes, drawn from all texts line by line; words count everything.
  std::int64_t max_training_bytes = std::int64_t{32} << 20;
  std::uint64_t seed = 0;  ///< of that draw
};

/// Learns a vocabulary: [PAD] [UNK] [CLS] [SEP] [MASK], then the pieces. The same texts and options give the same
/// tokenizer. Throws std::invalid_argument for texts without a word, a vocab_size that cannot hold the pieces that must
/// be there, and kWordPiece.
std::unique_ptr<Tokenizer> train_tokenizer(std::span<const std::string> texts, const TokenizerOptions& options = {});

/// Reads the tokenizer that lies in a folder: `tokenizer.json` (words), `spiece.model` or `tokenizer.model`
/// (SentencePiece), `vocab.txt` (WordPiece). Where there are several: the one that was saved last by this library
/// (`rotary_tokenizer` in tokenizer_config.json), else vocab.txt, spiece.model, tokenizer.model, tokenizer.json in this
/// order. Throws std::runtime_error naming file and key.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder);

}  // namespace rotary::text
