// cos and sin of many angles in double, rounded to the nearest float32; one source for all SIMD targets.
//
//     angle = n pi/2 + r        n = nearest integer, r by fused products with pi/2 in two parts: exact but for 2^-53
//     sin r, cos r              their series up to r^15 and r^16, the next terms below 2^-54 for |r| <= pi/4
//
// Strategy: Ziv's test, as in trigonometry.cc, for a vector at once. What is computed lies within `margin` of the true
// value; if both ends of that interval round to the same float, that is the correctly rounded one. Else (one vector in
// some 10^5) the double-double functions decide. So the bits are theirs, whatever the target.
//
// A table is made of products: row m + r is row m turned by r, so that a block of rows costs one row of series and four
// multiplications per further value.
//
// Margins: r is good to 2^-53, a series adds 2^-53 and 2^-54, the factor 2^-54: below 2^-51 |angle| where n = 0, and
// below 2^-51 elsewhere; a product of two such rows is good to 2^-49.5, and relative to the angle of the first
// likewise.
#include "core/cos_sin_kernels.h"
#include "core/trigonometric_series.h"
#include "core/trigonometry.h"
#include "hwy/highway.h"

#if defined(ROTARY_COS_SIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROTARY_COS_SIN_INL_H_
#undef ROTARY_COS_SIN_INL_H_
#else
#define ROTARY_COS_SIN_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace rotary::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// By the double-double functions.
inline void WriteExactly(const Angles& a, size_t begin, size_t end, double factor, float* cos, float* sin) {
  for (size_t i = begin; i < end; ++i) {
    const CosSin value = cos_sin_float(DoubleDouble{a.hi[i], a.lo[i]} * (a.times ? a.times[i] : a.time), factor);
    cos[i] = value.cos;
    sin[i] = value.sin;
  }
}

#if HWY_NATIVE_FMA

constexpr double kRowMargin = 0x1p-50;

template <class D, class V>
HWY_INLINE void SinCosDoubles(D d, V hi, V lo, V& sin, V& cos) {
  const hn::RebindToUnsigned<D> du;
  const V integers = hn::Set(d, 0x1.8p52);  // a sum with it is rounded to an integer, which its last bits hold
  const V shifted = hn::MulAdd(hi, hn::Set(d, kTwoOverPi), integers);
  const V n = hn::Sub(shifted, integers);
  V r = hn::NegMulAdd(n, hn::Set(d, kHalfPi[0]), hi);
  r = hn::Add(hn::NegMulAdd(n, hn::Set(d, kHalfPi[1]), r), lo);

  const V w = hn::Mul(r, r);
  V s = hn::Set(d, series_term(15)), c = hn::Set(d, series_term(16));
  for (size_t n = 13; n >= 3; n -= 2) s = hn::MulAdd(s, w, hn::Set(d, series_term(n)));
  for (size_t n = 14; n >= 2; n -= 2) c = hn::MulAdd(c, w, hn::Set(d, series_term(n)));
  s = hn::MulAdd(hn::Mul(r, w), s, r);
  c = hn::MulAdd(c, w, hn::Set(d, 1.0));

  const auto quadrant = hn::BitCast(du, shifted);
  const V odd = hn::BitCast(d, hn::ShiftLeft<63>(quadrant));
  const auto sign = hn::Set(du, uint64_t{1} << 63);
  const auto minus_sin = hn::And(hn::ShiftLeft<62>(quadrant), sign);
  const auto minus_cos = hn::And(hn::ShiftLeft<62>(hn::Add(quadrant, hn::Set(du, uint64_t{1}))), sign);
  sin = hn::Xor(hn::IfNegativeThenElse(odd, c, s), hn::BitCast(d, minus_sin));
  cos = hn::Xor(hn::IfNegativeThenElse(odd, s, c), hn::BitCast(d, minus_cos));
}

// (hi + lo) * time for the angles from i on.
template <class D, class V>
HWY_INLINE void LoadAngles(D d, const Angles& a, size_t i, V& hi, V& lo) {
  const V f = hn::LoadU(d, a.hi + i);
  const V time = a.times != nullptr ? hn::LoadU(d, a.times + i) : hn::Set(d, a.time);
  hi = hn::Mul(f, time);
  lo = hn::MulAdd(hn::LoadU(d, a.lo + i), time, hn::MulSub(f, time, hi));
}

// Stores what everything within `margin` of the values rounds to, or returns false.
template <class D, class V>
HWY_INLINE bool StoreIfSafe(D d, V cos, V sin, V cos_margin, V sin_margin, float* cos_out, float* sin_out) {
  const hn::Rebind<float, D> df;
  (void)d;
  const auto c = hn::DemoteTo(df, hn::Add(cos, cos_margin)), s = hn::DemoteTo(df, hn::Add(sin, sin_margin));
  hn::StoreU(c, df, cos_out);
  hn::StoreU(s, df, sin_out);  // +0 of a zero angle, since +margin comes last
  const auto same_cos = hn::Eq(c, hn::DemoteTo(df, hn::Sub(cos, cos_margin)));
  const auto same_sin = hn::Eq(s, hn::DemoteTo(df, hn::Sub(sin, sin_margin)));
  return hn::AllTrue(df, hn::And(same_cos, same_sin));
}

// Angles from i on in vectors of kLanes, then of half as many.
template <size_t kLanes>
HWY_INLINE void WriteFrom(const Angles& a, size_t i, double factor, float* cos, float* sin) {
  const hn::CappedTag<double, kLanes> d;
  const auto whole = hn::Set(d, factor), margin = hn::Set(d, factor * kRowMargin);
  for (; i + hn::Lanes(d) <= a.count; i += hn::Lanes(d)) {
    auto hi = hn::Zero(d), lo = hi, s = hi, c = hi;
    LoadAngles(d, a, i, hi, lo);
    SinCosDoubles(d, hi, lo, s, c);
    const auto size = hn::Abs(hi);
    const auto sin_margin = hn::Mul(margin, hn::Min(size, hn::Set(d, 1.0)));
    const bool small = hn::AllTrue(d, hn::Lt(size, hn::Set(d, kLargestAngle)));
    if (!small || !StoreIfSafe(d, hn::Mul(c, whole), hn::Mul(s, whole), margin, sin_margin, cos + i, sin + i))
        [[unlikely]]
      WriteExactly(a, i, i + hn::Lanes(d), factor, cos, sin);
  }
  if constexpr (kLanes > 1)
    if (i < a.count) WriteFrom<kLanes / 2>(a, i, factor, cos, sin);
}

inline void WriteRow(const Angles& a, double factor, float* cos, float* sin) noexcept {
  WriteFrom<hn::MaxLanes(hn::ScalableTag<double>())>(a, 0, factor, cos, sin);
}

template <size_t kLanes>
HWY_INLINE void WriteDoublesFrom(const Angles& a, size_t i, double factor, double* cos, double* sin) {
  const hn::CappedTag<double, kLanes> d;
  for (; i + hn::Lanes(d) <= a.count; i += hn::Lanes(d)) {
    auto hi = hn::Zero(d), lo = hi, s = hi, c = hi;
    LoadAngles(d, a, i, hi, lo);
    SinCosDoubles(d, hi, lo, s, c);
    hn::StoreU(hn::Mul(c, hn::Set(d, factor)), d, cos + i);
    hn::StoreU(hn::Mul(s, hn::Set(d, factor)), d, sin + i);
  }
  if constexpr (kLanes > 1)
    if (i < a.count) WriteDoublesFrom<kLanes / 2>(a, i, factor, cos, sin);
}

inline void WriteDoubleRow(const Angles& a, double factor, double* cos, double* sin) noexcept {
  WriteDoublesFrom<hn::MaxLanes(hn::ScalableTag<double>())>(a, 0, factor, cos, sin);
}

// One row of a block.
template <size_t kLanes>
HWY_INLINE void WriteProduct(const RowBlock& b, size_t row, size_t i, float* cos, float* sin) {
  const hn::CappedTag<double, kLanes> d;
  const size_t pairs = b.frequency.count;
  const double* step = b.steps + row * 2 * pairs;
  const auto margin = hn::Set(d, b.factor * kProductMargin);
  for (; i + hn::Lanes(d) <= pairs; i += hn::Lanes(d)) {
    const auto c0 = hn::LoadU(d, b.start + i), s0 = hn::LoadU(d, b.start + pairs + i);
    const auto c1 = hn::LoadU(d, step + i), s1 = hn::LoadU(d, step + pairs + i);
    const auto c = hn::MulSub(c0, c1, hn::Mul(s0, s1));
    const auto s = hn::MulAdd(c0, s1, hn::Mul(s0, c1));
    const auto sin_margin = hn::LoadU(d, b.start + 2 * pairs + i);
    if (!StoreIfSafe(d, c, s, margin, sin_margin, cos + i, sin + i)) [[unlikely]] {
      Angles angles = b.frequency;
      angles.times = nullptr;
      angles.time = b.first + static_cast<double>(row);
      WriteExactly(angles, i, i + hn::Lanes(d), b.factor, cos, sin);
    }
  }
  if constexpr (kLanes > 1)
    if (i < pairs) WriteProduct<kLanes / 2>(b, row, i, cos, sin);
}

inline void WriteProducts(const RowBlock& block, float* cos, float* sin, size_t row_step) noexcept {
  for (size_t row = 0; row < block.rows; ++row)
    WriteProduct<hn::MaxLanes(hn::ScalableTag<double>())>(block, row, 0, cos + row * row_step, sin + row * row_step);
}

constexpr CosSinKernels kCosSinKernels{&WriteRow, &WriteDoubleRow, &WriteProducts};

#else  // HWY_NATIVE_FMA

inline void WriteRow(const Angles& a, double factor, float* cos, float* sin) noexcept {
  WriteExactly(a, 0, a.count, factor, cos, sin);
}

constexpr CosSinKernels kCosSinKernels{&WriteRow, nullptr, nullptr};

#endif

}  // namespace HWY_NAMESPACE
}  // namespace rotary::detail
HWY_AFTER_NAMESPACE();

#endif  // per target
