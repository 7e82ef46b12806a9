#include "text/special_pieces.h"

#include <initializer_list>

namespace rotary::text {

SpecialIds find_special_ids(const std::function<std::int32_t(std::string_view)>& find) {
  const auto first_of = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
      if (const std::int32_t id = find(name); id >= 0) return id;
    return std::int32_t{-1};
  };
  return {.pad = first_of({"[PAD]", "<pad>"}),
          .unk = first_of({"[UNK]", "<unk>"}),
          .cls = first_of({"[CLS]", "<cls>", "<s>"}),
          .sep = first_of({"[SEP]", "<sep>", "</s>"}),
          .mask = first_of({"[MASK]", "<mask>"})};
}

void SpecialFinder::add(std::string piece, std::int32_t id) {
  if (piece.empty()) return;
  starts_[static_cast<unsigned char>(piece[0])] = true;
  specials_.push_back({std::move(piece), id});
}

SpecialFinder::Match SpecialFinder::find(std::string_view text, std::size_t from) const {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (!starts_[static_cast<unsigned char>(text[at])]) [[likely]]
      continue;
    Match best;
    for (const Special& special : specials_)
      if (special.piece.size() > best.length && text.substr(at).starts_with(special.piece))
        best = {at, special.piece.size(), special.id};
    if (best.length > 0) return best;
  }
  return {text.size(), 0, -1};
}

}  // namespace rotary::text
