// The rotation of head vectors, one source for all SIMD targets.
//
//     y0 = x0 cos - x1 sin        fma(x0, cos, -(x1 * sin))        the attention factor is in cos and sin
//     y1 = x0 sin + x1 cos        fma(x0, sin,   x1 * cos)
//
//     half          | x0 x0 x0 x0 | x1 x1 x1 x1 |     two loads, cos and sin as they lie in the table
//     interleaved   | x0 x1 x0 x1   x0 x1 x0 x1 |     one load; x0 and x1 doubled, rows (cos, sin) and (-sin, cos)
//     bfloat16: two elements are one 32-bit lane, and shift and mask make two float vectors of it. Written in halves
//     these are the even and the odd pairs, for which cos and sin are split likewise.
//
// Strategy: head by head through memory, in vectors, then vectors of half the lanes and so on down to one pair: tails
// are the same code. The row of a token stays in registers over all heads where its length is a usual one, else in L1.
// Cost: two multiplications and two fused ones per pair; the memory sets the time. Aliasing: x == out is fine, since a
// step reads all it writes over; a plan that moves channels is staged head by head. The fused operations are real where
// the target has them (not on SSE, SCALAR, EMU128).
#include "core/float_lanes-inl.h"
#include "core/rotate_kernels.h"
#include "hwy/highway.h"

#if defined(ROTARY_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROTARY_ROTATE_INL_H_
#undef ROTARY_ROTATE_INL_H_
#else
#define ROTARY_ROTATE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace rotary::detail {
namespace HWY_NAMESPACE {

// Each end is used twice, and GCC would load it twice: loads, then, set the time in the first cache.
template <class V>
HWY_INLINE void LoadOnce(V& x) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  asm("" : "+v"(x.raw));
#else
  (void)x;
#endif
}

template <class V>
HWY_INLINE void Turn(V& x0, V& x1, V cos, V sin) {
  LoadOnce(x0);
  LoadOnce(x1);
  const V y0 = hn::MulSub(x0, cos, hn::Mul(x1, sin));
  x1 = hn::MulAdd(x0, sin, hn::Mul(x1, cos));
  x0 = y0;
}

#if HWY_TARGET != HWY_SCALAR
// Both results in one vector: x = (x0, x1), cos_sin = (cos, sin), minus_sin_cos = (-sin, cos).
template <class V>
HWY_INLINE V TurnBoth(V x, V cos_sin, V minus_sin_cos) {
  return hn::MulAdd(hn::DupEven(x), cos_sin, hn::Mul(hn::DupOdd(x), minus_sin_cos));
}
#endif

template <class T>
struct RealOf {
  using type = float;
};
template <>
struct RealOf<double> {
  using type = double;
};
template <class T>
using Real = typename RealOf<T>::type;

template <class T>
struct IsBfloat16 {
  static constexpr bool value = false;
};
template <>
struct IsBfloat16<bfloat16_t> {
  static constexpr bool value = true;
};

// What a kernel wants of a row.
enum class Arrangement { kPlain, kBoth, kEvenOdd };

template <class T, PairLayout kLayout>
constexpr Arrangement ArrangementOf() {
#if HWY_TARGET == HWY_SCALAR
  return Arrangement::kPlain;
#else
  if ((kLayout == PairLayout::kHalf || kLayout == PairLayout::kInterleavedToHalf) && IsBfloat16<T>::value)
    return Arrangement::kEvenOdd;
  if (kLayout == PairLayout::kInterleaved && sizeof(T) > 2) return Arrangement::kBoth;
  return Arrangement::kPlain;
#endif
}

// One run of a head, and its part of the row, from the first pair on.
template <class T>
struct Ends {
  const T *x0, *x1;
  T *y0, *y1;
};
template <class T>
struct RunRow {
  const Real<T>*first, *second;
  size_t odd = 0;  // where the odd pairs start, for EvenOddStep
};

// A step turns the pairs from i on that a vector holds: kVectors vectors of ends, and their row, which is loaded apart,
// so that it can stay in registers from head to head.
template <class T, PairLayout kLayout>
struct PlainStep {
  using Element = T;
  using Lane = Real<T>;
  static constexpr size_t kPairsPerTwoLanes = 2, kMinLanes = 1, kVectors = 2;
  static constexpr bool kHalvesIn = kLayout == PairLayout::kHalf || kLayout == PairLayout::kHalfToInterleaved;
  static constexpr bool kHalvesOut = kLayout == PairLayout::kHalf || kLayout == PairLayout::kInterleavedToHalf;

  template <class D, class V>
  static HWY_INLINE HWY_ATTR void LoadRow(D d, const RunRow<T>& row, size_t i, V (&cos_sin)[2]) {
    cos_sin[0] = hn::LoadU(d, row.first + i);
    cos_sin[1] = hn::LoadU(d, row.second + i);
  }

  template <class D, class V>
  static HWY_INLINE HWY_ATTR void Load(D d, const Ends<T>& p, size_t i, V (&x)[2]) {
    if constexpr (kHalvesIn) {
      x[0] = LoadLanes(d, p.x0 + i);
      x[1] = LoadLanes(d, p.x1 + i);
    } else {
      LoadPairs(d, p.x0 + 2 * i, x[0], x[1]);
    }
  }

  template <class V>
  static HWY_INLINE HWY_ATTR void Rotate(V (&x)[2], const V (&cos_sin)[2]) {
    Turn(x[0], x[1], cos_sin[0], cos_sin[1]);
  }

  template <class D, class V>
  static HWY_INLINE HWY_ATTR void Store(D d, const Ends<T>& p, size_t i, const V (&x)[2]) {
    if constexpr (kHalvesOut) {
      StoreLanes(d, x[0], p.y0 + i);
      StoreLanes(d, x[1], p.y1 + i);
    } else {
      StorePairs(d, x[0], x[1], p.y0 + 2 * i);
    }
  }
};

#if HWY_TARGET != HWY_SCALAR
// Interleaved, two lanes to a pair.
template <class T>
struct BothStep {
  using Element = T;
  using Lane = Real<T>;
  static constexpr size_t kPairsPerTwoLanes = 1, kMinLanes = 2, kVectors = 1;

  template <class D, class V>
  static HWY_INLINE HWY_ATTR void LoadRow(D d, const RunRow<T>& row, size_t i, V (&r)[2]) {
    r[0] = hn::LoadU(d, row.first + 2 * i);
    r[1] = hn::LoadU(d, row.second + 2 * i);
  }

  template <class D, class V>
  static HWY_INLINE HWY_ATTR void Load(D d, const Ends<T>& p, size_t i, V (&x)[1]) {
    x[0] = LoadLanes(d, p.x0 + 2 * i);
  }

  template <class V>
  static HWY_INLINE HWY_ATTR void Rotate(V (&x)[1], const V (&r)[2]) {
    x[0] = TurnBoth(x[0], r[0], r[1]);
  }

  template <class D, class V>
  static HWY_INLINE HWY_ATTR void Store(D d, const Ends<T>& p, size_t i, const V (&x)[1]) {
    StoreLanes(d, x[0], p.y0 + 2 * i);
  }
};

// bfloat16 into halves, two pairs to a lane; the row holds the even pairs, then the odd ones. Ends: the first of the
// even and of the odd pairs, then the second.
template <PairLayout kLayout>
struct EvenOddStep {
  using Element = bfloat16_t;
  using Lane = float;
  static constexpr size_t kPairsPerTwoLanes = 4, kMinLanes = 1, kVectors = 4;

  template <class D, class V>
  static HWY_INLINE HWY_ATTR void LoadRow(D d, const RunRow<bfloat16_t>& row, size_t i, V (&r)[4]) {
    r[0] = hn::LoadU(d, row.first + i / 2);
    r[1] = hn::LoadU(d, row.second + i / 2);
    r[2] = hn::LoadU(d, row.first + row.odd + i / 2);
    r[3] = hn::LoadU(d, row.second + row.odd + i / 2);
  }

  template <class D, class V>
  static HWY_INLINE HWY_ATTR void Load(D d, const Ends<bfloat16_t>& p, size_t i, V (&x)[4]) {
    if constexpr (kLayout == PairLayout::kHalf) {
      LoadPairs(d, p.x0 + i, x[0], x[1]);
      LoadPairs(d, p.x1 + i, x[2], x[3]);
    } else {
      LoadEvenOddPairs(d, p.x0 + 2 * i, x[0], x[1], x[2], x[3]);
    }
  }

  template <class V>
  static HWY_INLINE HWY_ATTR void Rotate(V (&x)[4], const V (&r)[4]) {
    Turn(x[0], x[2], r[0], r[1]);
    Turn(x[1], x[3], r[2], r[3]);
  }

  template <class D, class V>
  static HWY_INLINE HWY_ATTR void Store(D d, const Ends<bfloat16_t>& p, size_t i, const V (&x)[4]) {
    StorePairs(d, x[0], x[1], p.y0 + i, x[2], x[3], p.y1 + i);
  }
};
#endif

template <class T, PairLayout kLayout, Arrangement kArrangement>
struct StepFor {
  using type = PlainStep<T, kLayout>;
};
#if HWY_TARGET != HWY_SCALAR
template <class T, PairLayout kLayout>
struct StepFor<T, kLayout, Arrangement::kBoth> {
  using type = BothStep<T>;
};
template <class T, PairLayout kLayout>
struct StepFor<T, kLayout, Arrangement::kEvenOdd> {
  using type = EvenOddStep<kLayout>;
};
#endif
template <class T, PairLayout kLayout>
using Step = typename StepFor<T, kLayout, ArrangementOf<T, kLayout>()>::type;

// Pairs of a step in full vectors.
template <class T, PairLayout kLayout>
constexpr size_t StepPairs() {
  return hn::MaxLanes(hn::ScalableTag<Real<T>>()) * Step<T, kLayout>::kPairsPerTwoLanes / 2;
}

// Vectors of a row for kVectors of ends.
template <class Step>
constexpr size_t RowVectors() {
  return Step::kVectors == 4 ? 4 : 2;
}

// Steps through pairs i .. n-1 in vectors of kLanes lanes, then of half as many. Returns the first pair that is left.
template <size_t kLanes, class Step, class T>
HWY_INLINE size_t Walk(const RunRow<T>& row, const Ends<T>& ends, size_t i, size_t n) {
  const hn::CappedTag<typename Step::Lane, kLanes> d;
  const size_t pairs = hn::Lanes(d) * Step::kPairsPerTwoLanes / 2;
  for (; i + pairs <= n; i += pairs) {
    hn::VFromD<decltype(d)> r[RowVectors<Step>()], x[Step::kVectors];
    Step::LoadRow(d, row, i, r);
    Step::Load(d, ends, i, x);
    Step::Rotate(x, r);
    Step::Store(d, ends, i, x);
  }
  if constexpr (kLanes > Step::kMinLanes)
    if (i < n) return Walk<kLanes / 2, Step>(row, ends, i, n);
  return i;
}

template <class T, PairLayout kLayout>
HWY_INLINE RunRow<T> RowOf(const Run& run, const Row& row) {
  constexpr size_t kWidth = ArrangementOf<T, kLayout>() == Arrangement::kBoth ? 2 : 1;
  const size_t start = kWidth * static_cast<size_t>(run.first), n = static_cast<size_t>(run.count);
  return {static_cast<const Real<T>*>(row.first) + start, static_cast<const Real<T>*>(row.second) + start, n - n / 2};
}

template <class T>
HWY_INLINE Ends<T> EndsOf(const Run& run, const T* x, T* out) {
  return {x + run.x0, x + run.x1, out + run.y0, out + run.y1};
}

template <class T, PairLayout kLayout>
HWY_INLINE void TurnRun(const Run& run, const Row& whole_row, const T* x, T* out) {
  constexpr size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real<T>>());
  const RunRow<T> row = RowOf<T, kLayout>(run, whole_row);
  const Ends<T> ends = EndsOf(run, x, out);
  const size_t n = static_cast<size_t>(run.count);
  const size_t done = Walk<kLanes, Step<T, kLayout>>(row, ends, 0, n);
  if (ArrangementOf<T, kLayout>() == Arrangement::kEvenOdd && done < n) {  // the last of an odd number of pairs
    const RunRow<T> last_row{row.first + n / 2, row.second + n / 2};
    const size_t in = kLayout == PairLayout::kHalf ? done : 2 * done;
    const Ends<T> last{ends.x0 + in, ends.x1 + in, ends.y0 + done, ends.y1 + done};
    Walk<1, PlainStep<T, kLayout>>(last_row, last, 0, 1);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace rotary::detail
HWY_AFTER_NAMESPACE();

#endif  // per target
