#include <algorithm>

#include "text/delimited_rows.h"
#include "text/readers.h"

namespace rotary::text {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Columns {
  std::size_t text = kNone, label = kNone, id = kNone;
};

std::size_t find_column(const DelimitedRows& header, const std::string& name) {
  const auto& names = header.fields();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return kNone;
  if (std::find(found + 1, names.end(), name) != names.end())
    fail(header.place(), "must have one column " + quote(name), "several");
  return static_cast<std::size_t>(found - names.begin());
}

std::size_t require_column(const DelimitedRows& header, const std::string& name) {
  const std::size_t column = find_column(header, name);
  if (column == kNone)
    fail(header.place(), "must have a column " + quote(name), "the columns " + quote_list(header.fields()));
  return column;
}

Columns find_columns(const DelimitedRows& header, const CorpusOptions& options) {
  Columns columns;
  columns.text = require_column(header, options.text_field);
  if (!options.label_field.empty()) columns.label = require_column(header, options.label_field);
  columns.id = find_column(header, options.id_field);
  return columns;
}

Document make_document(const DelimitedRows& row, const Columns& columns, const std::string& prefix) {
  Document document;
  document.text = row.fields()[columns.text];
  if (columns.label != kNone) {
    document.label = row.fields()[columns.label];
    validate_label(document.label, row.place());
  }
  if (columns.id != kNone) document.id = row.fields()[columns.id];
  if (document.id.empty()) document.id = prefix + ":" + std::to_string(row.place().line);
  return document;
}

}  // namespace

void read_delimited(ByteSource& source, char delimiter, const std::string& prefix, const CorpusOptions& options,
                    DocumentList& out) {
  LineReader lines(source, options.max_bytes);
  DelimitedRows rows(lines, delimiter, options.quotes);
  if (!rows.next()) fail({source.name()}, "must begin with a header row", "an empty file");
  const Columns columns = find_columns(rows, options);
  const std::size_t num_columns = rows.fields().size();
  while (rows.next()) {
    if (rows.fields().size() != num_columns)
      fail(rows.place(), "must have " + std::to_string(num_columns) + " fields, as the header has",
           std::to_string(rows.fields().size()));
    add_document(make_document(rows, columns, prefix), out);
  }
}

}  // namespace rotary::text
