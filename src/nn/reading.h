// Running a classifier over documents of any length.
#pragma once

#include <span>
#include <vector>

#include "nn/objective.h"
#include "text/excerpts.h"

namespace rotary::nn {

struct ReadingOptions {
  text::ExcerptOptions excerpts;  ///< what is read of a document that is longer than max_length
  MatmulPrecision precision = MatmulPrecision::kFloat32;
  int num_threads = 1;
};

/// Probabilities of the classes, [documents][labels]: the softmax of the logits, those of several excerpts averaged by
/// their weights. A document without tokens is read as one [PAD]. What a document gets does not depend on the others,
/// but for rounding. Throws std::invalid_argument for a model that is no classifier.
std::vector<std::vector<float>> classify(const Roformer& model, std::span<const Tokens> documents,
                                         const ReadingOptions& options);

/// The place of the largest.
int most_likely(std::span<const float> probabilities);

}  // namespace rotary::nn
