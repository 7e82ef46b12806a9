#include "text/folder_reader.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "text/document_file.h"

namespace rotary::text {
namespace {

namespace fs = std::filesystem;

// Regular files at any depth, by path. Folders that are links are not entered: they may lead back.
void list_files(const fs::path& folder, std::vector<fs::path>& out) {
  for (const fs::directory_entry& entry : list_folder(folder)) {
    std::error_code error;
    if (entry.is_directory(error)) {
      if (!entry.is_symlink(error)) list_files(entry.path(), out);
    } else if (entry.is_regular_file(error)) {
      out.push_back(entry.path());
    } else if (!entry.exists(error)) {
      fail_to_read(entry.path().string(), ENOENT);  // a link to nowhere
    }
  }
}

void read_one_text(const fs::path& file, const fs::path& root, const std::string& label, const CorpusOptions& options,
                   DocumentList& out) {
  add_document({read_text_file(file.string(), options.max_bytes), label, file.lexically_relative(root).string()}, out);
}

void read_class(const fs::path& folder, const fs::path& root, const CorpusOptions& options, DocumentList& out) {
  const std::string label = folder.filename().string();
  validate_label(label, {folder.string()});
  std::vector<fs::path> files;
  list_files(folder, files);
  if (files.empty()) fail({folder.string()}, "must hold a text file, as every class folder", "an empty folder");
  const std::size_t num_before = out.documents.size();
  for (const fs::path& file : files) read_one_text(file, root, label, options, out);
  if (out.documents.size() == num_before)
    fail({folder.string()}, "must hold a text, as every class folder", "empty files only");
}

}  // namespace

std::vector<fs::directory_entry> list_folder(const fs::path& folder) {
  std::vector<fs::directory_entry> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (!it->path().filename().string().starts_with('.')) out.push_back(*it);
  if (error) fail_to_read(folder.string(), error.value());
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.path().filename().native() < b.path().filename().native(); });
  return out;
}

std::size_t read_class_folders(const fs::path& folder, const fs::path& root, const CorpusOptions& options,
                               DocumentList& out) {
  std::size_t num_folders = 0, num_ignored = 0;
  for (const fs::directory_entry& entry : list_folder(folder)) {
    std::error_code error;
    if (entry.is_directory(error)) {
      read_class(entry.path(), root, options, out);
      ++num_folders;
    } else {
      ++num_ignored;
    }
  }
  if (num_folders == 0)
    fail({folder.string()}, "must hold train.jsonl, train.csv or train.tsv, or a folder of text files for each class",
         num_ignored == 0 ? "an empty folder" : "other files only");
  return num_ignored;
}

void read_text_folder(const fs::path& folder, const CorpusOptions& options, DocumentList& out) {
  std::vector<fs::path> files;
  list_files(folder, files);
  for (const fs::path& file : files) {
    if (file_form(file) == FileForm::kText)
      read_one_text(file, folder, "", options, out);
    else
      read_document_file(file, file.lexically_relative(folder).string(), options, out);
  }
}

}  // namespace rotary::text
