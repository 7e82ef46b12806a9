// Folders of text files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "text/corpus_options.h"
#include "text/document_list.h"

namespace rotary::text {

/// Entries of a folder by name, without those whose name begins with a dot. Throws std::runtime_error.
std::vector<std::filesystem::directory_entry> list_folder(const std::filesystem::path& folder);

/// Every folder in `folder` is a class, called like the folder; every file in it, at any depth, is a document. A
/// document's id is its path from `root`. Returns how many files lie beside the class folders and are ignored. Throws
/// std::runtime_error for a class folder without a document, and when there is no class folder.
std::size_t read_class_folders(const std::filesystem::path& folder, const std::filesystem::path& root,
                               const CorpusOptions& options, DocumentList& out);

/// Every file in `folder`, at any depth: rows or objects by its form, else one text. No labels.
void read_text_folder(const std::filesystem::path& folder, const CorpusOptions& options, DocumentList& out);

}  // namespace rotary::text
