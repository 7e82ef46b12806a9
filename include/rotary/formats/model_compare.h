// Two models' rotations, layer by layer; and one model under every reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rotary/formats/model_config.h"

namespace rotary {

/// What layers of one part of one component differ in.
struct RotationDifference {
  std::string first, second;  ///< "text_config indexer full_attention"; empty: that model has nothing of the kind there
  std::vector<int> layers;    ///< those that both have, or that only one has; empty: all
  MapDifference difference;
  std::string no_answer;  ///< why there is nothing to compare: a reference fails, or its way is not known
};

/// Matches the components of both models by their paths, those without a namesake in the order of the files, and their
/// layers by index; then compares all that rotates or multiplies. Layers that only one of them has differ. Where there
/// is no answer, nothing is the same, itself included. Of files whose rows of q and k are the other's in another order
/// (GGUF of some families, params.json) the pairing does not count; `cause` then says so. Throws std::invalid_argument
/// for a position that is not finite.
ROTARY_API std::vector<RotationDifference> compare(const ModelConfig& first, const ModelConfig& second,
                                                   double position);

/// The same from files; where a method depends on the length and no length is asked for, what agrees in short sequences
/// is compared again in one that reaches `position`. Throws as read_model_config().
ROTARY_API std::vector<RotationDifference> compare_models(const std::string& first, const ReadOptions& first_options,
                                                          const std::string& second, const ReadOptions& second_options,
                                                          double position);

/// What one reference makes of a model, beside what another makes of it.
struct ReferenceAnswer {
  Reference reference;
  std::string error;                            ///< that reading the file ended with; else:
  std::vector<RotationDifference> differences;  ///< from the reference that all are compared with
  std::vector<ConfigWarning> warnings;          ///< what this reference ignores or loses
};

/// The file under every reference that its kind of file has, in turn, compared with `options.reference` (none: the
/// format's own), which comes first. Throws as read_model_config() if that one cannot be read.
ROTARY_API std::vector<ReferenceAnswer> compare_references(const std::string& path, const ReadOptions& options,
                                                           double position);

}  // namespace rotary
