// Rows of a softmax in SIMD, chosen at run time.
#pragma once

#include <cstdint>

namespace rotary::detail {

struct SoftmaxRow {
  float maximum;  ///< of scale * score + bias; -inf where nothing is seen
  float sum;      ///< of exp(scale * score + bias - maximum)
};

struct SoftmaxKernels {
  /// scores[s] = exp(scale scores[s] + bias[s] - maximum), not yet divided by the sum; bias may be null.
  SoftmaxRow (*exponentials)(float* scores, const float* bias, float scale, std::int64_t n) noexcept;

  /// The same with the maximum and the sum known: p[s] = exp(scale scores[s] + bias[s] - log_sum_exp), written over
  /// scores; grad[s] = scale p[s] (grad[s] - inner), the gradient of the scores from that of p, where inner is
  /// sum(p grad).
  void (*gradient)(float* scores, const float* bias, float scale, float log_sum_exp, float inner, float* grad,
                   std::int64_t n) noexcept;

  float (*dot)(const float* a, const float* b, std::int64_t n) noexcept;
  void (*scale)(float* x, float factor, std::int64_t n) noexcept;
};

const SoftmaxKernels& softmax_kernels();

}  // namespace rotary::detail
