// Readers of the file forms. Each appends the documents of one source to `out`; a document without an id of its own is
// called "prefix:line". An empty `options.label_field` reads no labels. All throw std::runtime_error, by file, line and
// column, for data they cannot take.
#pragma once

#include <string>

#include "text/byte_source.h"
#include "text/corpus_options.h"
#include "text/document_list.h"

namespace rotary::text {

/// Rows with a header: RFC 4180 with any delimiter. Blank lines are skipped.
void read_delimited(ByteSource& source, char delimiter, const std::string& prefix, const CorpusOptions& options,
                    DocumentList& out);

/// A JSON object a line. Labels may be strings, integers and booleans. Blank lines are skipped.
void read_json_lines(ByteSource& source, const std::string& prefix, const CorpusOptions& options, DocumentList& out);

/// The whole source is one text.
std::string read_text(ByteSource& source, std::size_t max_bytes);

}  // namespace rotary::text
