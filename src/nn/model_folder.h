// Models as Hugging Face folders: config.json, model.safetensors with the tensor names of transformers' RoFormer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nn/roformer.h"

namespace rotary::nn {

struct LoadOptions {
  /// RoFormer checkpoints carry their table of sines and cosines. It is used as stored, unless this is set: then the
  /// formula's.
  bool recompute_table = false;
};

struct LoadedModel {
  std::shared_ptr<Roformer> model;
  std::vector<std::string> warnings;  ///< e.g. a table that is rounded
};

/// Reads a folder. Throws std::runtime_error naming file and key or tensor: missing, of another shape or type.
LoadedModel load_model(const std::string& folder, const LoadOptions& options = {});

/// Writes config.json and model.safetensors into a folder that exists, each beside its final name and renamed.
/// Half pairing is written as the interleaved one that RoFormer has, its rows permuted: the same function.
void save_model(const std::string& folder, const Roformer& model);

/// A tensor as a checkpoint names it; writing to it writes to the model.
struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};

/// The model's parameters under the names of its checkpoint.
std::vector<NamedTensor> checkpoint_tensors(const Roformer& model);

}  // namespace rotary::nn
