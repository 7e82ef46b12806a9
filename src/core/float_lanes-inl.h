// Vectors of float16 and bfloat16 in memory <-> vectors of float32, per SIMD target.
//
// bfloat16 is rounded by integer arithmetic, to nearest even, denormals kept. Pairs are rounded half up, and ties,
// which are rare, mended in a branch of their own: results of full precision are a tie once in 2^16. No care is taken
// of a NaN whose low half is not zero: none comes out of arithmetic on widened bfloat16, where every NaN is the default
// one or a quieted input. float16 uses the conversion instructions where a target has them, else integer arithmetic
// with the same results.
#include "hwy/highway.h"

#if defined(ROTARY_FLOAT_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROTARY_FLOAT_LANES_INL_H_
#undef ROTARY_FLOAT_LANES_INL_H_
#else
#define ROTARY_FLOAT_LANES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace rotary::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using hwy::bfloat16_t;
using hwy::float16_t;

#undef ROTARY_HAVE_F16_CONVERSION
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)) || HWY_ARCH_ARM_A64
#define ROTARY_HAVE_F16_CONVERSION 1
#else
#define ROTARY_HAVE_F16_CONVERSION 0
#endif

template <class D>
using Bits = hn::RebindToUnsigned<D>;
template <class D>
using Bits16 = hn::Rebind<uint16_t, D>;

// The rounded value is the upper half.
template <class D, class V>
HWY_INLINE hn::VFromD<Bits<D>> RoundToBfloat16(D, V v) {
  const Bits<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1U));
  return hn::Add(hn::Add(bits, hn::Set(du, 0x7fffU)), odd);
}

#if !ROTARY_HAVE_F16_CONVERSION
// float16 in the low halves of the lanes -> float32.
template <class D, class VU>
HWY_INLINE hn::VFromD<D> FloatFromHalfBits(D d, VU half) {
  const Bits<D> du;
  const auto infinity = hn::Set(du, 0x0f800000U), tiny = hn::Set(du, 0x38800000U);
  const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(du, 0x8000U)));
  const auto rest = hn::ShiftLeft<13>(hn::And(half, hn::Set(du, 0x7fffU)));
  const auto exponent = hn::And(rest, infinity);
  const auto denormal = hn::BitCast(du, hn::Sub(hn::BitCast(d, hn::Add(rest, tiny)), hn::BitCast(d, tiny)));
  const auto special = hn::Add(rest, hn::Set(du, 0x70000000U));
  auto bits = hn::Add(rest, hn::Set(du, 0x38000000U));
  bits = hn::IfThenElse(hn::Eq(exponent, hn::Zero(du)), denormal, bits);
  bits = hn::IfThenElse(hn::Eq(exponent, infinity), special, bits);
  return hn::BitCast(d, hn::Or(bits, sign));
}
#endif

// float32 -> float16 in the low halves of the lanes, the upper halves zero; to nearest even.
template <class D, class V>
HWY_INLINE hn::VFromD<Bits<D>> HalfBitsFromFloat(D d, V v) {
  const Bits<D> du;
#if ROTARY_HAVE_F16_CONVERSION
  const hn::Rebind<float16_t, D> d16;
  (void)d;
  return hn::PromoteTo(du, hn::BitCast(Bits16<D>(), hn::DemoteTo(d16, v)));
#else
  const hn::RebindToSigned<D> di;  // magnitudes compare the same signed
  const auto all = hn::BitCast(du, v);
  const auto sign = hn::And(all, hn::Set(du, 0x80000000U));
  const auto size = hn::Xor(all, sign);
  const auto above = [&](uint32_t bound) HWY_ATTR {
    return hn::RebindMask(du, hn::Gt(hn::BitCast(di, size), hn::Set(di, static_cast<int32_t>(bound - 1))));
  };
  const auto magic = hn::Set(du, 0x3f000000U);  // 0.5: its last place is the smallest denormal
  const auto denormal = hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, size), hn::BitCast(d, magic))), magic);
  const auto odd = hn::And(hn::ShiftRight<13>(size), hn::Set(du, 1U));
  const auto normal =
      hn::ShiftRight<13>(hn::Add(hn::Add(size, hn::Set(du, 0xc8000fffU)), odd));  // exponent - 112, half an ulp - 1
  const auto payload = hn::And(hn::ShiftRight<13>(size), hn::Set(du, 0x3ffU));
  auto bits = hn::IfThenElse(above(0x38800000U), normal, denormal);
  bits = hn::IfThenElse(above(0x47800000U), hn::Set(du, 0x7c00U), bits);
  bits = hn::IfThenElse(above(0x7f800001U), hn::Or(payload, hn::Set(du, 0x7e00U)), bits);
  return hn::Or(bits, hn::ShiftRight<16>(sign));
#endif
}

// Consecutive elements.
template <class D, class T>
HWY_INLINE hn::VFromD<D> LoadLanes(D d, const T* p) {
  return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE hn::VFromD<D> LoadLanes(D d, const bfloat16_t* p) {
  const auto bits = hn::PromoteTo(Bits<D>(), hn::LoadU(Bits16<D>(), reinterpret_cast<const uint16_t*>(p)));
  return hn::BitCast(d, hn::ShiftLeft<16>(bits));
}
template <class D>
HWY_INLINE hn::VFromD<D> LoadLanes(D d, const float16_t* p) {
#if ROTARY_HAVE_F16_CONVERSION
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float16_t, D>(), p));
#else
  return FloatFromHalfBits(d, hn::PromoteTo(Bits<D>(), hn::LoadU(Bits16<D>(), reinterpret_cast<const uint16_t*>(p))));
#endif
}

template <class D, class V, class T>
HWY_INLINE void StoreLanes(D d, V v, T* p) {
  hn::StoreU(v, d, p);
}
template <class D, class V>
HWY_INLINE void StoreLanes(D d, V v, bfloat16_t* p) {
  const auto upper = hn::ShiftRight<16>(RoundToBfloat16(d, v));
  hn::StoreU(hn::TruncateTo(Bits16<D>(), upper), Bits16<D>(), reinterpret_cast<uint16_t*>(p));
}
template <class D, class V>
HWY_INLINE void StoreLanes(D d, V v, float16_t* p) {
#if ROTARY_HAVE_F16_CONVERSION
  const hn::Rebind<float16_t, D> d16;
  (void)d;
  hn::StoreU(hn::DemoteTo(d16, v), d16, p);
#else
  hn::StoreU(hn::TruncateTo(Bits16<D>(), HalfBitsFromFloat(d, v)), Bits16<D>(), reinterpret_cast<uint16_t*>(p));
#endif
}

// Pairs of elements beside each other: first and second ends.
template <class D, class T, class V>
HWY_INLINE void LoadPairs(D d, const T* p, V& x0, V& x1) {
  hn::LoadInterleaved2(d, p, x0, x1);
}
template <class D, class V>
HWY_INLINE void LoadPairs(D d, const bfloat16_t* p, V& x0, V& x1) {
  const Bits<D> du;
  const auto both = hn::LoadU(du, reinterpret_cast<const uint32_t*>(p));
  x0 = hn::BitCast(d, hn::ShiftLeft<16>(both));
  x1 = hn::BitCast(d, hn::And(both, hn::Set(du, 0xffff0000U)));
}
#if HWY_TARGET != HWY_SCALAR
// Twice as many pairs: the first ends of the even and of the odd ones, then the second ends.
template <class D, class V>
HWY_INLINE void LoadEvenOddPairs(D d, const bfloat16_t* p, V& even0, V& odd0, V& even1, V& odd1) {
  const Bits<D> du;
  const auto first = hn::LoadU(du, reinterpret_cast<const uint32_t*>(p));
  const auto second = hn::LoadU(du, reinterpret_cast<const uint32_t*>(p) + hn::Lanes(d));
  auto even = first, odd = second;
  if constexpr (hn::MaxLanes(d) > 1) {
    even = hn::ConcatEven(du, second, first);
    odd = hn::ConcatOdd(du, second, first);
  }
  const auto upper = hn::Set(du, 0xffff0000U);
  even0 = hn::BitCast(d, hn::ShiftLeft<16>(even));
  even1 = hn::BitCast(d, hn::And(even, upper));
  odd0 = hn::BitCast(d, hn::ShiftLeft<16>(odd));
  odd1 = hn::BitCast(d, hn::And(odd, upper));
}
#endif
template <class D, class V>
HWY_INLINE void LoadPairs(D d, const float16_t* p, V& x0, V& x1) {
#if ROTARY_HAVE_F16_CONVERSION
  const V first = LoadLanes(d, p), second = LoadLanes(d, p + hn::Lanes(d));
  if constexpr (hn::MaxLanes(d) == 1) {
    x0 = first;
    x1 = second;
  } else {
    x0 = hn::ConcatEven(d, second, first);
    x1 = hn::ConcatOdd(d, second, first);
  }
#else
  const Bits<D> du;
  const auto both = hn::LoadU(du, reinterpret_cast<const uint32_t*>(p));
  x0 = FloatFromHalfBits(d, hn::And(both, hn::Set(du, 0xffffU)));
  x1 = FloatFromHalfBits(d, hn::ShiftRight<16>(both));
#endif
}

template <class D, class V, class T>
HWY_INLINE void StorePairs(D d, V x0, V x1, T* p) {
  hn::StoreInterleaved2(x0, x1, d, p);
}
#if HWY_TARGET == HWY_SCALAR
template <class D, class V>
HWY_INLINE void StorePairs(D d, V x0, V x1, bfloat16_t* p) {
  const Bits<D> du;
  const auto low = hn::ShiftRight<16>(RoundToBfloat16(d, x0));
  const auto high = hn::And(RoundToBfloat16(d, x1), hn::Set(du, 0xffff0000U));
  hn::StoreU(hn::Or(low, high), du, reinterpret_cast<uint32_t*>(p));
}
#else
// Rounds half up: the upper half of the sum. A tie leaves a lower half of zero.
template <class D, class V>
HWY_INLINE hn::VFromD<Bits<D>> AddHalfUlp(D, V v) {
  const Bits<D> du;
  return hn::Add(hn::BitCast(du, v), hn::Set(du, 0x8000U));
}

template <class D, class VU>
HWY_INLINE VU TiesToEven(D, VU sum) {
  const Bits<D> du;
  const auto tie = hn::Eq(hn::ShiftLeft<16>(sum), hn::Zero(du));
  return hn::IfThenElse(tie, hn::AndNot(hn::Set(du, 0x10000U), sum), sum);
}

// The lower of the lower halves is the lower half of the result.
template <class D, class VU>
HWY_INLINE VU LowerHalves(D, VU a, VU b) {
  const hn::Repartition<uint16_t, Bits<D>> d16;
  return hn::BitCast(Bits<D>(), hn::Min(hn::BitCast(d16, a), hn::BitCast(d16, b)));
}

template <class D, class VU>
HWY_INLINE bool AnyTie(D, VU sum) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if constexpr (hn::MaxLanes(D()) == 16) return _mm512_testn_epi32_mask(sum.raw, _mm512_set1_epi32(0xffff)) != 0;
#endif
  const Bits<D> du;
  return !hn::AllFalse(du, hn::Eq(hn::ShiftLeft<16>(sum), hn::Zero(du)));
}

// The upper halves of both, by turns.
template <class D, class VU>
HWY_INLINE VU UpperHalves(D, VU even, VU odd) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if constexpr (hn::MaxLanes(D()) == 16) {  // one shuffle over the lower halves
    const auto upper = _mm512_set4_epi32(0x0f0e, 0x0b0a, 0x0706, 0x0302);
    return VU{_mm512_mask_shuffle_epi8(odd.raw, 0x3333333333333333ULL, even.raw, upper)};
  }
#endif
  const hn::Repartition<uint16_t, Bits<D>> d16;
  const auto shifted = hn::BitCast(d16, hn::ShiftRight<16>(even));
  return hn::BitCast(Bits<D>(), hn::OddEven(hn::BitCast(d16, odd), shifted));
}

template <class D, class V>
HWY_INLINE void StorePairs(D d, V x0, V x1, bfloat16_t* p) {
  auto even = AddHalfUlp(d, x0), odd = AddHalfUlp(d, x1);
  if (HWY_UNLIKELY(AnyTie(d, LowerHalves(d, even, odd)))) {
    even = TiesToEven(d, even);
    odd = TiesToEven(d, odd);
  }
  hn::StoreU(UpperHalves(d, even, odd), Bits<D>(), reinterpret_cast<uint32_t*>(p));
}

// Two at once: one look for ties.
template <class D, class V>
HWY_INLINE void StorePairs(D d, V x0, V x1, bfloat16_t* p, V x2, V x3, bfloat16_t* q) {
  auto even0 = AddHalfUlp(d, x0), odd0 = AddHalfUlp(d, x1), even1 = AddHalfUlp(d, x2), odd1 = AddHalfUlp(d, x3);
  if (HWY_UNLIKELY(AnyTie(d, LowerHalves(d, LowerHalves(d, even0, odd0), LowerHalves(d, even1, odd1))))) {
    even0 = TiesToEven(d, even0);
    odd0 = TiesToEven(d, odd0);
    even1 = TiesToEven(d, even1);
    odd1 = TiesToEven(d, odd1);
  }
  hn::StoreU(UpperHalves(d, even0, odd0), Bits<D>(), reinterpret_cast<uint32_t*>(p));
  hn::StoreU(UpperHalves(d, even1, odd1), Bits<D>(), reinterpret_cast<uint32_t*>(q));
}
#endif
template <class D, class V>
HWY_INLINE void StorePairs(D d, V x0, V x1, float16_t* p) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if constexpr (hn::MaxLanes(d) == 16) {  // two shuffles before two conversions, which no lane has to be widened for
    const auto lo = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const auto hi = _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8);
    StoreLanes(d, V{_mm512_permutex2var_ps(x0.raw, lo, x1.raw)}, p);
    StoreLanes(d, V{_mm512_permutex2var_ps(x0.raw, hi, x1.raw)}, p + 16);
    return;
  }
#endif
  const Bits<D> du;
  const auto high = hn::ShiftLeft<16>(HalfBitsFromFloat(d, x1));
  hn::StoreU(hn::Or(HalfBitsFromFloat(d, x0), high), du, reinterpret_cast<uint32_t*>(p));
}

}  // namespace HWY_NAMESPACE
}  // namespace rotary::detail
HWY_AFTER_NAMESPACE();

#endif  // per target
