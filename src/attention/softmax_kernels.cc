#include "attention/softmax_kernels.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/softmax_kernels.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rotary::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Calls body(v, store) for every vector of the row; the last one is a masked one, whose missing lanes hold `missing`.
template <class Body>
HWY_INLINE void ForEach(float* row, const float* bias, float scale, float missing, std::int64_t n, const Body& body) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const V factor = hn::Set(d, scale);
  std::int64_t s = 0;
  for (; s + lanes <= n; s += lanes) {
    const V x = hn::LoadU(d, row + s);
    body(bias ? hn::MulAdd(x, factor, hn::LoadU(d, bias + s)) : hn::Mul(x, factor), s, lanes);
  }
  if (s == n) return;
  const auto rest = hn::FirstN(d, static_cast<std::size_t>(n - s));
  const V x = hn::MaskedLoad(rest, d, row + s);
  const V biased = bias ? hn::MulAdd(x, factor, hn::MaskedLoad(rest, d, bias + s)) : hn::Mul(x, factor);
  body(hn::IfThenElse(rest, biased, hn::Set(d, missing)), s, n - s);
}

HWY_INLINE void StoreFirst(V v, float* to, std::int64_t n) {
  const D d;
  if (n == static_cast<std::int64_t>(hn::Lanes(d)))
    hn::StoreU(v, d, to);
  else
    hn::BlendedStore(v, hn::FirstN(d, static_cast<std::size_t>(n)), d, to);
}

// hn::Exp is good to 1 ulp and takes a NaN for far below; -inf is what a hidden key has.
HWY_INLINE V ExpOf(V x) {
  const D d;
  const V lowest = hn::Set(d, -104.0f);
  const V exponential = hn::IfThenZeroElse(hn::Lt(x, lowest), hn::Exp(d, hn::Max(lowest, x)));
  return hn::IfThenElse(hn::IsNaN(x), x, exponential);
}

SoftmaxRow Exponentials(float* scores, const float* bias, float scale, std::int64_t n) noexcept {
  const D d;
  constexpr float kNone = -__builtin_inff();
  V highest = hn::Set(d, kNone);
  ForEach(scores, bias, scale, kNone, n, [&](V x, std::int64_t, std::int64_t) { highest = hn::Max(highest, x); });
  const float maximum = hn::GetLane(hn::MaxOfLanes(d, highest));
  if (maximum == kNone) {
    for (std::int64_t s = 0; s < n; ++s) scores[s] = 0;
    return {maximum, 0};
  }
  const V shift = hn::Set(d, maximum);
  V sum = hn::Zero(d);
  ForEach(scores, bias, scale, kNone, n, [&](V x, std::int64_t s, std::int64_t count) {
    const V e = ExpOf(hn::Sub(x, shift));
    sum = hn::Add(sum, e);
    StoreFirst(e, scores + s, count);
  });
  return {maximum, hn::GetLane(hn::SumOfLanes(d, sum))};
}

void Gradient(float* scores, const float* bias, float scale, float log_sum_exp, float inner, float* grad,
              std::int64_t n) noexcept {
  const D d;
  const V shift = hn::Set(d, log_sum_exp), middle = hn::Set(d, inner), factor = hn::Set(d, scale);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  ForEach(scores, bias, scale, 0.0f, n, [&](V x, std::int64_t s, std::int64_t count) {
    const V p = ExpOf(hn::Sub(x, shift));
    const V g = count == lanes ? hn::LoadU(d, grad + s)
                               : hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(count)), d, grad + s);
    StoreFirst(p, scores + s, count);
    StoreFirst(hn::Mul(hn::Mul(p, factor), hn::Sub(g, middle)), grad + s, count);
  });
}

float Dot(const float* a, const float* b, std::int64_t n) noexcept {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  V sum = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) sum = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum);
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

void Scale(float* x, float factor, std::int64_t n) noexcept {
  ForEach(x, nullptr, factor, 0.0f, n, [&](V v, std::int64_t i, std::int64_t count) { StoreFirst(v, x + i, count); });
}

const SoftmaxKernels* Kernels() {
  static constexpr SoftmaxKernels kernels{Exponentials, Gradient, Dot, Scale};
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace rotary::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace rotary::detail {

HWY_EXPORT(Kernels);

const SoftmaxKernels& softmax_kernels() {
  static const SoftmaxKernels& kernels = *HWY_DYNAMIC_DISPATCH(Kernels)();
  return kernels;
}

}  // namespace rotary::detail

#endif  // HWY_ONCE
