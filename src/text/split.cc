#include "text/split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "text/hash64.h"
#include "text/word_hashes.h"

namespace rotary::text {
namespace {

std::size_t part_size(std::size_t num_documents, double fraction) {
  if (fraction <= 0) return 0;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(static_cast<double>(num_documents) * fraction)));
}

}  // namespace

SplitSizes split_sizes(std::size_t num_documents, const SplitFractions& fractions) {
  constexpr std::size_t kSplittable = 3;
  if (num_documents < kSplittable) return {num_documents, 0, 0};
  std::size_t valid = part_size(num_documents, fractions.valid), test = part_size(num_documents, fractions.test);
  while (valid + test >= num_documents) --(valid > test ? valid : test);
  return {num_documents - valid - test, valid, test};
}

DocumentSplit split_documents(std::vector<Document> documents, const SplitFractions& fractions, std::uint64_t seed) {
  using Drawn = std::pair<std::uint64_t, std::size_t>;  // a number drawn for the text, the document's index
  std::map<std::string_view, std::vector<Drawn>> classes;
  for (std::size_t i = 0; i < documents.size(); ++i)
    classes[documents[i].label].emplace_back(chain64(mix64(seed), text_hash(documents[i].text)), i);

  DocumentSplit split;
  std::vector<std::vector<Document>*> part(documents.size(), &split.train);
  for (auto& [label, drawn] : classes) {
    std::sort(drawn.begin(), drawn.end());
    const SplitSizes sizes = split_sizes(drawn.size(), fractions);
    for (std::size_t i = 0; i < sizes.valid; ++i) part[drawn[i].second] = &split.valid;
    for (std::size_t i = 0; i < sizes.test; ++i) part[drawn[sizes.valid + i].second] = &split.test;
  }
  for (std::size_t i = 0; i < documents.size(); ++i) part[i]->push_back(std::move(documents[i]));
  return split;
}

}  // namespace rotary::text
