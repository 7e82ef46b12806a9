// Splitting training documents where a validation or a test set is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/document.h"

namespace rotary::text {

struct SplitFractions {
  double valid = 0, test = 0;
};

struct SplitSizes {
  std::size_t train = 0, valid = 0, test = 0;
};

/// How many of a class's documents go where: the fractions rounded to the nearest; with three documents or more at
/// least one in each part whose fraction is not 0; fewer stay in the training set.
SplitSizes split_sizes(std::size_t num_documents, const SplitFractions& fractions);

struct DocumentSplit {
  std::vector<Document> train, valid, test;
};

/// Splits within each label, the documents of a part in their given order. Which document goes where depends on `seed`
/// and on the texts alone, on every machine: not on the order, the ids or the file form. Texts that differ in white
/// space and case only stay together, save at the border of two parts.
DocumentSplit split_documents(std::vector<Document> documents, const SplitFractions& fractions, std::uint64_t seed);

}  // namespace rotary::text
