#include "rotary/tensor.h"

#include "core/tensor_layout.h"

namespace rotary {

std::string_view to_string(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return "float32";
    case DType::kFloat16: return "float16";
    case DType::kBfloat16: return "bfloat16";
    case DType::kFloat64: return "float64";
  }
  return "?";
}

}  // namespace rotary
