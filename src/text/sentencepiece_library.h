// The door to SentencePiece, which lives in a library of its own.
//
// Debian's libsentencepiece exports a Protocol Buffers of its own, libtorch uses another, and a process in which their
// symbols meet crashes at its start. So what uses SentencePiece is a module that is opened when it is first needed, its
// symbols hidden from all others.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace rotary::text {

struct SentencePieceLibrary {
  /// `model`: the contents of a SentencePiece model file; `name` for messages. Throws std::runtime_error for a model
  /// that the library refuses.
  std::unique_ptr<Tokenizer> (*open)(std::string_view model, const std::string& name);
  /// The model file's contents for the texts: sentencepiece_tokenizer.h.
  std::string (*train)(std::span<const std::string> texts, const TokenizerOptions& options);
};

/// Opens the module. Throws std::runtime_error where it is not beside the program.
const SentencePieceLibrary& sentencepiece_library();

}  // namespace rotary::text
