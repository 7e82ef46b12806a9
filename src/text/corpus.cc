#include "text/corpus.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "core/require.h"
#include "text/data_error.h"
#include "text/document_file.h"
#include "text/folder_reader.h"
#include "text/split.h"
#include "text/split_paths.h"

namespace rotary::text {
namespace {

namespace fs = std::filesystem;

// What is read before anything is split off.
struct Parts {
  DocumentList train, valid, test;
  bool valid_given = false, test_given = false;
  std::size_t num_ignored_files = 0;
};

void validate_options(const char* function, const CorpusOptions& options) {
  using detail::require;
  const auto is_share = [](double x) { return x >= 0 && x < 1; };
  require(is_share(options.valid_fraction), function, "valid_fraction must be in [0, 1)", options.valid_fraction);
  require(is_share(options.test_fraction), function, "test_fraction must be in [0, 1)", options.test_fraction);
  require(options.valid_fraction + options.test_fraction < 1, function,
          "valid_fraction + test_fraction must be below 1", options.valid_fraction + options.test_fraction);
  require(!options.text_field.empty(), function, "text_field must be a name", quote(options.text_field));
  require(options.text_field != options.label_field, function, "text_field and label_field must differ",
          quote(options.text_field));
  require(
      options.id_field.empty() || (options.id_field != options.text_field && options.id_field != options.label_field),
      function, "id_field must differ from text_field and label_field", quote(options.id_field));
  require(options.max_bytes > 0, function, "max_bytes must be positive", options.max_bytes);
}

void read_files(const SplitPaths& paths, const CorpusOptions& options, Parts& out) {
  const auto read = [&](const fs::path& path, DocumentList& list) {
    if (!path.empty()) read_document_file(path, path.filename().string(), options, list);
  };
  read(paths.train, out.train);
  read(paths.valid, out.valid);
  read(paths.test, out.test);
}

void read_folders(const SplitPaths& paths, const fs::path& root, const CorpusOptions& options, Parts& out) {
  const auto read = [&](const fs::path& path, DocumentList& list) {
    if (path.empty()) return;
    if (options.label_field.empty())
      read_text_folder(path, options, list);
    else
      out.num_ignored_files += read_class_folders(path, root, options, list);
  };
  read(paths.train, out.train);
  read(paths.valid, out.valid);
  read(paths.test, out.test);
}

void read_folder(const fs::path& folder, const CorpusOptions& options, Parts& out) {
  const bool labelled = !options.label_field.empty();
  auto files = find_split_files(folder);
  auto folders = files ? std::nullopt : find_split_folders(folder);
  if (auto* paths = files ? &*files : folders ? &*folders : nullptr) {
    if (!labelled) paths->test.clear();
    out.valid_given = !paths->valid.empty();
    out.test_given = !paths->test.empty();
  }
  if (files) return read_files(*files, options, out);
  if (folders) return read_folders(*folders, folder, options, out);
  if (labelled)
    out.num_ignored_files = read_class_folders(folder, folder, options, out.train);
  else
    read_text_folder(folder, options, out.train);
}

Parts read_parts(const fs::path& path, const CorpusOptions& options) {
  Parts out;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) fail_to_read(path.string(), error.value());
  if (fs::is_directory(status)) {
    read_folder(path, options, out);
  } else if (options.label_field.empty() && file_form(path) == FileForm::kText) {
    add_document({read_text_file(path.string(), options.max_bytes), "", path.filename().string()}, out.train);
  } else {
    read_document_file(path, path.filename().string(), options, out.train);
  }
  return out;
}

// Throws for a part that is there and empty.
void validate_parts(const std::string& path, const Parts& parts) {
  const auto check = [&](const char* part, bool given, const DocumentList& list) {
    if (given && list.documents.empty())
      fail({path}, std::string("must hold ") + part + " documents",
           list.num_empty == 0 ? "none" : std::to_string(list.num_empty) + ", all without text");
  };
  check("training", true, parts.train);
  check("validation", parts.valid_given, parts.valid);
  check("test", parts.test_given, parts.test);
}

void count_empty(const DocumentList& list, Corpus& out) {
  constexpr std::size_t kMaxIds = 5;
  out.num_empty += list.num_empty;
  for (const std::string& id : list.empty_ids)
    if (out.empty_ids.size() < kMaxIds) out.empty_ids.push_back(id);
}

// Splits off what is missing.
Corpus assemble(Parts parts, SplitFractions fractions, std::uint64_t seed) {
  Corpus out;
  out.valid_given = parts.valid_given;
  out.test_given = parts.test_given;
  out.num_ignored_files = parts.num_ignored_files;
  for (const DocumentList* list : {&parts.train, &parts.valid, &parts.test}) count_empty(*list, out);
  if (out.valid_given) fractions.valid = 0;
  if (out.test_given) fractions.test = 0;
  DocumentSplit split = split_documents(std::move(parts.train.documents), fractions, seed);
  out.train = std::move(split.train);
  out.valid = std::move(out.valid_given ? parts.valid.documents : split.valid);
  out.test = std::move(out.test_given ? parts.test.documents : split.test);
  out.duplicates = find_duplicates({&out.train, &out.valid, &out.test});
  return out;
}

void validate_labels(const std::string& path, const Corpus& corpus) {
  const auto& labels = corpus.labels;
  if (labels.size() < 2) fail({path}, "must have documents of two labels or more", quote_list(labels) + " only");
  for (const auto* part : {&corpus.valid, &corpus.test})
    for (const Document& document : *part)
      if (!std::binary_search(labels.begin(), labels.end(), document.label))
        fail({path}, "must have every label of its validation and test documents among the training documents",
             quote(document.label) + " of " + quote(document.id));
}

void validate_split(const std::string& path, const CorpusOptions& options, const Corpus& corpus) {
  if ((options.valid_fraction > 0 && corpus.valid.empty()) || (options.test_fraction > 0 && corpus.test.empty()))
    fail({path}, "must have three documents or more of a label to split off a validation or test set",
         std::to_string(corpus.train.size()) + " documents in all");
}

}  // namespace

Corpus load_corpus(const std::string& path, const CorpusOptions& options) {
  validate_options("load_corpus", options);
  detail::require(!options.label_field.empty(), "load_corpus", "label_field must be a name", "''");
  Parts parts = read_parts(path, options);
  validate_parts(path, parts);
  Corpus out = assemble(std::move(parts), {options.valid_fraction, options.test_fraction}, options.seed);
  std::set<std::string> labels;
  for (const Document& document : out.train) labels.insert(document.label);
  out.labels.assign(labels.begin(), labels.end());
  validate_labels(path, out);
  validate_split(path, options, out);
  return out;
}

Corpus load_texts(const std::string& path, const CorpusOptions& options) {
  validate_options("load_texts", options);
  CorpusOptions unlabelled = options;
  unlabelled.label_field.clear();
  Parts parts = read_parts(path, unlabelled);
  validate_parts(path, parts);
  return assemble(std::move(parts), {options.valid_fraction, 0}, options.seed);
}

}  // namespace rotary::text
