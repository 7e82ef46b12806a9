// Tensors of libtorch as the core sees them.
#pragma once

#include <torch/types.h>

#include <stdexcept>

#include "rotary/tensor.h"

namespace rotary::nn {

inline DType dtype_of(const torch::Tensor& x) {
  switch (x.scalar_type()) {
    case torch::kFloat32: return DType::kFloat32;
    case torch::kFloat64: return DType::kFloat64;
    case torch::kFloat16: return DType::kFloat16;
    case torch::kBFloat16: return DType::kBfloat16;
    default: throw std::invalid_argument("nn: the tensor must hold floating-point numbers");
  }
}

/// [batch, tokens, heads, head_dim], any strides; the tensor must outlive the view.
inline TensorView view_of(const torch::Tensor& x) {
  TensorView view{x.data_ptr(), dtype_of(x), {}, {}};
  for (int i = 0; i < 4; ++i) {
    view.shape[static_cast<std::size_t>(i)] = x.size(i);
    view.strides[static_cast<std::size_t>(i)] = x.stride(i);
  }
  return view;
}

inline ConstTensorView const_view_of(const torch::Tensor& x) { return as_const(view_of(x)); }

}  // namespace rotary::nn
