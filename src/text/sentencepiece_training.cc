#include <sentencepiece_trainer.h>

#include <deque>
#include <unordered_map>

#include "core/require.h"
#include "text/random.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/special_pieces.h"
#include "text/unicode.h"

namespace rotary::text {
namespace {

constexpr std::size_t kMaxLineBytes = 4000;  // the library leaves out lines of over 4192

// Whether the library's normalization leaves something: it ends the program where a text has nothing to learn.
bool has_text(std::string_view line) {
  constexpr char32_t kSpaceMark = 0x2581;  // what the library writes for a space
  for (std::size_t at = 0; at < line.size();) {
    const char32_t c = read_code_point(line, at);
    if (c != kSpaceMark && (Unicode::get().classes(c) & (kSpace | kControl)) == 0) return true;
  }
  return false;
}

// The lines to learn from, long ones cut at a space.
std::deque<std::string> make_lines(std::span<const std::string> texts) {
  std::deque<std::string> lines;
  for (const std::string& text : texts) {
    const std::string valid = to_valid_utf8(text);
    std::string_view rest = valid;
    while (!rest.empty()) {
      std::size_t end = std::min(rest.find('\n'), rest.size());
      if (end > kMaxLineBytes) {
        end = kMaxLineBytes;
        if (const std::size_t space = rest.rfind(' ', end); space != std::string_view::npos && space > 0)
          end = space;
        else
          while ((static_cast<unsigned char>(rest[end]) & 0xC0U) == 0x80) --end;
      }
      if (has_text(rest.substr(0, end))) lines.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end);
      if (rest.starts_with('\n')) rest.remove_prefix(1);
    }
  }
  return lines;
}

// Keeps about this many bytes, each line with the same probability.
void thin_out(std::deque<std::string>& lines, const TokenizerOptions& options) {
  double bytes = 0;
  for (const std::string& line : lines) bytes += static_cast<double>(line.size());
  const double share = static_cast<double>(options.max_training_bytes) / bytes;
  if (share >= 1) return;
  std::uint64_t counter = 0;
  std::erase_if(lines, [&](const std::string&) {
    return Random(options.seed, {kDrawLines, counter++}).uniform() >= share;
  });
}

class Lines final : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(const std::deque<std::string>& lines) : lines_(lines) {}
  bool done() const override { return next_ == lines_.size(); }
  void Next() override { ++next_; }
  const std::string& value() const override { return lines_[next_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::deque<std::string>& lines_;
  std::size_t next_ = 0;
};

std::unordered_map<std::string, std::string> to_arguments(const TokenizerOptions& options) {
  const auto special = [](std::size_t id) { return std::string(kSpecialPieces[id]); };
  return {{"model_type", options.kind == TokenizerKind::kBpe ? "bpe" : "unigram"},
          {"vocab_size", std::to_string(options.vocab_size)},
          {"hard_vocab_limit", "false"},  // small texts have fewer pieces
          {"normalization_rule_name", options.lowercase ? "nmt_nfkc_cf" : "nmt_nfkc"},
          {"byte_fallback", "true"},
          {"num_threads", "1"},
          {"shuffle_input_sentence", "false"},
          {"pad_id", "0"},
          {"pad_piece", special(0)},
          {"unk_id", "1"},
          {"unk_piece", special(1)},
          {"bos_id", "2"},
          {"bos_piece", special(2)},
          {"eos_id", "3"},
          {"eos_piece", special(3)},
          {"user_defined_symbols", special(4)},
          {"minloglevel", "3"}};
}

}  // namespace

std::string train_sentencepiece(std::span<const std::string> texts, const TokenizerOptions& options) {
  constexpr std::int32_t kNumFixed = 5 + 256;
  detail::require(options.vocab_size > kNumFixed, "train_tokenizer",
                  "vocab_size must be more than the special pieces and 256 bytes", options.vocab_size);
  detail::require(options.max_training_bytes > 0, "train_tokenizer", "max_training_bytes must be positive",
                  options.max_training_bytes);
  std::deque<std::string> lines = make_lines(texts);
  if (!lines.empty()) thin_out(lines, options);
  detail::require(!lines.empty(), "train_tokenizer", "texts must hold a word", texts.size());
  Lines source(lines);
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(to_arguments(options), &source, &model);
  if (!status.ok())
    throw std::invalid_argument(std::string("train_tokenizer: SentencePiece must accept texts and vocab_size, got: ") +
                                status.message());
  return model;
}

}  // namespace rotary::text
