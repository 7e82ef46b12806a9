// Documents as they come from the readers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/data_error.h"
#include "text/document.h"

namespace rotary::text {

struct DocumentList {
  std::vector<Document> documents;
  std::size_t num_empty = 0;           ///< texts of white space only, left out
  std::vector<std::string> empty_ids;  ///< of the first few of them
};

/// Nothing but white space (ASCII, the no-break and the ideographic space).
bool is_blank(std::string_view text);

/// Appends a document or, where its text is blank, counts it.
void add_document(Document document, DocumentList& out);

/// Throws std::runtime_error unless the label is a word or more on one line.
void validate_label(std::string_view label, const Place& place);

}  // namespace rotary::text
