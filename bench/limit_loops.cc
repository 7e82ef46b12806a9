#include "bench/limit_loops.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/limit_loops.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include <array>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rotary::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
enum class Store { kOrdinary, kStreaming };

template <Store kStore, bool kNegate, int kUnroll>
HWY_INLINE void Move(std::byte* out, const std::byte* in) {
  const D d;
  const size_t n = hn::Lanes(d);
  hn::VFromD<D> v[kUnroll];
  for (int k = 0; k < kUnroll; ++k)
    v[k] = hn::LoadU(d, reinterpret_cast<const float*>(in) + static_cast<size_t>(k) * n);
  for (int k = 0; k < kUnroll; ++k) {
    float* const to = reinterpret_cast<float*>(out) + static_cast<size_t>(k) * n;
    const auto result = kNegate ? hn::Neg(v[k]) : v[k];
    if (kStore == Store::kStreaming)
      hn::Stream(result, d, to);
    else
      hn::StoreU(result, d, to);
  }
}

// kAhead: bytes to prefetch ahead, 0 for none.
template <Store kStore, bool kNegate, int kUnroll, size_t kAhead>
void Run(const LineRows& lines) {
  const size_t vector = hn::Lanes(D()) * sizeof(float), step = vector * kUnroll;
  for (size_t row = 0; row < lines.rows; ++row) {
    std::byte* const out = lines.out + row * lines.out_step;
    const std::byte* const in = kNegate ? out : lines.in + row * lines.in_step;
    size_t i = 0;
    for (; i + step <= lines.row_bytes; i += step) {
      if (kAhead > 0)
        for (size_t line = 0; line < step; line += 64) hwy::Prefetch(in + i + line + kAhead);
      Move<kStore, kNegate, kUnroll>(out + i, in + i);
    }
    for (; i < lines.row_bytes; i += vector) Move<kStore, kNegate, 1>(out + i, in + i);
  }
  if (kStore == Store::kStreaming) hwy::FlushStream();
}

// The rows that are cut off at the end, or a contiguous row's rest.
LineRows Behind(const LineRows& lines, size_t rows, size_t bytes) {
  LineRows rest = lines;
  rest.out += rows * lines.out_step + bytes;
  if (rest.in != nullptr) rest.in += rows * lines.in_step + bytes;
  rest.rows -= rows;
  rest.row_bytes -= bytes;
  return rest;
}

// Eight rows at once, some lines of each in turn, the next ones prefetched; a contiguous row as rows of two pages.
template <Store kStore, bool kNegate>
void RunTracks(const LineRows& lines) {
  constexpr size_t kTracks = 8, kBlock = 8192, kVisit = 512;
  if (lines.rows == 1 && lines.row_bytes >= kTracks * kBlock) {
    const size_t blocks = lines.row_bytes / kBlock;
    RunTracks<kStore, kNegate>({lines.out, lines.in, blocks, kBlock, kBlock, kBlock});
    return Run<kStore, kNegate, 4, 0>(Behind(lines, 0, blocks * kBlock));
  }
  const size_t vector = hn::Lanes(D()) * sizeof(float), together = lines.rows / kTracks * kTracks;
  const size_t visited = lines.row_bytes / kVisit * kVisit, in_step = kNegate ? lines.out_step : lines.in_step;
  for (size_t first = 0; first < together; first += kTracks)
    for (size_t i = 0; i < visited; i += kVisit)
      for (size_t k = 0; k < kTracks; ++k) {
        std::byte* const out = lines.out + (first + k) * lines.out_step + i;
        const std::byte* const in = kNegate ? out : lines.in + (first + k) * in_step + i;
        const std::byte* const next = i + kVisit < visited ? in + kVisit : in + kTracks * in_step - i;
        for (size_t line = 0; line < kVisit; line += 64) hwy::Prefetch(next + line);
        for (size_t j = 0; j < kVisit; j += 4 * vector) Move<kStore, kNegate, 4>(out + j, in + j);
      }
  LineRows ends = Behind(lines, 0, visited);
  ends.rows = together;
  Run<kStore, kNegate, 1, 0>(ends);
  Run<kStore, kNegate, 4, 0>(Behind(lines, together, 0));
}

constexpr Store kOrdinary = Store::kOrdinary, kStreaming = Store::kStreaming;

std::array<LimitLoop, 6> InPlaceLoops() {
  const std::string target = hwy::TargetName(HWY_TARGET);
  return {{{target + " x = -x by 1", Run<kOrdinary, true, 1, 0>},
           {target + " x = -x by 4", Run<kOrdinary, true, 4, 0>},
           {target + " x = -x by 8", Run<kOrdinary, true, 8, 0>},
           {target + " x = -x by 4, prefetched", Run<kOrdinary, true, 4, 2048>},
           {target + " x = -x by 4, eight at once", RunTracks<kOrdinary, true>},
           {target + " x = -x by 4, streamed", Run<kStreaming, true, 4, 0>}}};
}

std::array<LimitLoop, 6> CopyLoops() {
  const std::string target = hwy::TargetName(HWY_TARGET);
  return {{{target + " copy by 4", Run<kOrdinary, false, 4, 0>},
           {target + " copy by 4, prefetched", Run<kOrdinary, false, 4, 2048>},
           {target + " copy by 1, streamed", Run<kStreaming, false, 1, 0>},
           {target + " copy by 4, streamed", Run<kStreaming, false, 4, 0>},
           {target + " copy by 4, eight at once, streamed", RunTracks<kStreaming, false>},
           {target + " copy by 4, prefetched, streamed", Run<kStreaming, false, 4, 2048>}}};
}

// A vector of pairs of a row; num_pairs must be a multiple of the lanes.
void Table(const TableRows& rows) {
#if HWY_HAVE_FLOAT64
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, hn::ScalableTag<double>> narrow;
  for (size_t row = 0; row < rows.num_rows; ++row)
    for (size_t pair = 0; pair < rows.num_pairs; pair += hn::Lanes(d)) {
      const auto angle = hn::Mul(hn::Set(d, static_cast<double>(row)), hn::LoadU(d, rows.frequencies + pair));
      hn::StoreU(hn::DemoteTo(narrow, hn::Cos(d, angle)), narrow, rows.cos + row * rows.num_pairs + pair);
      hn::StoreU(hn::DemoteTo(narrow, hn::Sin(d, angle)), narrow, rows.sin + row * rows.num_pairs + pair);
    }
#else
  (void)rows;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace rotary::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <algorithm>
#include <cstring>

namespace rotary::bench {
namespace {

HWY_EXPORT(InPlaceLoops);
HWY_EXPORT(CopyLoops);
HWY_EXPORT(Table);

void copy_by_memcpy(const LineRows& lines) {
  if (lines.in_step == lines.row_bytes && lines.out_step == lines.row_bytes) {
    std::memcpy(lines.out, lines.in, lines.rows * lines.row_bytes);
    return;
  }
  for (std::size_t row = 0; row < lines.rows; ++row)
    std::memcpy(lines.out + row * lines.out_step, lines.in + row * lines.in_step, lines.row_bytes);
}

#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
#define ROTARY_BENCH_OF_TARGET(function, target) ((void)(target), HWY_STATIC_DISPATCH(function))
#else
#define ROTARY_BENCH_OF_TARGET(function, target) (HWY_DISPATCH_TABLE(function)[index_of(target)])
std::size_t index_of(std::int64_t target) {
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return chosen.GetIndex();
}
#endif

// The best is not always the fastest at moving memory; the third never is.
std::vector<std::int64_t> best_targets() {
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  targets.resize(std::min<std::size_t>(targets.size(), 2));
  return targets;
}

}  // namespace

std::vector<LimitLoop> in_place_loops() {
  std::vector<LimitLoop> all;
  for (const std::int64_t target : best_targets())
    for (LimitLoop& loop : ROTARY_BENCH_OF_TARGET(InPlaceLoops, target)()) all.push_back(std::move(loop));
  return all;
}

std::vector<LimitLoop> copy_loops() {
  std::vector<LimitLoop> all = {{"memcpy", copy_by_memcpy}};
  for (const std::int64_t target : best_targets())
    for (LimitLoop& loop : ROTARY_BENCH_OF_TARGET(CopyLoops, target)()) all.push_back(std::move(loop));
  return all;
}

TableLoop table_loop() { return ROTARY_BENCH_OF_TARGET(Table, best_targets().front()); }

}  // namespace rotary::bench

#endif  // HWY_ONCE
