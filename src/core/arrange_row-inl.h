// cos and sin arranged as a kernel wants them: see rotate-inl.h.
#include "core/rotate-inl.h"
#include "hwy/highway.h"

#if defined(ROTARY_ARRANGE_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROTARY_ARRANGE_ROW_INL_H_
#undef ROTARY_ARRANGE_ROW_INL_H_
#else
#define ROTARY_ARRANGE_ROW_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace rotary::detail {
namespace HWY_NAMESPACE {

inline void Combine(std::span<const int32_t> pair_axes, std::span<const float* const> rows, float* out) noexcept {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const size_t pairs = pair_axes.size();
  for (size_t i = 0; i < pairs; i += hn::Lanes(d)) {
    const auto in_row = hn::FirstN(d, pairs - i);
    const auto axis = hn::MaskedLoad(hn::RebindMask(di, in_row), di, pair_axes.data() + i);
    auto cos = hn::Zero(d), sin = cos;
    for (size_t a = 0; a < rows.size(); ++a) {
      const auto of_axis = hn::And(hn::RebindMask(d, hn::Eq(axis, hn::Set(di, static_cast<int32_t>(a)))), in_row);
      if (hn::AllFalse(d, of_axis)) continue;  // spares the memory
      cos = hn::IfThenElse(of_axis, hn::MaskedLoad(of_axis, d, rows[a] + i), cos);
      sin = hn::IfThenElse(of_axis, hn::MaskedLoad(of_axis, d, rows[a] + pairs + i), sin);
    }
    if (i + hn::Lanes(d) <= pairs) {  // soon read again, and not forwarded from a masked store
      hn::StoreU(cos, d, out + i);
      hn::StoreU(sin, d, out + pairs + i);
    } else {
      hn::BlendedStore(cos, in_row, d, out + i);
      hn::BlendedStore(sin, in_row, d, out + pairs + i);
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
template <class R, size_t kLanes>
HWY_INLINE void ArrangeBoth(const R* cos, const R* sin, R* cos_sin, R* minus_sin_cos, size_t n) {
  const hn::CappedTag<R, kLanes> d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto c = hn::LoadU(d, cos + i), s = hn::LoadU(d, sin + i);
    hn::StoreInterleaved2(c, s, d, cos_sin + 2 * i);
    hn::StoreInterleaved2(hn::Neg(s), c, d, minus_sin_cos + 2 * i);
  }
  if constexpr (kLanes > 1)
    if (i < n) ArrangeBoth<R, kLanes / 2>(cos + i, sin + i, cos_sin + 2 * i, minus_sin_cos + 2 * i, n - i);
}

// even: [n - n/2], odd: [n/2]
template <size_t kLanes>
HWY_INLINE void SplitEvenOdd(const float* row, float* even, float* odd, size_t n) {
  const hn::CappedTag<float, kLanes> d;
  size_t i = 0;
  for (; 2 * (i + hn::Lanes(d)) <= n; i += hn::Lanes(d)) {
    hn::VFromD<decltype(d)> first, second;
    hn::LoadInterleaved2(d, row + 2 * i, first, second);
    hn::StoreU(first, d, even + i);
    hn::StoreU(second, d, odd + i);
  }
  if constexpr (kLanes > 1) {
    if (2 * i < n) SplitEvenOdd<kLanes / 2>(row + 2 * i, even + i, odd + i, n - 2 * i);
  } else if (2 * i < n) {
    even[i] = row[2 * i];
  }
}

template <class T, PairLayout kLayout>
void Arrange(const RotationPlan& plan, Row& row, void* out) noexcept {
  using R = Real<T>;
  constexpr size_t kLanes = hn::MaxLanes(hn::ScalableTag<R>());
  constexpr bool kBoth = ArrangementOf<T, kLayout>() == Arrangement::kBoth;
  R* first = static_cast<R*>(out);
  R* second = first + (kBoth ? 2 : 1) * static_cast<size_t>(plan.row_pairs);
  for (const Run& run : plan.runs) {
    const size_t start = static_cast<size_t>(run.first), n = static_cast<size_t>(run.count);
    const R* cos = static_cast<const R*>(row.first) + start;
    const R* sin = static_cast<const R*>(row.second) + start;
    if constexpr (kBoth) {
      ArrangeBoth<R, kLanes>(cos, sin, first + 2 * start, second + 2 * start, n);
    } else {
      SplitEvenOdd<kLanes>(cos, first + start, first + start + (n - n / 2), n);
      SplitEvenOdd<kLanes>(sin, second + start, second + start + (n - n / 2), n);
    }
  }
  row = {first, second};
}
#endif

template <class T, PairLayout kLayout>
constexpr ArrangeRow ArrangeFor() {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (ArrangementOf<T, kLayout>() != Arrangement::kPlain) return &Arrange<T, kLayout>;
#endif
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace rotary::detail
HWY_AFTER_NAMESPACE();

#endif  // per target
