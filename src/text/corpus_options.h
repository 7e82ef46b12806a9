// How a data set is read and split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rotary::text {

struct CorpusOptions {
  std::string text_field = "text";    ///< column or key of the text
  std::string label_field = "label";  ///< column or key of the label
  std::string id_field = "id";        ///< column or key of the id; may be absent from the data
  bool quotes = true;                 ///< CSV and TSV: fields may be quoted; false: a quote is a character like others

  double valid_fraction = 0.1;  ///< of the training documents, where no validation set is given
  double test_fraction = 0.2;   ///< of the training documents, where no test set is given
  std::uint64_t seed = 0;       ///< of the split

  std::size_t max_bytes = std::size_t{64} << 20;  ///< of a line, a field or a text file
};

}  // namespace rotary::text
