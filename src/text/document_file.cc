#include "text/document_file.h"

#include <algorithm>

#include "text/line_reader.h"
#include "text/readers.h"

namespace rotary::text {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path& path) {
  std::string out = path.extension().string();
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

fs::path without_gz(const fs::path& path) {
  return lower_extension(path) == ".gz" ? path.filename().stem() : path.filename();
}

}  // namespace

FileForm file_form(const fs::path& path) {
  const std::string extension = lower_extension(without_gz(path));
  if (extension == ".csv") return FileForm::kCsv;
  if (extension == ".tsv" || extension == ".tab") return FileForm::kTsv;
  if (extension == ".jsonl" || extension == ".ndjson" || extension == ".json") return FileForm::kJsonLines;
  return FileForm::kText;
}

std::string form_stem(const fs::path& path) { return without_gz(path).stem().string(); }

void read_document_file(const fs::path& path, const std::string& id_prefix, const CorpusOptions& options,
                        DocumentList& out) {
  const auto source = unpacked(file_source(path.string()));
  switch (file_form(path)) {
    case FileForm::kCsv: return read_delimited(*source, ',', id_prefix, options, out);
    case FileForm::kTsv: return read_delimited(*source, '\t', id_prefix, options, out);
    case FileForm::kJsonLines: return read_json_lines(*source, id_prefix, options, out);
    case FileForm::kText: break;
  }
  fail({path.string()}, "must end in .csv, .tsv or .jsonl (.gz may follow)", quote(path.filename().string()));
}

std::string read_text(ByteSource& source, std::size_t max_bytes) {
  LineReader lines(source, max_bytes);
  std::string text;
  while (lines.next()) {
    text += lines.line();
    if (text.size() > max_bytes)
      fail({source.name()}, "must be at most " + std::to_string(max_bytes) + " bytes of text", "more");
  }
  return text;
}

std::string read_text_file(const std::string& path, std::size_t max_bytes) {
  const auto source = unpacked(file_source(path));
  return read_text(*source, max_bytes);
}

}  // namespace rotary::text
