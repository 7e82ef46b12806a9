// Corruption for the masked-language-model objective (Devlin et al. 2019, section 3.1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/tokenizer.h"

namespace rotary::text {

constexpr std::int64_t kNoLabel = -100;  ///< what a loss leaves out

struct MaskOptions {
  double probability = 0.15;    ///< share of the positions that are to be predicted
  double mask_share = 0.8;      ///< of these, read as [MASK]
  double random_share = 0.1;    ///< of these, read as any other piece; the rest is read as it is
  std::int32_t vocab_size = 0;  ///< of the tokenizer
  SpecialIds special_ids;       ///< of the tokenizer: never predicted, never drawn
  std::uint64_t seed = 0;
};

struct MaskedTokens {
  std::vector<std::int32_t> tokens;  ///< what the model reads
  std::vector<std::int64_t> labels;  ///< the original token where it is to be predicted, otherwise kNoLabel
};

/// Draws round(probability · n) of the n positions without a special piece, at least one, all sets of that size equally
/// likely. The result depends on tokens, options, epoch and document alone, not on what was drawn before. Without such
/// a position nothing is masked. Throws std::invalid_argument.
MaskedTokens mask_tokens(std::span<const std::int32_t> tokens, std::uint64_t epoch, std::uint64_t document,
                         const MaskOptions& options);

}  // namespace rotary::text
