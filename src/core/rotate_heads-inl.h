// Kernels over the heads of a tile: rows kept in registers, memory fetched ahead, results streamed around the caches.
#include "core/rotate-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

#if defined(ROTARY_ROTATE_HEADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROTARY_ROTATE_HEADS_INL_H_
#undef ROTARY_ROTATE_HEADS_INL_H_
#else
#define ROTARY_ROTATE_HEADS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace rotary::detail {
namespace HWY_NAMESPACE {

// The plan in locals: nothing that is stored through can be it.
struct PlanParts {
  const Run* runs;
  const Copy* copies;
  size_t num_runs, num_copies, channels;
  bool stays, copies_stay;
};

// x and out may be the same only where the plan stays.
template <class T, PairLayout kLayout>
HWY_INLINE void TurnHead(const PlanParts& plan, const Row& row, const T* x, T* out) {
  for (size_t i = 0; i < plan.num_runs; ++i) TurnRun<T, kLayout>(plan.runs[i], row, x, out);
  if (x == out) return;
  for (size_t i = 0; i < plan.num_copies; ++i)
    __builtin_memcpy(out + plan.copies[i].to, x + plan.copies[i].from,
                     static_cast<size_t>(plan.copies[i].count) * sizeof(T));
}

// A head is copied aside where its own results would fall on what is still to be read.
template <class T, PairLayout kLayout>
HWY_INLINE void TurnOrCopyHead(const PlanParts& plan, const Row& row, const T* x, T* out) {
  if (row.first == nullptr) {
    if (x != out) __builtin_memcpy(out, x, plan.channels * sizeof(T));
  } else if (x == out && !plan.stays) {
    alignas(64) T stage[static_cast<size_t>(kMaxStagedBytes) / sizeof(T)];
    __builtin_memcpy(stage, x, plan.channels * sizeof(T));
    TurnHead<T, kLayout>(plan, row, stage, out);
  } else {
    TurnHead<T, kLayout>(plan, row, x, out);
  }
}

// The order of a token's heads: one after the other, or, for 16-bit data from beyond the caches, two streams in turn,
// the first half of the heads and the second. Conversions take as long there as memory does, and two streams keep more
// lines on their way meanwhile (measured on Sapphire Rapids: 0.67 of the limit with one stream, 0.8 with two).
struct HeadOrder {
  int64_t streams, heads;  // heads of each stream
};

HWY_INLINE HeadOrder OrderOf(const Tile& tile, size_t element) {
  constexpr int64_t kMostBytes = 16384;  // of a token: it is fetched a token ahead, into the first cache
  const bool two = element == 2 && tile.beyond_cache && tile.heads % 2 == 0 && tile.x_token <= kMostBytes &&
                   tile.x_token >= -kMostBytes;
  return {two ? 2 : 1, two ? tile.heads / 2 : tile.heads};
}

// From a head to the next, in bytes: two steps by turns.
struct HeadSteps {
  int64_t next, after;

  HeadSteps(const HeadOrder& order, int64_t step)
      : next(order.streams == 1 ? step : order.heads * step), after(order.streams == 1 ? step : step - next) {}

  template <class T>
  HWY_INLINE HWY_ATTR void Advance(T*& p) {
    p = reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(next));
    const int64_t step = next;
    next = after;
    after = step;
  }
};

// Fetches what will be read and, elsewhere, written some heads later: conversions fill the core's window, which then
// sees too few lines of what comes next, and the two ends of a half are no single stream.
class Prefetcher {
 public:
  // Bytes begin .. end-1 of a head.
  Prefetcher(const Tile& tile, const HeadOrder& order, size_t element, size_t begin, size_t end)
      : in_(0),
        out_(0),
        bytes_(tile.fetch_ahead ? end - begin : 0),
        writes_apart_(tile.fetch_ahead && tile.x != tile.out && !tile.stream) {
    if (!tile.fetch_ahead) return;                           // divisions take long
    const int64_t bytes_ahead = element == 2 ? 8192 : 2048;  // measured, too
    const int64_t heads = bytes_ahead / static_cast<int64_t>(end - begin + 1) + 1;
    const auto ahead = [&](int64_t head_step, int64_t token_step) {
      const bool next_to_each_other = order.streams == 1 && token_step == tile.heads * head_step;
      const int64_t tokens = (heads + tile.heads - 1) / tile.heads;
      return static_cast<int64_t>(begin) + (next_to_each_other ? heads * head_step : tokens * token_step);
    };
    in_ = ahead(tile.x_head, tile.x_token);
    out_ = ahead(tile.out_head, tile.out_token);
  }

  // For a head that lies at x and goes to out.
  HWY_INLINE HWY_ATTR void FetchReads(const void* x) const { FetchHead(x, in_); }
  HWY_INLINE HWY_ATTR void FetchWrites(const void* out) const {
    if (writes_apart_) FetchHead(out, out_);
  }

 private:
  HWY_INLINE HWY_ATTR void FetchHead(const void* p, int64_t ahead) const {
    const auto at = reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(ahead);
    for (size_t k = 0; k < bytes_; k += 64) hwy::Prefetch(reinterpret_cast<const std::byte*>(at + k));
  }

  int64_t in_, out_;  // bytes ahead
  size_t bytes_;
  bool writes_apart_;
};

// Copies whole cache lines around the caches.
HWY_INLINE void StreamLines(std::byte* out, const std::byte* x, size_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  for (size_t i = 0; i < bytes; i += hn::Lanes(d))
    hn::Stream(hn::LoadU(d, reinterpret_cast<const uint8_t*>(x) + i), d, reinterpret_cast<uint8_t*>(out) + i);
}

// Heads that share a row. Streamed heads are turned into `out`, each over the one before, and go from there to `sink`.
template <class T>
struct HeadSeries {
  const T* x;
  T* out;
  std::byte* sink;  // null: none
  int64_t sink_step, count;
  HeadSteps x_steps, out_steps;

  // A head is done.
  HWY_INLINE HWY_ATTR void Advance(size_t head_bytes) {
    if (sink != nullptr) {
      StreamLines(sink, reinterpret_cast<const std::byte*>(out), head_bytes);
      sink += sink_step;
    }
    x_steps.Advance(x);
    out_steps.Advance(out);
  }
};

#undef ROTARY_KEEP_ROWS
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_TARGET == HWY_NEON || \
    (defined(HWY_TARGET_IS_NEON) && HWY_TARGET_IS_NEON)
#define ROTARY_KEEP_ROWS 1
#else
#define ROTARY_KEEP_ROWS 0
#endif

#if ROTARY_KEEP_ROWS
constexpr bool MovesChannels(PairLayout layout) {
  return layout == PairLayout::kInterleavedToHalf || layout == PairLayout::kHalfToInterleaved;
}

// All steps of a head. A layout that moves channels reads the whole head first, so that it too may be in place.
template <class T, PairLayout kLayout, size_t kSteps, class D, class V>
HWY_INLINE void ApplySteps(D d, const Ends<T>& p, const V (&r)[kSteps][4]) {
  using S = Step<T, kLayout>;
  constexpr size_t kPairs = hn::MaxLanes(d) * S::kPairsPerTwoLanes / 2;
  if constexpr (MovesChannels(kLayout)) {
    V x[kSteps][2];
    for (size_t k = 0; k < kSteps; ++k) S::Load(d, p, k * kPairs, x[k][0], x[k][1]);
    for (size_t k = 0; k < kSteps; ++k) Turn(x[k][0], x[k][1], r[k][0], r[k][1]);
    for (size_t k = 0; k < kSteps; ++k) S::Store(d, p, k * kPairs, x[k][0], x[k][1]);
  } else {
    for (size_t k = 0; k < kSteps; ++k) S::Apply(d, p, k * kPairs, r[k][0], r[k][1], r[k][2], r[k][3]);
  }
}

// Two pointers, and GCC is to keep them: the eight sums that it would make of them do not fit in the registers.
template <class T>
HWY_INLINE Ends<T> EndsInPlace(const Run& run, T* head) {
  T *x0 = head + run.x0, *x1 = head + run.x1;
#if HWY_COMPILER_GCC_ACTUAL
  asm("" : "+r"(x0), "+r"(x1));
#endif
  return {x0, x1, x0, x1};
}

// The usual case, one run of kSteps full vectors and perhaps a tail: the row stays in registers. Never inlined, and one
// for each case: the loop needs all registers there are.
template <class T, PairLayout kLayout, size_t kSteps, bool kInPlace, bool kTail>
HWY_NOINLINE void TurnSeries(const Run& whole_run, const RunRow<T>& row, const HeadSeries<T>& all_heads,
                             size_t head_bytes, const Prefetcher& all_fetches) {
  using S = Step<T, kLayout>;
  const hn::ScalableTag<typename S::Lane> d;
  constexpr size_t kLanes = hn::MaxLanes(d), kPairs = kLanes * S::kPairsPerTwoLanes / 2;
  hn::VFromD<decltype(d)> r[kSteps][4];
  for (size_t k = 0; k < kSteps; ++k) S::LoadRow(d, row, k * kPairs, r[k][0], r[k][1], r[k][2], r[k][3]);
  const Run run = whole_run;  // in locals, like the plan
  const Prefetcher prefetcher = all_fetches;
  HeadSeries<T> heads = all_heads;
  for (int64_t i = heads.count; i > 0; --i) {
    const Ends<T> ends = kInPlace ? EndsInPlace(run, heads.out) : EndsOf<T>(run, heads.x, heads.out);
    prefetcher.FetchReads(kInPlace ? heads.out : heads.x);
    if (!kInPlace) prefetcher.FetchWrites(heads.out);
    ApplySteps<T, kLayout, kSteps>(d, ends, r);
    if (kTail) Walk<kLanes / 2, S>(row, ends, kSteps * kPairs, static_cast<size_t>(run.count));
    if (kInPlace)
      heads.out_steps.Advance(heads.out);
    else
      heads.Advance(head_bytes);
  }
}

template <class T, PairLayout kLayout, size_t kSteps>
HWY_INLINE bool TurnSeriesOf(const PlanParts& plan, const RunRow<T>& row, const HeadSeries<T>& heads, bool tail,
                             const Prefetcher& prefetcher) {
  constexpr bool kStays = !MovesChannels(kLayout);
  const bool in_place = kStays && plan.stays && heads.x == heads.out;
  const auto turn =
      in_place ? (tail ? &TurnSeries<T, kLayout, kSteps, kStays, true> : &TurnSeries<T, kLayout, kSteps, kStays, false>)
               : (tail ? &TurnSeries<T, kLayout, kSteps, false, true> : &TurnSeries<T, kLayout, kSteps, false, false>);
  turn(plan.runs[0], row, heads, plan.channels * sizeof(T), prefetcher);
  return true;
}

// Whether a tail may follow n pairs in full vectors.
template <class T, PairLayout kLayout>
HWY_INLINE bool SuitsTail(const HeadSeries<T>& heads, size_t n) {
  if (ArrangementOf<T, kLayout>() == Arrangement::kEvenOdd) return n % 2 == 0;
  return !MovesChannels(kLayout) || heads.x != heads.out;
}
#endif

// Returns false where the general way must be taken.
template <class T, PairLayout kLayout>
HWY_INLINE bool TurnWholeSeries(const PlanParts& plan, const Row& whole_row, const HeadSeries<T>& heads,
                                const Prefetcher& prefetcher) {
#if ROTARY_KEEP_ROWS
  if constexpr (sizeof(T) <= 4 && kLayout != PairLayout::kHalfToInterleaved) {
    constexpr size_t kPairs = hn::MaxLanes(hn::ScalableTag<Real<T>>()) * Step<T, kLayout>::kPairsPerTwoLanes / 2;
    const bool copies_stay = plan.num_copies == 0 || (heads.x == heads.out && plan.copies_stay);
    if (plan.num_runs != 1 || !copies_stay || whole_row.first == nullptr) return false;
    const size_t n = static_cast<size_t>(plan.runs[0].count);
    const bool tail = n % kPairs != 0;
    if (tail && !SuitsTail<T, kLayout>(heads, n)) return false;
    const RunRow<T> row = RowOf<T, kLayout>(plan.runs[0], whole_row);
    switch (n / kPairs) {
      case 1: return TurnSeriesOf<T, kLayout, 1>(plan, row, heads, tail, prefetcher);
      case 2: return TurnSeriesOf<T, kLayout, 2>(plan, row, heads, tail, prefetcher);
      case 3: return TurnSeriesOf<T, kLayout, 3>(plan, row, heads, tail, prefetcher);
      case 4: return TurnSeriesOf<T, kLayout, 4>(plan, row, heads, tail, prefetcher);
      case 5: return TurnSeriesOf<T, kLayout, 5>(plan, row, heads, tail, prefetcher);
      case 6: return TurnSeriesOf<T, kLayout, 6>(plan, row, heads, tail, prefetcher);
      case 8: return TurnSeriesOf<T, kLayout, 8>(plan, row, heads, tail, prefetcher);
      default: return false;
    }
  }
#endif
  (void)plan, (void)whole_row, (void)heads, (void)prefetcher;
  return false;
}

// Token by token whatever the order in memory: a row serves all heads, and what is prefetched needs no regular pattern.
template <class T, PairLayout kLayout>
void Rotate(const Tile& tile) noexcept {
  const RotationPlan& p = *tile.plan;
  const PlanParts plan{p.runs.data(), p.copies.data(), p.runs.size(), p.copies.size(), static_cast<size_t>(p.channels),
                       p.stays,       p.copies_stay};
  const bool all = tile.x != tile.out;
  const size_t begin = all ? 0 : static_cast<size_t>(p.turned_begin);
  const size_t end = all ? plan.channels : static_cast<size_t>(p.turned_end);
  const HeadOrder order = OrderOf(tile, sizeof(T));
  const Prefetcher prefetcher(tile, order, sizeof(T), begin * sizeof(T), end * sizeof(T));
  const HeadSteps x_steps(order, tile.x_head), out_steps(order, tile.stream ? 0 : tile.out_head);
  alignas(64) T stage[static_cast<size_t>(kMaxStagedBytes) / sizeof(T)];
  for (int64_t token = 0; token < tile.tokens; ++token) {
    std::byte* const out = tile.out + token * tile.out_token;
    HeadSeries<T> series{reinterpret_cast<const T*>(tile.x + token * tile.x_token),
                         tile.stream ? stage : reinterpret_cast<T*>(out),
                         tile.stream ? out : nullptr,
                         tile.out_head,
                         tile.heads,
                         x_steps,
                         out_steps};
    if (TurnWholeSeries<T, kLayout>(plan, tile.rows[token], series, prefetcher)) continue;
    for (int64_t i = 0; i < series.count; ++i) {
      prefetcher.FetchReads(series.x);
      prefetcher.FetchWrites(series.out);
      TurnOrCopyHead<T, kLayout>(plan, tile.rows[token], series.x, series.out);
      series.Advance(plan.channels * sizeof(T));
    }
  }
}

// Whole cache lines around the caches, the ragged ends through them.
inline void Stream(std::byte* out, const std::byte* x, size_t bytes) noexcept {
  constexpr size_t kLine = 64;
  const size_t lead = (kLine - reinterpret_cast<uintptr_t>(out) % kLine) % kLine;
  if (bytes < lead + kLine) {
    __builtin_memcpy(out, x, bytes);
    return;
  }
  const size_t lines = (bytes - lead) / kLine * kLine;
  __builtin_memcpy(out, x, lead);
  StreamLines(out + lead, x + lead, lines);
  __builtin_memcpy(out + lead + lines, x + lead + lines, bytes - lead - lines);
}

inline void Fence() noexcept { hwy::FlushStream(); }

}  // namespace HWY_NAMESPACE
}  // namespace rotary::detail
HWY_AFTER_NAMESPACE();

#endif  // per target
