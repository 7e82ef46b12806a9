#include "text/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>

#include <stdexcept>

#include "core/require.h"
#include "rotary/formats/files.h"
#include "text/special_pieces.h"
#include "text/tokenizer_config.h"
#include "text/unicode.h"

namespace rotary::text {

SentencePieceTokenizer::SentencePieceTokenizer(std::string_view model, const std::string& name)
    : processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  // The library takes a file without any piece for a model.
  const auto status = processor_->LoadFromSerializedProto(model);
  if (!status.ok() || processor_->GetPieceSize() == 0)
    throw std::runtime_error(name + ": must be a SentencePiece model, got " +
                             (status.ok() ? "one without pieces" : std::string(status.message())));
  special_ids_ = find_special_ids([&](std::string_view piece) {
    const int id = processor_->PieceToId(piece);
    return id >= 0 && id < processor_->GetPieceSize() && processor_->IdToPiece(id) == piece ? id : -1;
  });
  special_ids_.unk = processor_->unk_id();
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

std::vector<std::int32_t> SentencePieceTokenizer::encode(std::string_view utf8) const {
  std::vector<int> ids;
  const auto status = processor_->Encode(to_valid_utf8(utf8), &ids);
  if (!status.ok()) throw std::runtime_error(std::string("encode: SentencePiece failed: ") + status.message());
  return ids;
}

std::string SentencePieceTokenizer::piece(std::int32_t id) const {
  detail::require<std::out_of_range>(id >= 0 && id < vocab_size(), "piece", "id must be below vocab_size", id);
  return processor_->IdToPiece(id);
}

std::int32_t SentencePieceTokenizer::vocab_size() const { return processor_->GetPieceSize(); }

void SentencePieceTokenizer::save(const std::filesystem::path& folder) const {
  write_file_atomically((folder / "spiece.model").string(), processor_->serialized_model_proto());
  TokenizerConfig config = make_tokenizer_config(*this, "sentencepiece", "PreTrainedTokenizerFast");
  // A file cut off between two pieces still reads as a model.
  config["vocab_size"] = vocab_size();
  write_tokenizer_config(folder, config);
}

}  // namespace rotary::text
