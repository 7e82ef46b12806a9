// Frequencies of one list after scaling: the formula of every method, once, for two kinds of numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/double_double.h"
#include "rotary/scaling.h"

namespace rotary::detail {

/// What the formulas need beside the method: base b, exponent denominator D and number of frequencies; seq_len 0 is
/// "short".
struct FrequencyList {
  double base = 10000;
  int denominator = 0;
  int count = 0;
  std::int64_t seq_len = 0;
};

/// count frequencies base^(-2i/D), scaled; good to 2^-95 relative.
std::vector<DoubleDouble> exact_frequencies(const Scaling& scaling, const FrequencyList& list);

/// The same in float32, operation by operation in the order of transformers' modeling_rope_utils (double where Python
/// computes with floats, float32 where it computes with tensors).
std::vector<float> float32_frequencies(const Scaling& scaling, const FrequencyList& list);

/// YaRN's m(s, k) = coefficient k ln s + 1, and 1 for s <= 1.
double yarn_magnitude(double factor, double k, double coefficient = 0.1);

/// What the method multiplies cos and sin by.
double attention_factor(const Scaling& scaling, std::int64_t seq_len);

/// YaRN's correction range [low, high] as pair indices, before widening equal bounds.
struct CorrectionRange {
  DoubleDouble low, high;
};
CorrectionRange correction_range(double fast, double slow, const FrequencyList& list, double original_max_position,
                                 bool truncate);

}  // namespace rotary::detail
