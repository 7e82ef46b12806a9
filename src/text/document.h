// A document of a data set.
#pragma once

#include <string>

namespace rotary::text {

struct Document {
  std::string text;   ///< UTF-8 without NUL, as the file has it (a byte order mark left out)
  std::string label;  ///< empty in unlabelled data
  std::string id;     ///< from the data, else "train.csv:12" (file and line) or the path inside the folder
};

}  // namespace rotary::text
