// The steps between the products, in SIMD chosen at run time: each one pass over memory, forward or backward.
#pragma once

#include <cstdint>

namespace rotary::nn {

/// Dropout of elements index, index + 1, ...: kept with probability 1 - threshold / 2^32 and multiplied by `factor`.
/// The same key and index give the same choice.
struct DropoutMask {
  std::uint32_t key = 0, threshold = 0;
  float factor = 1;
};

/// One step of AdamW, its constants ready.
struct AdamWStep {
  float beta1, beta2;
  float gradient_factor;  ///< of clipping
  float second_factor;    ///< 1 / sqrt(1 - beta2^t)
  float epsilon;
  float rate;   ///< learning rate / (1 - beta1^t)
  float decay;  ///< learning rate times weight decay
};

struct RowKernels {
  /// out = mask x; n elements that begin at `index` of the tensor.
  void (*dropout)(const float* x, const DropoutMask& mask, std::uint32_t index, float* out, std::int64_t n) noexcept;

  /// out = x Phi(x), Phi the normal distribution (GELU as published), to 2e-7 (1 + |x|).
  void (*gelu)(const float* x, float* out, std::int64_t n) noexcept;
  /// grad_x = grad_out (Phi(x) + x phi(x)).
  void (*gelu_gradient)(const float* x, const float* grad_out, float* grad_x, std::int64_t n) noexcept;

  /// sum = x + mask update (update null: x); out = (sum - mean) / sqrt(variance + epsilon) weight + bias over n
  /// channels. `sum` may be null; mean and 1/sqrt go to `statistics`.
  void (*residual_norm)(const float* x, const float* update, const DropoutMask& mask, std::uint32_t index,
                        const float* weight, const float* bias, double epsilon, float* sum, float* out,
                        float* statistics, std::int64_t n) noexcept;
  /// Of one row: grad_x, and added to grad_weight and grad_bias. grad_update (may be null) is mask grad_x.
  void (*residual_norm_gradient)(const float* sum, const float* statistics, const float* weight, const float* grad_out,
                                 const DropoutMask& mask, std::uint32_t index, float* grad_x, float* grad_update,
                                 float* grad_weight, float* grad_bias, std::int64_t n) noexcept;

  /// to += from
  void (*add)(float* to, const float* from, std::int64_t n) noexcept;
  /// In eight interleaved float64 sums or more, the same for the same target.
  double (*sum_of_squares)(const float* x, std::int64_t n) noexcept;
  /// g = gradient_factor gradient; first = beta1 first + (1 - beta1) g; second = beta2 second + (1 - beta2) g^2;
  /// x -= decay x + rate first / (second_factor sqrt(second) + epsilon)
  void (*adamw)(const AdamWStep& step, const float* gradient, float* first, float* second, float* x,
                std::int64_t n) noexcept;
};

const RowKernels& row_kernels();

}  // namespace rotary::nn
