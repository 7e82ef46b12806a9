// What the tensors of a model say about its rotation: buffers of frequencies, tables of sines and cosines.
#pragma once

#include <string>
#include <vector>

#include "rotary/formats/model_config.h"
#include "rotary/formats/model_tensors.h"

namespace rotary::detail {

/// One tensor's frequencies.
struct StoredFrequencies {
  std::string tensor;
  std::string module;  ///< the name before the layer's number
  int layer = -1;      ///< -1: of no single layer
  StoredDType dtype = StoredDType::kFloat32;
  bool is_table = false;  ///< read off the row of position 1 of a table [sin | cos]
  std::vector<double> values;
};

/// inv_freq buffers (also Meta's rope.freqs) and RoFormer's encoder.embed_positions.weight; nothing else is read.
/// Throws std::runtime_error naming the tensor for numbers that are not finite.
std::vector<StoredFrequencies> stored_frequencies(const ModelTensors& tensors);

/// The number after "layers.", "layer.", "h." or "blocks." in a tensor's name; -1 if there is none.
int layer_of_tensor(const std::string& name);

/// The part of a tensor in attention: "q", "k" (separate projections only), or "".
std::string projection_of_tensor(const std::string& name);

std::string shape_text(const StoredTensor& tensor);

/// How far stored numbers may be from the exact ones: `dtype`'s rounding, and float32's in making them.
double rounding_of(StoredDType dtype);

/// The reading of weights alone: the stored frequencies as they are, half pairing assumed; "unknown" where none is
/// stored.
ModelConfig read_stored_frequencies(const ModelTensors& tensors, const std::string& path, const ReadOptions& options);

}  // namespace rotary::detail
