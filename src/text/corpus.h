// Data sets: documents with labels for training, validation and test, or without labels for pretraining.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "text/corpus_options.h"
#include "text/document.h"
#include "text/duplicates.h"

namespace rotary::text {

struct Corpus {
  std::vector<Document> train, valid, test;
  std::vector<std::string> labels;  ///< those of the training documents, sorted by bytes; none in unlabelled data

  bool valid_given = false, test_given = false;  ///< false: split off the training documents
  std::size_t num_empty = 0;                     ///< documents without text, left out
  std::vector<std::string> empty_ids;            ///< the first few of them
  std::size_t num_ignored_files = 0;             ///< files beside class folders
  DuplicateReport duplicates;
};

/// Reads a labelled data set:
///   - a folder with train, valid (or validation, val, dev) and test as files: .jsonl, .csv or .tsv, each also .gz;
///   - a folder with the same names as folders of class folders;
///   - a folder of class folders with text files;
///   - one .jsonl, .csv or .tsv file.
/// A missing validation or test set is split off the training documents, stratified. Documents in their order in the
/// data; of folders, by name. Throws std::invalid_argument for options that make no sense and std::runtime_error, one
/// line by file and line, for data that cannot be taken: docs/data.md.
Corpus load_corpus(const std::string& path, const CorpusOptions& options = {});

/// Reads texts without labels: the forms above (labels ignored, test sets not read), or any folder of text files, or
/// one text file. A missing validation set is split off and may be empty when there are fewer than three texts; `test`
/// and `labels` stay empty. Throws like load_corpus().
Corpus load_texts(const std::string& path, const CorpusOptions& options = {});

/// What the reader of a data set should know, a line each: documents left out, files ignored, duplicates.
std::vector<std::string> describe_findings(const Corpus& corpus);

}  // namespace rotary::text
