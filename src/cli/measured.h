// Tables and vectors of other programs: measured, compared, and said in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rotary/formats/model_config.h"
#include "rotary/formats/rotation_files.h"
#include "rotary/measure.h"

namespace rotary::cli {

/// What was measured from one file under one name.
struct Measured {
  std::string name;  ///< "table", "layer0_q", ...
  MeasuredRotation rotation;
  std::string contents;      ///< "2048 rows, 32 pairs, bfloat16"
  std::int64_t seq_len = 0;  ///< of the sequence that vectors were rotated in; 0 of a table, which does not say
};

/// One line of an answer.
struct Finding {
  std::string name, contents;
  MapDifference difference;
  /// Largest difference of two values, and where; none if they were not compared value by value.
  std::optional<double> max_value;
  std::int64_t row = -1, column = -1;
  std::optional<double> max_logit;  ///< of the first query head with the first key head
  std::string rotation;             ///< which of a model's, where it has several
};

/// Reads a table or vectors. Throws std::runtime_error naming the file.
std::vector<Measured> measure_file(const std::string& path, DumpLayout layout);

/// Two tables, or two dumps, name by name.
std::vector<Finding> compare_files(const std::string& first, const std::string& second, DumpLayout layout,
                                   double position);

/// A table or vectors against the rotations that the file could be of: the first one that agrees, else the first one.
/// \param seq_len  for rotations that depend on the length; 0: that of the vectors
std::vector<Finding> compare_with(const std::vector<ModelRotation>& rotations, const std::string& path,
                                  DumpLayout layout, double position, std::int64_t seq_len);

bool same(const std::vector<Finding>& findings);
std::string to_text(const std::vector<Finding>& findings, double position);
std::string to_json(const std::vector<Finding>& findings, double position);

}  // namespace rotary::cli
