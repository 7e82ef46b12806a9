#include "nn/row_kernels.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nn/row_kernels.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include <cmath>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rotary::nn {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using DU = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;

// Whole vectors of a row, then a masked one: load and store know how many lanes count.
struct Lanes {
  std::int64_t begin, count;

  bool is_whole() const { return count == static_cast<std::int64_t>(hn::Lanes(D())); }
  hn::Mask<D> mask() const { return hn::FirstN(D(), static_cast<std::size_t>(count)); }
  HWY_INLINE V load(const float* row) const {
    return is_whole() ? hn::LoadU(D(), row + begin) : hn::MaskedLoad(mask(), D(), row + begin);
  }
  HWY_INLINE void store(V v, float* row) const {
    if (is_whole())
      hn::StoreU(v, D(), row + begin);
    else
      hn::BlendedStore(v, mask(), D(), row + begin);
  }
};

template <class Body>
HWY_INLINE void ForEach(std::int64_t n, const Body& body) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) body(Lanes{i, lanes});
  if (i < n) body(Lanes{i, n - i});
}

// factor where the element is kept, else 0. A hash of the index in two rounds of multiply and shift.
HWY_INLINE V Kept(const DropoutMask& mask, std::uint32_t index) {
  const D d;
  const DU du;
  if (mask.threshold == 0) return hn::Set(d, mask.factor);
  auto x = hn::Xor(hn::Iota(du, index), hn::Set(du, mask.key));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(du, 0x7feb352dU));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(du, 0x846ca68bU));
  x = hn::Xor(x, hn::ShiftRight<16>(x));
  // 31 bits are compared, as signed numbers.
  const hn::RebindToSigned<D> di;
  const auto last_dropped = hn::Set(di, static_cast<int>(mask.threshold >> 1) - 1);
  const auto kept = hn::Gt(hn::BitCast(di, hn::ShiftRight<1>(x)), last_dropped);
  return hn::IfThenElseZero(hn::RebindMask(d, kept), hn::Set(d, mask.factor));
}

void Dropout(const float* x, const DropoutMask& mask, std::uint32_t index, float* out, std::int64_t n) noexcept {
  ForEach(n, [&](Lanes lanes) {
    lanes.store(hn::Mul(lanes.load(x), Kept(mask, index + static_cast<std::uint32_t>(lanes.begin))), out);
  });
}

// Phi(x) = 1 - Q(x), Q by Abramowitz and Stegun 7.1.26 in t = 1 / (1 + p |x| / sqrt 2): |error| < 8e-8 with the
// rounding of float32. `density` is exp(-x^2 / 2).
HWY_INLINE V NormalDistribution(V x, V density) {
  const D d;
  const V t = hn::Div(hn::Set(d, 1.0f), hn::MulAdd(hn::Set(d, 0.3275911f * 0.70710678f), hn::Abs(x), hn::Set(d, 1.0f)));
  V sum = hn::Set(d, 1.061405429f);
  for (const float a : {-1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f})
    sum = hn::MulAdd(sum, t, hn::Set(d, a));
  const V tail = hn::Mul(hn::Mul(hn::Set(d, 0.5f), density), hn::Mul(sum, t));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(hn::Set(d, 1.0f), tail));
}

HWY_INLINE V NormalDensity(V x) {
  const D d;
  return hn::Exp(d, hn::Max(hn::Mul(hn::Mul(x, x), hn::Set(d, -0.5f)), hn::Set(d, -87.0f)));
}

void Gelu(const float* x, float* out, std::int64_t n) noexcept {
  ForEach(n, [&](Lanes lanes) {
    const V v = lanes.load(x);
    lanes.store(hn::Mul(v, NormalDistribution(v, NormalDensity(v))), out);
  });
}

void GeluGradient(const float* x, const float* grad_out, float* grad_x, std::int64_t n) noexcept {
  const D d;
  ForEach(n, [&](Lanes lanes) {
    const V v = lanes.load(x), density = NormalDensity(v);
    const V slope = hn::MulAdd(hn::Mul(v, density), hn::Set(d, 0.39894228f), NormalDistribution(v, density));
    lanes.store(hn::Mul(slope, lanes.load(grad_out)), grad_x);
  });
}

void ResidualNorm(const float* x, const float* update, const DropoutMask& mask, std::uint32_t index,
                  const float* weight, const float* bias, double epsilon, float* sum, float* out, float* statistics,
                  std::int64_t n) noexcept {
  const D d;
  V total = hn::Zero(d);
  float* row = sum ? sum : out;
  ForEach(n, [&](Lanes lanes) {
    V v = lanes.load(x);
    if (update) v = hn::MulAdd(lanes.load(update), Kept(mask, index + static_cast<std::uint32_t>(lanes.begin)), v);
    lanes.store(v, row);
    total = hn::Add(total, v);
  });
  const float mean = hn::GetLane(hn::SumOfLanes(d, total)) / static_cast<float>(n);
  V squares = hn::Zero(d);
  const V middle = hn::Set(d, mean);
  ForEach(n, [&](Lanes lanes) {
    const V centred = hn::Sub(lanes.load(row), middle);
    const V square = hn::Mul(centred, centred);
    squares = hn::Add(squares, lanes.is_whole() ? square : hn::IfThenElseZero(lanes.mask(), square));
  });
  const double variance = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, squares))) / static_cast<double>(n);
  const auto inverse = static_cast<float>(1 / std::sqrt(variance + epsilon));
  statistics[0] = mean;
  statistics[1] = inverse;
  ForEach(n, [&](Lanes lanes) {
    const V normal = hn::Mul(hn::Sub(lanes.load(row), middle), hn::Set(d, inverse));
    lanes.store(hn::MulAdd(normal, lanes.load(weight), lanes.load(bias)), out);
  });
}

void ResidualNormGradient(const float* sum, const float* statistics, const float* weight, const float* grad_out,
                          const DropoutMask& mask, std::uint32_t index, float* grad_x, float* grad_update,
                          float* grad_weight, float* grad_bias, std::int64_t n) noexcept {
  const D d;
  const V mean = hn::Set(d, statistics[0]), inverse = hn::Set(d, statistics[1]);
  V first = hn::Zero(d), second = hn::Zero(d);
  ForEach(n, [&](Lanes lanes) {
    const V g = lanes.load(grad_out), normal = hn::Mul(hn::Sub(lanes.load(sum), mean), inverse);
    const V scaled = hn::Mul(g, lanes.load(weight));  // zero in lanes that do not count
    first = hn::Add(first, scaled);
    second = hn::MulAdd(scaled, normal, second);
    lanes.store(hn::MulAdd(g, normal, lanes.load(grad_weight)), grad_weight);
    lanes.store(hn::Add(g, lanes.load(grad_bias)), grad_bias);
  });
  const auto count = static_cast<float>(n);
  const V mean_first = hn::Set(d, hn::GetLane(hn::SumOfLanes(d, first)) / count);
  const V mean_second = hn::Set(d, hn::GetLane(hn::SumOfLanes(d, second)) / count);
  ForEach(n, [&](Lanes lanes) {
    const V normal = hn::Mul(hn::Sub(lanes.load(sum), mean), inverse);
    const V scaled = hn::Mul(lanes.load(grad_out), lanes.load(weight));
    const V g = hn::Mul(inverse, hn::Sub(hn::Sub(scaled, mean_first), hn::Mul(normal, mean_second)));
    lanes.store(g, grad_x);
    if (grad_update) lanes.store(hn::Mul(g, Kept(mask, index + static_cast<std::uint32_t>(lanes.begin))), grad_update);
  });
}

void Add(float* to, const float* from, std::int64_t n) noexcept {
  ForEach(n, [&](Lanes lanes) { lanes.store(hn::Add(lanes.load(to), lanes.load(from)), to); });
}

double SumOfSquares(const float* x, std::int64_t n) noexcept {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> half;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(dd));
  auto first = hn::Zero(dd), second = hn::Zero(dd);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto a = hn::PromoteTo(dd, hn::LoadU(half, x + i)), b = hn::PromoteTo(dd, hn::LoadU(half, x + i + lanes));
    first = hn::MulAdd(a, a, first);
    second = hn::MulAdd(b, b, second);
  }
  double sum = hn::GetLane(hn::SumOfLanes(dd, hn::Add(first, second)));
  for (; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

void AdamW(const AdamWStep& step, const float* gradient, float* first, float* second, float* x,
           std::int64_t n) noexcept {
  const D d;
  const V beta1 = hn::Set(d, step.beta1), beta2 = hn::Set(d, step.beta2), factor = hn::Set(d, step.gradient_factor);
  const V rest1 = hn::Set(d, 1 - step.beta1), rest2 = hn::Set(d, 1 - step.beta2), keep = hn::Set(d, 1 - step.decay);
  ForEach(n, [&](Lanes lanes) {
    const V g = hn::Mul(lanes.load(gradient), factor);
    const V m = hn::MulAdd(beta1, lanes.load(first), hn::Mul(rest1, g));
    const V v = hn::MulAdd(beta2, lanes.load(second), hn::Mul(rest2, hn::Mul(g, g)));
    const V scale = hn::MulAdd(hn::Sqrt(v), hn::Set(d, step.second_factor), hn::Set(d, step.epsilon));
    const V move = hn::Div(hn::Mul(m, hn::Set(d, step.rate)), scale);
    lanes.store(m, first);
    lanes.store(v, second);
    lanes.store(hn::Sub(hn::Mul(lanes.load(x), keep), move), x);
  });
}

const RowKernels* Kernels() {
  static constexpr RowKernels kernels{Dropout, Gelu,         GeluGradient, ResidualNorm, ResidualNormGradient,
                                      Add,     SumOfSquares, AdamW};
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace rotary::nn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace rotary::nn {

HWY_EXPORT(Kernels);

const RowKernels& row_kernels() {
  static const RowKernels& kernels = *HWY_DYNAMIC_DISPATCH(Kernels)();
  return kernels;
}

}  // namespace rotary::nn

#endif  // HWY_ONCE
