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

// T* + bytes.
template <class T>
HWY_INLINE T* Moved(T* p, int64_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(bytes));
}

// [head][token][channel]
HWY_INLINE bool HeadsApart(int64_t head_step, int64_t token_step) {
  return (head_step < 0 ? -head_step : head_step) > (token_step < 0 ? -token_step : token_step);
}

// Whether to go along heads that lie apart, a few at once: out of place the lines of all heads of a token, often a
// power of two apart, push each other out of the caches before they are full (measured on Sapphire Rapids in one
// process: 5-10 MB of bfloat16 take 0.62-0.91 of the time, 15 MB 0.45-0.59; 5 MB of float32 0.56-0.61, 9-16 MB
// 0.75-0.90; 2.6 MB the same). Not in place and not for streamed results, where no gain was seen.
HWY_INLINE bool SuitsHeadOrder(const Tile& tile) {
  return tile.distance != Distance::kNear && tile.x != tile.out && !tile.stream &&
         HeadsApart(tile.x_head, tile.x_token) && HeadsApart(tile.out_head, tile.out_token);
}

// The order of the heads of a tile: token by token; along the heads; or, for data from beyond the caches, several
// tokens at once, some heads of each in turn: more tracks keep more lines and more pages on their way (measured on
// Sapphire Rapids, in pages of 4 kB, eight tracks take of the time of one: 168 MB of float16 0.6 in place, 0.7 out of
// place, where the conversions take as long as memory does; 671 MB of float32 0.86 and 0.78). A track is some tokens
// that follow each other, two pages at least.
struct HeadOrder {
  int64_t tracks = 1, track_tokens, heads;  // heads at a time
  int64_t x_jump = 0, out_jump = 0;         // bytes from behind a token to the next of its track
  bool along_heads = false;                 // the next token of a head lies beside it

  // Of the next tokens of a tile.
  HeadOrder(const Tile& tile, int64_t tokens, bool in_tracks) : track_tokens(tokens), heads(tile.heads) {
    constexpr int64_t kTrackBytes = 8192, kBytes = 512, kHeadsApart = 4;  // measured, too
    if (tile.heads > kHeadsApart && SuitsHeadOrder(tile)) {
      along_heads = true;
      tracks = tokens;
      track_tokens = 1;
      heads = kHeadsApart;
      return;
    }
    if (!in_tracks || tokens < 2) return;
    const auto steps_in = [](int64_t bytes, int64_t step) {
      return (bytes - 1) / HWY_MAX(step < 0 ? -step : step, 1) + 1;
    };
    tracks = HWY_MIN(kTracks, tokens);
    track_tokens = HWY_MIN(steps_in(kTrackBytes, tile.x_token), tokens / tracks);
    heads = steps_in(kBytes, tile.x_head);
  }

  // At the i-th token of each track.
  HWY_INLINE void SetJumps(const Tile& tile, int64_t i) {
    if (tracks == 1 || along_heads) return;
    const int64_t tokens = 1 + (i + 1 == track_tokens ? (tracks - 1) * track_tokens : 0);
    x_jump = tokens * tile.x_token - tile.heads * tile.x_head;
    out_jump = tokens * tile.out_token - tile.heads * tile.out_head;
  }
};

// Fetches what will be read and, elsewhere, written some heads later: conversions fill the core's window, which then
// sees too few lines of what comes next, and the two ends of a half are no single stream.
class Prefetcher {
 public:
  // Bytes begin .. end-1 of a head.
  Prefetcher(const Tile& tile, const HeadOrder& order, size_t begin, size_t end)
      : in_(0),
        out_(0),
        bytes_(tile.fetch_ahead ? end - begin : 0),
        writes_apart_(tile.fetch_ahead && tile.x != tile.out && !tile.stream) {
    if (!tile.fetch_ahead) return;         // divisions take long
    constexpr int64_t kBytesAhead = 2048;  // measured, too
    const bool in_tracks = order.tracks > 1 && !order.along_heads;
    const int64_t heads = in_tracks ? order.heads : kBytesAhead / static_cast<int64_t>(end - begin + 1) + 1;
    const auto ahead = [&](int64_t head_step, int64_t token_step) {
      const bool by_heads = !order.along_heads && (in_tracks || token_step == tile.heads * head_step);
      const int64_t tokens = (heads + order.heads - 1) / order.heads;
      return static_cast<int64_t>(begin) + (by_heads ? heads * head_step : tokens * token_step);
    };
    in_ = ahead(tile.x_head, tile.x_token);
    out_ = ahead(tile.out_head, tile.out_token);
  }

  // For the last heads of a token, after which a track goes on elsewhere.
  HWY_INLINE HWY_ATTR Prefetcher Beyond(const HeadOrder& order) const {
    Prefetcher beyond = *this;
    beyond.in_ += order.x_jump;
    beyond.out_ += order.out_jump;
    return beyond;
  }

  // For a head that lies at x and goes to out.
  HWY_INLINE HWY_ATTR void FetchReads(const void* x) const { FetchHead(x, in_); }
  HWY_INLINE HWY_ATTR void FetchWrites(const void* out) const {
    if (writes_apart_) FetchHead(out, out_);
  }

 private:
  HWY_INLINE HWY_ATTR void FetchHead(const void* p, int64_t ahead) const {
    const auto* at = Moved(static_cast<const std::byte*>(p), ahead);
    for (size_t k = 0; k < bytes_; k += 64) hwy::Prefetch(Moved(at, static_cast<int64_t>(k)));
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

// Heads of a token that share its row. Streamed heads are turned into `out`, each over the one before, and go from
// there to `sink`.
template <class T>
struct HeadSeries {
  const T* x;
  T* out;
  std::byte* sink;  // null: none
  int64_t x_step, out_step, sink_step, count;

  HWY_INLINE HeadSeries(const Tile& tile, int64_t token, int64_t head, int64_t heads, T* stage)
      : x(reinterpret_cast<const T*>(tile.x + token * tile.x_token + head * tile.x_head)),
        x_step(tile.x_head),
        out_step(tile.stream ? 0 : tile.out_head),
        sink_step(tile.out_head),
        count(HWY_MIN(heads, tile.heads - head)) {
    std::byte* const to = tile.out + token * tile.out_token + head * tile.out_head;
    out = tile.stream ? stage : reinterpret_cast<T*>(to);
    sink = tile.stream ? to : nullptr;
  }

  // A head is done.
  HWY_INLINE HWY_ATTR void Advance(size_t head_bytes) {
    if (sink != nullptr) {
      StreamLines(sink, reinterpret_cast<const std::byte*>(out), head_bytes);
      sink += sink_step;
    }
    x = Moved(x, x_step);
    out = Moved(out, out_step);
  }
};

// All heads of the tokens that are turned together, in their order: turn(token, first head).
template <class Turn>
HWY_INLINE void InOrder(const Tile& tile, const HeadOrder& order, int64_t first_token, const Turn& turn) {
  for (int64_t head = 0; head < tile.heads; head += order.heads)
    for (int64_t k = 0; k < order.tracks; ++k) turn(first_token + k * order.track_tokens, head);
}

template <class T>
using TurnTokens = void (*)(const PlanParts& plan, const Tile& tile, const HeadOrder& order, int64_t first_token,
                            T* stage, const Prefetcher& prefetcher);

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
template <class T, PairLayout kLayout, size_t kSteps, class D, class V, size_t kRows>
HWY_INLINE void ApplySteps(D d, const Ends<T>& p, const V (&r)[kSteps][kRows]) {
  using S = Step<T, kLayout>;
  constexpr size_t kPairs = StepPairs<T, kLayout>();
  if constexpr (MovesChannels(kLayout)) {
    V x[kSteps][S::kVectors];
    for (size_t k = 0; k < kSteps; ++k) S::Load(d, p, k * kPairs, x[k]);
    for (size_t k = 0; k < kSteps; ++k) S::Rotate(x[k], r[k]);
    for (size_t k = 0; k < kSteps; ++k) S::Store(d, p, k * kPairs, x[k]);
  } else {
    for (size_t k = 0; k < kSteps; ++k) {
      V x[S::kVectors];
      S::Load(d, p, k * kPairs, x);
      S::Rotate(x, r[k]);
      S::Store(d, p, k * kPairs, x);
    }
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
HWY_NOINLINE void TurnSteps(const PlanParts& plan, const Tile& tile, const HeadOrder& order, int64_t first_token,
                            T* stage, const Prefetcher& all_fetches) {
  using S = Step<T, kLayout>;
  const hn::ScalableTag<typename S::Lane> d;
  constexpr size_t kLanes = hn::MaxLanes(d), kPairs = StepPairs<T, kLayout>();
  const Run run = plan.runs[0];  // in locals, like the plan
  const size_t head_bytes = plan.channels * sizeof(T);
  InOrder(tile, order, first_token, [&](int64_t token, int64_t head) HWY_ATTR {
    const RunRow<T> row = RowOf<T, kLayout>(run, tile.rows[token]);
    hn::VFromD<decltype(d)> r[kSteps][RowVectors<S>()];
    for (size_t k = 0; k < kSteps; ++k) S::LoadRow(d, row, k * kPairs, r[k]);
    HeadSeries<T> heads(tile, token, head, order.heads, stage);
    const Prefetcher prefetcher = head + order.heads < tile.heads ? all_fetches : all_fetches.Beyond(order);
    for (int64_t i = heads.count; i > 0; --i) {
      const Ends<T> ends = kInPlace ? EndsInPlace(run, heads.out) : EndsOf<T>(run, heads.x, heads.out);
      prefetcher.FetchReads(kInPlace ? heads.out : heads.x);
      if (!kInPlace) prefetcher.FetchWrites(heads.out);
      ApplySteps<T, kLayout, kSteps>(d, ends, r);
      if (kTail) Walk<kLanes / 2, S>(row, ends, kSteps * kPairs, static_cast<size_t>(run.count));
      if (kInPlace)
        heads.out = Moved(heads.out, heads.out_step);
      else
        heads.Advance(head_bytes);
    }
  });
}

template <class T, PairLayout kLayout, size_t kSteps>
HWY_INLINE TurnTokens<T> StepsOf(bool in_place, bool tail) {
  constexpr bool kStays = !MovesChannels(kLayout);
  if (kStays && in_place)
    return tail ? TurnSteps<T, kLayout, kSteps, kStays, true> : TurnSteps<T, kLayout, kSteps, kStays, false>;
  return tail ? TurnSteps<T, kLayout, kSteps, false, true> : TurnSteps<T, kLayout, kSteps, false, false>;
}

// Whether a tail may follow n pairs in full vectors.
template <class T, PairLayout kLayout>
HWY_INLINE bool SuitsTail(bool in_place, size_t n) {
  if (ArrangementOf<T, kLayout>() == Arrangement::kEvenOdd && n % 2 != 0) return false;
  return !MovesChannels(kLayout) || !in_place;
}
#endif

// The way that any plan can take, and any row.
template <class T, PairLayout kLayout>
HWY_NOINLINE void TurnAny(const PlanParts& plan, const Tile& tile, const HeadOrder& order, int64_t first_token,
                          T* stage, const Prefetcher& prefetcher) {
  InOrder(tile, order, first_token, [&](int64_t token, int64_t head) HWY_ATTR {
    HeadSeries<T> heads(tile, token, head, order.heads, stage);
    for (int64_t i = heads.count; i > 0; --i) {
      prefetcher.FetchReads(heads.x);
      prefetcher.FetchWrites(heads.out);
      TurnOrCopyHead<T, kLayout>(plan, tile.rows[token], heads.x, heads.out);
      heads.Advance(plan.channels * sizeof(T));
    }
  });
}

// The fastest way for the plan, where every row turns.
template <class T, PairLayout kLayout>
HWY_INLINE TurnTokens<T> FastWay(const PlanParts& plan, bool in_place) {
#if ROTARY_KEEP_ROWS
  if constexpr (sizeof(T) <= 4 && kLayout != PairLayout::kHalfToInterleaved) {
    constexpr size_t kPairs = StepPairs<T, kLayout>();
    const bool copies_stay = plan.num_copies == 0 || (in_place && plan.copies_stay);
    if (plan.num_runs != 1 || !copies_stay) return TurnAny<T, kLayout>;
    const size_t n = static_cast<size_t>(plan.runs[0].count);
    const bool tail = n % kPairs != 0;
    if (tail && !SuitsTail<T, kLayout>(in_place, n)) return TurnAny<T, kLayout>;
    in_place &= plan.stays;
    switch (n / kPairs) {
      case 1: return StepsOf<T, kLayout, 1>(in_place, tail);
      case 2: return StepsOf<T, kLayout, 2>(in_place, tail);
      case 3: return StepsOf<T, kLayout, 3>(in_place, tail);
      case 4: return StepsOf<T, kLayout, 4>(in_place, tail);
      case 5: return StepsOf<T, kLayout, 5>(in_place, tail);
      case 6: return StepsOf<T, kLayout, 6>(in_place, tail);
      case 8: return StepsOf<T, kLayout, 8>(in_place, tail);
      default: break;
    }
  }
#endif
  (void)plan, (void)in_place;
  return TurnAny<T, kLayout>;
}

// Turning several tokens at once pays from beyond the core's own caches, and, with tails or several runs, from memory.
template <class T, PairLayout kLayout>
HWY_INLINE bool SuitsTracks(const PlanParts& plan, const Tile& tile) {
  if (HeadsApart(tile.x_head, tile.x_token)) return false;
  const bool whole_steps = plan.num_runs == 1 && static_cast<size_t>(plan.runs[0].count) % StepPairs<T, kLayout>() == 0;
  return tile.distance == Distance::kMemory || (tile.distance == Distance::kSharedCache && whole_steps);
}

template <class T, PairLayout kLayout>
void Rotate(const Tile& tile) noexcept {
  const RotationPlan& p = *tile.plan;
  const PlanParts plan{p.runs.data(), p.copies.data(), p.runs.size(), p.copies.size(), static_cast<size_t>(p.channels),
                       p.stays,       p.copies_stay};
  const bool in_place = tile.x == tile.out;
  const size_t begin = in_place ? static_cast<size_t>(p.turned_begin) * sizeof(T) : 0;
  const size_t end = (in_place ? static_cast<size_t>(p.turned_end) : plan.channels) * sizeof(T);
  const TurnTokens<T> fast = FastWay<T, kLayout>(plan, in_place);
  const bool in_tracks = SuitsTracks<T, kLayout>(plan, tile);
  alignas(64) T stage[static_cast<size_t>(kMaxStagedBytes) / sizeof(T)];
  int64_t token = 0;
  while (token < tile.tokens) {
    const bool turns = tile.rows[token].first != nullptr;
    int64_t alike = 1;  // tokens that turn, or do not, as the first
    while (token + alike < tile.tokens && (tile.rows[token + alike].first != nullptr) == turns) ++alike;
    HeadOrder order(tile, alike, in_tracks);
    const Prefetcher prefetcher(tile, order, begin, end);
    for (int64_t i = 0; i < order.track_tokens; ++i) {
      order.SetJumps(tile, i);
      (turns ? fast : TurnAny<T, kLayout>)(plan, tile, order, token + i, stage, prefetcher);
    }
    token += order.tracks * order.track_tokens;
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
