#include "text/document_list.h"

#include <algorithm>

#include "text/white_space.h"

namespace rotary::text {

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const std::size_t space = leading_space(text);
    if (space == 0) return false;
    text.remove_prefix(space);
  }
  return true;
}

void add_document(Document document, DocumentList& out) {
  if (!is_blank(document.text)) {
    out.documents.push_back(std::move(document));
    return;
  }
  constexpr std::size_t kMaxIds = 5;
  if (++out.num_empty <= kMaxIds) out.empty_ids.push_back(std::move(document.id));
}

void validate_label(std::string_view label, const Place& place) {
  const bool one_line =
      std::none_of(label.begin(), label.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (is_blank(label) || !one_line) fail(place, "must have a label, one line that is not empty", quote(label));
}

}  // namespace rotary::text
