// Attention as a picture: who looks at whom, one map a head.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/figure.h"

namespace rotary::report {

/// kShared: heads can be compared. kOwn: each head's pattern is seen best, its scale beside it.
enum class HeadScale { kShared, kOwn };

struct AttentionOptions {
  std::string title = {};
  std::vector<std::string> head_names = {};  // empty: "head 0", "head 1", ...
  int columns = 0;                           // of the grid; 0: as fit a screen
  HeadScale scale = HeadScale::kShared;
};

/// A grid of heat maps, a row a query token, a column a key token, with colours from zero to the largest weight of all
/// heads or of each. Blanks in tokens are made visible. Up to 20,000 cells have tooltips.
///
///   weights   [num_heads, num_tokens, num_tokens], row-major: [head, query, key]
///
/// Throws std::invalid_argument: no head, a number of weights or names that does not match, negative columns.
Grid attention_figure(const std::vector<std::string>& tokens, std::span<const float> weights, int num_heads,
                      const AttentionOptions& options = {});

}  // namespace rotary::report
