// Reads bytes as CSV, TSV, JSON lines and text, packed or not: documents that keep what they promise come out, or one
// std::runtime_error of one line.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "text/duplicates.h"
#include "text/readers.h"
#include "text/utf8_check.h"

namespace {

using rotary::text::DocumentList;

void expect(bool holds) {
  if (!holds) __builtin_trap();
}

bool is_text(std::string_view text) { return rotary::text::find_bad_utf8(text) == text.size(); }

void check_documents(const DocumentList& list, bool labelled) {
  for (const auto& document : list.documents) {
    expect(is_text(document.text) && is_text(document.label) && !document.id.empty());
    expect(!rotary::text::is_blank(document.text));
    expect(document.label.empty() != labelled);
  }
  const auto report = rotary::text::find_duplicates({&list.documents, &list.documents});
  expect(report.num_exact == list.documents.size());  // each stands in the earlier part
}

void read(std::string_view bytes, int form, const rotary::text::CorpusOptions& options) {
  const auto source = rotary::text::unpacked(rotary::text::memory_source("data", bytes));
  try {
    DocumentList list;
    switch (form) {
      case 0: rotary::text::read_delimited(*source, ',', "data", options, list); break;
      case 1: rotary::text::read_delimited(*source, '\t', "data", options, list); break;
      case 2: rotary::text::read_json_lines(*source, "data", options, list); break;
      default: expect(is_text(rotary::text::read_text(*source, options.max_bytes)));
    }
    check_documents(list, !options.label_field.empty());
  } catch (const std::runtime_error& error) {
    const std::string_view message = error.what();
    expect(message.starts_with("data") && message.find('\n') == std::string_view::npos && is_text(message));
    expect(message.size() < 1000);
  }
}

}  // namespace

// The first byte chooses the form and the options.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  rotary::text::CorpusOptions options;
  if ((data[0] & 4) != 0) options.label_field.clear();
  options.quotes = (data[0] & 8) == 0;
  options.max_bytes = (data[0] & 16) != 0 ? 40 : 1 << 20;
  read({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0] & 3, options);
  return 0;
}
