#include <cstdio>

#include "text/corpus.h"
#include "text/data_error.h"

namespace rotary::text {
namespace {

std::string show_pairs(const std::vector<DuplicatePair>& pairs, bool with_similarity) {
  std::string out;
  for (const DuplicatePair& pair : pairs) {
    if (!out.empty()) out += ", ";
    out += quote(pair.id) + " = " + quote(pair.twin);
    if (!with_similarity) continue;
    char text[16];
    std::snprintf(text, sizeof text, " (%.2f)", pair.jaccard);
    out += text;
  }
  return out;
}

std::string plural(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::vector<std::string> describe_findings(const Corpus& corpus) {
  std::vector<std::string> out;
  const DuplicateReport& found = corpus.duplicates;
  if (corpus.num_empty != 0)
    out.push_back(plural(corpus.num_empty, "document", "documents") +
                  " without text left out: " + quote_list(corpus.empty_ids));
  if (corpus.num_ignored_files != 0)
    out.push_back(plural(corpus.num_ignored_files, "file", "files") + " beside the class folders ignored");
  if (found.num_exact != 0)
    out.push_back(plural(found.num_exact, "validation or test document stands", "validation or test documents stand") +
                  " in an earlier part too: " + show_pairs(found.exact, false));
  if (found.num_near != 0)
    out.push_back(plural(found.num_near, "validation or test document is", "validation or test documents are") +
                  " nearly the same as one of an earlier part: " + show_pairs(found.near, true));
  if (found.num_conflicting != 0)
    out.push_back(plural(found.num_conflicting, "document repeats", "documents repeat") +
                  " a text under another label: " + show_pairs(found.conflicting, false));
  return out;
}

}  // namespace rotary::text
