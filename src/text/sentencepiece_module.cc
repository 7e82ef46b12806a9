// What librotary-sentencepiece.so shows to the outside.
#include "text/sentencepiece_library.h"
#include "text/sentencepiece_tokenizer.h"

extern "C" __attribute__((visibility("default"))) const rotary::text::SentencePieceLibrary* rotary_sentencepiece() {
  using namespace rotary::text;
  static constexpr SentencePieceLibrary library = {
      [](std::string_view model, const std::string& name) -> std::unique_ptr<Tokenizer> {
        return std::make_unique<SentencePieceTokenizer>(model, name);
      },
      train_sentencepiece};
  return &library;
}
