// The parts of a data set by their names in a folder.
#pragma once

#include <filesystem>
#include <optional>

namespace rotary::text {

struct SplitPaths {
  std::filesystem::path train, valid, test;  ///< empty: there is none
};

/// Files called train, valid (validation, val, dev) and test, of a form that holds several documents. None if no such
/// file is there. Throws std::runtime_error for two of one part, and for a validation or test file without a training
/// file.
std::optional<SplitPaths> find_split_files(const std::filesystem::path& folder);

/// Folders of the same names; none unless "train" is there and holds folders (else it may be a class).
std::optional<SplitPaths> find_split_folders(const std::filesystem::path& folder);

}  // namespace rotary::text
