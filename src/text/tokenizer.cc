#include "text/tokenizer.h"

#include <array>
#include <stdexcept>

#include "core/require.h"
#include "formats/json_reader.h"
#include "rotary/formats/files.h"
#include "text/sentencepiece_library.h"
#include "text/tokenizer_config.h"
#include "text/wordpiece_tokenizer.h"
#include "text/words_tokenizer.h"

namespace rotary::text {
namespace {

using std::filesystem::path;
using Loader = std::unique_ptr<Tokenizer> (*)(const path& folder, const path& file, const TokenizerConfig& config);

std::unique_ptr<Tokenizer> load_words(const path&, const path& file, const TokenizerConfig&) {
  return std::make_unique<WordsTokenizer>(
      parse_words_vocabulary(read_file(file.string(), detail::kMaxFileBytes), file.string()));
}

std::unique_ptr<Tokenizer> load_wordpiece(const path& folder, const path& file, const TokenizerConfig& config) {
  WordPieceOptions options;
  options.do_lower_case = read_switch(config, "do_lower_case", true, folder);
  options.strip_accents = read_switch(config, "strip_accents", options.do_lower_case, folder);
  options.tokenize_chinese_chars = read_switch(config, "tokenize_chinese_chars", true, folder);
  return std::make_unique<WordPieceTokenizer>(
      parse_vocab_txt(read_file(file.string(), detail::kMaxFileBytes), file.string()), options);
}

std::unique_ptr<Tokenizer> load_sentencepiece(const path&, const path& file, const TokenizerConfig& config) {
  auto tokenizer = sentencepiece_library().open(read_file(file.string(), detail::kMaxFileBytes), file.string());
  if (config.contains("rotary_tokenizer") && config.contains("vocab_size") &&
      config["vocab_size"] != tokenizer->vocab_size())
    throw std::runtime_error(file.string() + ": must hold vocab_size pieces (tokenizer_config.json says " +
                             detail::show(detail::Json(config["vocab_size"])) + "), got " +
                             std::to_string(tokenizer->vocab_size()));
  return tokenizer;
}

struct Known {
  std::string_view kind;
  const char* file;
  Loader load;
};

// In order of preference: a checkpoint of others may have a tokenizer.json beside the file that we read.
constexpr std::array<Known, 4> kKnown = {{{"wordpiece", "vocab.txt", load_wordpiece},
                                          {"sentencepiece", "spiece.model", load_sentencepiece},
                                          {"sentencepiece", "tokenizer.model", load_sentencepiece},
                                          {"words", "tokenizer.json", load_words}}};

}  // namespace

std::unique_ptr<Tokenizer> train_tokenizer(std::span<const std::string> texts, const TokenizerOptions& options) {
  switch (options.kind) {
    case TokenizerKind::kWords: return std::make_unique<WordsTokenizer>(train_words(texts, options));
    case TokenizerKind::kUnigram:
    case TokenizerKind::kBpe:
      return sentencepiece_library().open(sentencepiece_library().train(texts, options), "the trained model");
    case TokenizerKind::kWordPiece: break;
  }
  throw std::invalid_argument("train_tokenizer: kind must be words, unigram or bpe, got " +
                              std::to_string(static_cast<int>(options.kind)));
}

std::unique_ptr<Tokenizer> load_tokenizer(const path& folder) {
  const TokenizerConfig config = read_tokenizer_config(folder);
  const auto kind = config.find("rotary_tokenizer");
  for (const Known& known : kKnown) {
    if (kind != config.end() && *kind != known.kind) continue;
    if (std::filesystem::exists(folder / known.file)) return known.load(folder, folder / known.file, config);
  }
  if (kind != config.end())
    throw std::runtime_error(
        (folder / "tokenizer_config.json").string() +
        ": rotary_tokenizer must be wordpiece, sentencepiece or words, with its file beside it, got " +
        detail::show(detail::Json(*kind)));
  throw std::runtime_error(folder.string() +
                           ": must hold tokenizer.json, spiece.model, tokenizer.model or vocab.txt, got none of them");
}

}  // namespace rotary::text
