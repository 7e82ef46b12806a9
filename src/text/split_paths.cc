#include "text/split_paths.h"

#include <algorithm>
#include <string>

#include "text/data_error.h"
#include "text/document_file.h"
#include "text/folder_reader.h"

namespace rotary::text {
namespace {

namespace fs = std::filesystem;

// The member that a name stands for.
fs::path SplitPaths::*part_of(const std::string& name) {
  if (name == "train") return &SplitPaths::train;
  if (name == "valid" || name == "validation" || name == "val" || name == "dev") return &SplitPaths::valid;
  return name == "test" ? &SplitPaths::test : nullptr;
}

void put(const fs::path& folder, const fs::path& path, fs::path SplitPaths::*part, SplitPaths& out) {
  fs::path& slot = out.*part;
  if (!slot.empty())
    fail({folder.string()}, "must hold each part of the data once",
         quote(slot.filename().string()) + " and " + quote(path.filename().string()));
  slot = path;
}

bool holds_folders(const fs::path& folder) {
  const auto entries = list_folder(folder);
  return std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
    std::error_code error;
    return entry.is_directory(error);
  });
}

}  // namespace

std::optional<SplitPaths> find_split_files(const fs::path& folder) {
  SplitPaths out;
  for (const fs::directory_entry& entry : list_folder(folder)) {
    std::error_code error;
    if (entry.is_directory(error) || file_form(entry.path()) == FileForm::kText) continue;
    if (const auto part = part_of(form_stem(entry.path()))) put(folder, entry.path(), part, out);
  }
  if (out.train.empty() && !(out.valid.empty() && out.test.empty()))
    fail({folder.string()}, "must hold a training file (train.jsonl, train.csv or train.tsv)",
         quote((out.test.empty() ? out.valid : out.test).filename().string()) + " without one");
  if (out.train.empty()) return std::nullopt;
  return out;
}

std::optional<SplitPaths> find_split_folders(const fs::path& folder) {
  SplitPaths out;
  for (const fs::directory_entry& entry : list_folder(folder)) {
    std::error_code error;
    if (!entry.is_directory(error)) continue;
    if (const auto part = part_of(entry.path().filename().string())) put(folder, entry.path(), part, out);
  }
  if (out.train.empty() || !holds_folders(out.train)) return std::nullopt;
  return out;
}

}  // namespace rotary::text
