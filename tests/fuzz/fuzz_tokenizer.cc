// Reads bytes as a tokenizer.json and as a vocab.txt, up to the first NUL; what is behind it is encoded by the
// tokenizer that comes out, and by a fixed one. Whatever the bytes are: ids of the vocabulary or the documented
// exception, and a tokenizer.json that was read is the same when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "text/wordpiece_tokenizer.h"
#include "text/words_tokenizer.h"

namespace {

using namespace rotary::text;

void expect(bool holds) {
  if (!holds) __builtin_trap();
}

void encode(const Tokenizer& tokenizer, std::string_view text) {
  for (const std::int32_t id : tokenizer.encode(text)) {
    expect(id >= 0 && id < tokenizer.vocab_size());
    tokenizer.piece(id);
  }
}

void read_words(std::string_view json, std::string_view text) {
  WordsVocabulary vocabulary;
  try {
    vocabulary = parse_words_vocabulary(json, "tokenizer.json");
  } catch (const std::runtime_error&) {
    return;
  }
  const WordsVocabulary again = parse_words_vocabulary(to_tokenizer_json(vocabulary), "again");
  expect(again.pieces == vocabulary.pieces && again.added == vocabulary.added && again.unk == vocabulary.unk &&
         again.lowercase == vocabulary.lowercase);
  encode(WordsTokenizer(vocabulary), text);
}

void read_wordpiece(std::string_view lines, std::string_view text) {
  try {
    for (const bool on : {false, true})
      encode(WordPieceTokenizer(parse_vocab_txt(lines, "vocab.txt"), {on, on, on}), text);
  } catch (const std::runtime_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const WordsTokenizer fixed(
      {{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "."}, {0, 1, 2, 3, 4}, 1, true});
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string_view file = all.substr(0, all.find('\0'));
  const std::string_view text = all.substr(file.size());
  read_words(file, text);
  read_wordpiece(file, text);
  encode(fixed, all);
  return 0;
}
