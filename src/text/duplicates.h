// Documents that stand twice.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "text/document.h"

namespace rotary::text {

struct DuplicatePair {
  std::string id;      ///< of the later document
  std::string twin;    ///< of one in an earlier part, or of another label
  double jaccard = 1;  ///< similarity of the two sets of five-word runs
};

struct DuplicateReport {
  std::size_t num_exact = 0;  ///< documents of a later part that stand in an earlier one
  std::size_t num_near = 0;   ///< documents of a later part, not exact, that share half their runs with an earlier
  std::size_t num_conflicting = 0;  ///< documents whose text stands before, in any part, under another label
  std::vector<DuplicatePair> exact, near, conflicting;  ///< the first few of each
};

/// Compares the parts of a split: `parts` in the order training, validation, test. Exact means equal but for white
/// space and ASCII case; near means a Jaccard similarity of five-word runs of at least 0.5, found with a probability of
/// .98 at 0.5 and more above. Time and memory grow with the size of the data, not with the number of pairs.
DuplicateReport find_duplicates(const std::vector<const std::vector<Document>*>& parts);

}  // namespace rotary::text
