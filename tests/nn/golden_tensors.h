// Tensors of golden files, as libtorch's.
#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "rotary/formats/safetensors.h"

namespace rotary::testing {

inline std::string golden_path(const std::string& name) {
  std::string path = ROTARY_TEST_DATA "/nn/";  // GCC 12 at -O1 takes operator+ here for a write out of bounds
  path += name;
  return path;
}

/// float32, or int64 where the file has whole numbers.
inline torch::Tensor read_tensor(const SafetensorsFile& file, const std::string& name) {
  const StoredTensor& stored = file.at(name);
  if (stored.dtype == StoredDType::kInt64)
    return torch::tensor(file.read_int64(name), torch::kInt64).reshape(stored.shape);
  return torch::tensor(file.read_float(name), torch::kFloat32).reshape(stored.shape);
}

inline double read_number(const SafetensorsFile& file, const std::string& name) {
  return static_cast<double>(file.read_float(name).at(0));
}

/// A tensor for write_safetensors(), which must live as long as it. float32, contiguous.
inline StoredTensor stored(const std::string& name, const torch::Tensor& x) {
  return {name, StoredDType::kFloat32, x.sizes().vec(), {static_cast<const std::byte*>(x.data_ptr()), x.nbytes()}};
}

}  // namespace rotary::testing
