#include "core/tile_rotation.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "core/gathered_rotation.h"

namespace rotary::detail {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{16} * 1024;
constexpr std::int64_t kRowsBytes = std::int64_t{44} * 1024;

std::int64_t rounded_up(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

std::int64_t element_bytes(const ConstTensorView& x) { return static_cast<std::int64_t>(size_of(x.dtype)); }

std::int64_t head_bytes(const ConstTensorView& x) { return x.shape[3] * element_bytes(x); }

bool unit_channels(const PassTensor& t) { return t.x.shape[3] <= 1 || (t.x.strides[3] == 1 && t.out.strides[3] == 1); }

// A result larger than this is not read from the caches soon. Large shared last levels hold less for one process than
// they report: streaming already wins at 16 MiB where 480 MiB are reported.
std::int64_t default_streaming_bytes() {
  constexpr std::int64_t kLargest = 16 << 20;
#ifdef _SC_LEVEL3_CACHE_SIZE
  const std::int64_t cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (cache > 0) return std::min(cache / 2, kLargest);
#endif
  return kLargest / 2;
}

std::atomic<std::int64_t>& streaming_bytes() {
  static std::atomic<std::int64_t> bytes = default_streaming_bytes();
  return bytes;
}

// Heads of the result that fill cache lines.
bool is_whole_lines(const Tile& tile, std::int64_t head_bytes) {
  constexpr std::int64_t kLine = 64;
  return head_bytes <= kMaxStagedBytes && head_bytes % kLine == 0 && tile.out_token % kLine == 0 &&
         tile.out_head % kLine == 0 && reinterpret_cast<std::uintptr_t>(tile.out) % kLine == 0;
}

std::int64_t tensor_bytes(const ConstTensorView& x) { return x.shape[0] * x.shape[1] * x.shape[2] * head_bytes(x); }

Distance distance_of(const PassTensor& t) {
  if (t.x.shape[1] == 1) return Distance::kNear;
  const std::int64_t cached = streaming_bytes().load(std::memory_order_relaxed), bytes = tensor_bytes(t.x);
  if (bytes > 6 * cached) return Distance::kMemory;
  return bytes > cached / 4 ? Distance::kSharedCache : Distance::kNear;
}

// Not what has just been computed and is near.
bool wants_fetching(const PassTensor& t) {
  constexpr std::int64_t kNear = 1 << 20;
  return t.x.shape[1] > 1 && tensor_bytes(t.x) > kNear;
}

bool wants_streaming(const PassTensor& t) {
  return !t.in_place && tensor_bytes(t.x) > streaming_bytes().load(std::memory_order_relaxed);
}

}  // namespace

bool is_regular(const RotationPlan& plan, const PassTensor& t) {
  return plan.regular && unit_channels(t) && (plan.stays || !t.in_place || head_bytes(t.x) <= kMaxStagedBytes);
}

Tile tile_at(const PassTensor& t, std::int64_t sequence, std::int64_t token, std::int64_t head) {
  const std::int64_t size = element_bytes(t.x);
  const auto &from = t.x.strides, &to = t.out.strides;
  Tile tile;
  tile.x = static_cast<const std::byte*>(t.x.data) + (sequence * from[0] + token * from[1] + head * from[2]) * size;
  tile.out = static_cast<std::byte*>(t.out.data) + (sequence * to[0] + token * to[1] + head * to[2]) * size;
  tile.x_token = from[1] * size;
  tile.x_head = from[2] * size;
  tile.out_token = to[1] * size;
  tile.out_head = to[2] * size;
  return tile;
}

void set_streaming_bytes(std::int64_t bytes) { streaming_bytes() = bytes < 0 ? default_streaming_bytes() : bytes; }

ScratchSizes scratch_sizes(const RotationPass& pass) {
  ScratchSizes sizes;
  std::int64_t real = sizeof(float);
  sizes.block_bytes = kBlockBytes;
  for (const PassTensor& t : pass.tensors) {
    if (t.x.dtype == DType::kFloat64) real = sizeof(double);
    sizes.block_bytes = std::max(sizes.block_bytes, rounded_up(gathered_bytes(*pass.plan, t.x.dtype)));
  }
  sizes.row_bytes = rounded_up(6 * pass.rows->num_pairs() * real);
  const std::int64_t axes = pass.rows->num_axes();
  const std::int64_t token_bytes = sizes.row_bytes + axes * static_cast<std::int64_t>(sizeof(double));
  if (pass.tokens > 1)
    sizes.tile_tokens =
        std::clamp<std::int64_t>(kRowsBytes / std::max<std::int64_t>(token_bytes, 1), 1, kMaxTileTokens);
  if (sizes.tile_tokens > kTracks) sizes.tile_tokens -= sizes.tile_tokens % kTracks;
  sizes.position_bytes = rounded_up(sizes.tile_tokens * axes * static_cast<std::int64_t>(sizeof(double)));
  return sizes;
}

TileRotation::TileRotation(const RotationPass& pass, std::byte* scratch, const ScratchSizes& sizes)
    : pass_(pass),
      kernels_(kernels()),
      sizes_(sizes),
      axes_(pass.rows->num_axes()),
      positions_(reinterpret_cast<double*>(scratch)),
      rows_scratch_(scratch + sizes.position_bytes),
      block_(rows_scratch_ + sizes.tile_tokens * sizes.row_bytes) {}

void TileRotation::run(const Part& part) {
  const bool shared = pass_.positions->same_for_all_sequences();
  const std::int64_t step = sizes_.tile_tokens;
  const std::int64_t sequences = shared ? 1 : part.batch_end - part.batch_begin;
  for (std::int64_t i = 0; i < sequences; ++i) {
    const std::int64_t first = part.batch_begin + i, last = shared ? part.batch_end : first + 1;
    for (std::int64_t token = part.token_begin; token < part.token_end; token += step) {
      const std::int64_t count = std::min(step, part.token_end - token);
      read_positions(first, token, count);
      for (std::int64_t sequence = first; sequence < last; ++sequence) rotate_sequence(sequence, token, count);
    }
  }
  if (streamed_) kernels_.fence();
}

void TileRotation::read_positions(std::int64_t sequence, std::int64_t token, std::int64_t count) {
  pass_.positions->read(sequence, token, count, positions_, axes_);
  has_identity_ = false;
  for (std::int64_t i = 0; i < count; ++i) has_identity_ |= pass_.rows->is_identity(position(i));
  prepared_ = {};
}

void TileRotation::choose_way(const PassTensor& t) {
  if (way_.tensor == &t) return;
  way_.tensor = &t;
  way_.regular = is_regular(*pass_.plan, t);
  way_.streaming = wants_streaming(t);
  way_.fetch_ahead = wants_fetching(t);
  way_.distance = distance_of(t);
  const int dtype = static_cast<int>(t.x.dtype);
  way_.row_plan = way_.regular ? pass_.plan : pass_.halves;
  way_.arrange = kernels_.arrange[dtype][static_cast<int>(way_.row_plan->layout)];
  way_.rotate = kernels_.rotate[dtype][static_cast<int>(pass_.plan->layout)];
}

void TileRotation::rotate_sequence(std::int64_t sequence, std::int64_t token, std::int64_t count) {
  for (const PassTensor& tensor : pass_.tensors) {
    const std::int64_t heads = tensor.x.shape[2];
    if (heads == 0) continue;
    choose_way(tensor);
    const std::int64_t groups = pass_.rows->num_sets() == 1 ? 1 : heads;
    for (std::int64_t set = 0; set < groups; ++set) {
      prepare_rows(tensor, count, static_cast<int>(set));
      rotate_heads(tensor, sequence, token, count, groups == 1 ? HeadRange{0, heads} : HeadRange{set, set + 1});
    }
  }
}

template <class Real>
Row TileRotation::make_row(std::int64_t i, int set) {
  const Real* cos = pass_.rows->row(set, position(i), reinterpret_cast<Real*>(row_scratch(i)));
  return {cos, cos + pass_.rows->num_pairs()};
}

void TileRotation::prepare_rows(const PassTensor& tensor, std::int64_t count, int set) {
  const Prepared wanted{way_.row_plan, tensor.x.dtype, set};
  if (wanted == prepared_) return;
  prepared_ = wanted;
  const auto same_as_before = [&](std::int64_t i) {
    return i > 0 && std::equal(position(i), position(i) + axes_, position(i - 1));
  };
  const bool is_double = tensor.x.dtype == DType::kFloat64;
  for (std::int64_t i = 0; i < count; ++i) {
    if (has_identity_ && pass_.rows->is_identity(position(i)))
      rows_[i] = {};
    else if (same_as_before(i))
      rows_[i] = rows_[i - 1];
    else
      rows_[i] = is_double ? make_row<double>(i, set) : make_row<float>(i, set);
  }
  if (way_.arrange == nullptr) return;
  // Apart: what was just written in pieces is not read in whole vectors.
  const std::int64_t row_bytes =
      2 * pass_.rows->num_pairs() * static_cast<std::int64_t>(is_double ? sizeof(double) : sizeof(float));
  for (std::int64_t i = 0; i < count; ++i) {
    if (rows_[i].first == nullptr) continue;
    if (same_as_before(i))
      rows_[i] = rows_[i - 1];
    else
      way_.arrange(*way_.row_plan, rows_[i], row_scratch(i) + row_bytes);
  }
}

void TileRotation::rotate_heads(const PassTensor& t, std::int64_t sequence, std::int64_t token, std::int64_t count,
                                HeadRange heads) {
  Tile tile = tile_at(t, sequence, token, heads.begin);
  tile.plan = pass_.plan;
  tile.rows = rows_;
  tile.tokens = count;
  tile.heads = heads.end - heads.begin;
  tile.fetch_ahead = way_.fetch_ahead;
  tile.distance = way_.distance;
  if (!way_.regular || (has_identity_ && !pass_.plan->stays)) return rotate_one_by_one(t, tile);
  if (way_.streaming) return rotate_streaming(t, tile);
  way_.rotate(tile);
}

// Tokens that a kernel cannot do: irregular plans, channels apart, and moved channels of a token that is not turned.
void TileRotation::rotate_one_by_one(const PassTensor& t, const Tile& tile) {
  const std::int64_t size = element_bytes(t.x);
  for (std::int64_t i = 0; i < tile.tokens; ++i) {
    Tile one = tile;
    one.rows += i;
    one.tokens = 1;
    one.x += i * tile.x_token;
    one.out += i * tile.out_token;
    if (way_.regular && one.rows->first != nullptr) {
      way_.rotate(one);
      continue;
    }
    rotate_gathered({pass_.plan, t.x.dtype, one.heads, one.x, one.out, one.x_head, t.x.strides[3] * size, one.out_head,
                     t.out.strides[3] * size},
                    *pass_.halves, *one.rows, block_, sizes_.block_bytes);
  }
}

// Head by head where heads are whole cache lines; else through a block in the cache, in the order of the output's
// memory, where heads or tokens follow each other.
void TileRotation::rotate_streaming(const PassTensor& t, const Tile& tile) {
  const std::int64_t bytes = head_bytes(t.x);
  const bool heads_inside = tile.out_head == bytes || tile.heads == 1, whole = is_whole_lines(tile, bytes);
  if (!whole && !heads_inside && tile.out_token != bytes) return way_.rotate(tile);
  streamed_ = true;
  if (whole) {
    Tile direct = tile;
    direct.stream = true;
    return way_.rotate(direct);
  }
  const std::int64_t capacity = std::max<std::int64_t>(1, sizes_.block_bytes / bytes);
  const std::int64_t outer = heads_inside ? tile.tokens : tile.heads, inner = heads_inside ? tile.heads : tile.tokens;
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t j = 0; j < inner; j += capacity) {
      const std::int64_t token = heads_inside ? i : j, head = heads_inside ? j : i;
      const std::int64_t n = std::min(capacity, inner - j);
      Tile block = tile;
      block.rows += token;
      (heads_inside ? block.heads : block.tokens) = n;
      (heads_inside ? block.tokens : block.heads) = 1;
      block.distance = Distance::kNear;
      block.x += token * tile.x_token + head * tile.x_head;
      block.out = block_;
      block.out_token = block.out_head = bytes;
      way_.rotate(block);
      kernels_.stream(tile.out + token * tile.out_token + head * tile.out_head, block_,
                      static_cast<std::size_t>(n * bytes));
    }
  }
}

}  // namespace rotary::detail
