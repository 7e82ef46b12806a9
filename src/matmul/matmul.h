// Matrix products, through oneDNN: the only door to it.
#pragma once

#include <cstdint>

namespace rotary {

/// What the factors of a product are rounded to; sums and results are float32 either way.
enum class MatmulPrecision { kFloat32, kBfloat16 };

/// A float32 matrix in the caller's memory, [rows, columns]: element (r, c) is data[r * stride + c], or
/// data[c * stride + r] where it is transposed.
template <class Float>
struct BasicMatrix {
  Float* data = nullptr;
  std::int64_t rows = 0, columns = 0;
  std::int64_t stride = 0;  ///< elements
  bool is_transposed = false;

  BasicMatrix transposed() const { return {data, columns, rows, stride, !is_transposed}; }
};
using Matrix = BasicMatrix<float>;
using ConstMatrix = BasicMatrix<const float>;

struct MultiplyOptions {
  MatmulPrecision precision = MatmulPrecision::kFloat32;
  bool accumulate = false;      ///< c += a b in place of c = a b
  const float* bias = nullptr;  ///< [columns of c], added to every row; not with accumulate
};

/// c = a b (+ bias), on the calling thread alone: whoever has threads gives each its own products, so that results do
/// not depend on how many there are.
///
/// \param a  [m, k]
/// \param b  [k, n]
/// \param c  [m, n], not transposed; overlaps neither a nor b
///
/// The primitive of a shape is made once per thread and kept. Throws std::invalid_argument where shapes or strides do
/// not fit. Empty results succeed; with k = 0 the sum is zero.
void multiply(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, const MultiplyOptions& options = {});

/// Whether this machine multiplies bfloat16 in hardware (AMX or AVX-512 BF16), so that kBfloat16 is the faster one.
bool has_bfloat16_hardware();

}  // namespace rotary
