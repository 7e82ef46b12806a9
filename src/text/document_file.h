// One file of documents, or a file that is one document.
#pragma once

#include <filesystem>
#include <string>

#include "text/corpus_options.h"
#include "text/document_list.h"

namespace rotary::text {

enum class FileForm { kText, kCsv, kTsv, kJsonLines };

/// By the ending of the name, behind which ".gz" may stand: .csv; .tsv, .tab; .jsonl, .ndjson, .json; else kText.
FileForm file_form(const std::filesystem::path& path);

/// The stem of a file name without form and ".gz": "train" of "train.jsonl.gz".
std::string form_stem(const std::filesystem::path& path);

/// Appends the documents of a file of rows or objects (not kText).
void read_document_file(const std::filesystem::path& path, const std::string& id_prefix, const CorpusOptions& options,
                        DocumentList& out);

/// The text of a file, or of the standard input for "-"; gzip is unpacked and a byte order mark left out. Throws
/// std::runtime_error for what cannot be read, is no UTF-8, holds a NUL or more than `max_bytes`.
std::string read_text_file(const std::string& path, std::size_t max_bytes = CorpusOptions{}.max_bytes);

}  // namespace rotary::text
