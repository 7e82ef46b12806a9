// The work of one thread: tiles of tokens, their rows, and the kernel for every tensor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/rotate_kernels.h"
#include "core/rotation_pass.h"

namespace rotary::detail {

constexpr std::int64_t kMaxTileTokens = 32;
constexpr std::int64_t kStackScratchBytes = std::int64_t{64} * 1024;

/// Sequences and tokens of a part.
struct Part {
  std::int64_t batch_begin, batch_end, token_begin, token_end;
};

/// How scratch memory is laid out; every size a multiple of 64.
struct ScratchSizes {
  std::int64_t tile_tokens = 1;
  std::int64_t position_bytes = 0;  ///< of a tile
  std::int64_t row_bytes = 0;       ///< of a token: cos and sin as they come, and arranged
  std::int64_t block_bytes = 0;     ///< heads on their way

  std::int64_t total() const { return position_bytes + tile_tokens * row_bytes + block_bytes; }
};

ScratchSizes scratch_sizes(const RotationPass& pass);

/// Whether the kernel of the plan's own layout can turn the tensor.
bool is_regular(const RotationPlan& plan, const PassTensor& tensor);

/// A tile that starts there: its memory and strides.
Tile tile_at(const PassTensor& tensor, std::int64_t sequence, std::int64_t token, std::int64_t head);

/// For tests: results larger than this are written around the caches; negative for the default.
void set_streaming_bytes(std::int64_t bytes);

class TileRotation {
 public:
  /// \param scratch  [sizes.total()], aligned to 64
  TileRotation(const RotationPass& pass, std::byte* scratch, const ScratchSizes& sizes);

  void run(const Part& part);

 private:
  struct HeadRange {
    std::int64_t begin, end;
  };

  void choose_way(const PassTensor& tensor);
  void read_positions(std::int64_t sequence, std::int64_t token, std::int64_t count);
  void rotate_sequence(std::int64_t sequence, std::int64_t token, std::int64_t count);
  void prepare_rows(const PassTensor& tensor, std::int64_t count, int set);
  template <class Real>
  Row make_row(std::int64_t i, int set);
  void rotate_heads(const PassTensor& tensor, std::int64_t sequence, std::int64_t token, std::int64_t count,
                    HeadRange heads);
  void rotate_streaming(const PassTensor& tensor, const Tile& tile);
  void rotate_one_by_one(const PassTensor& tensor, const Tile& tile);

  const double* position(std::int64_t i) const { return positions_ + i * axes_; }
  std::byte* row_scratch(std::int64_t i) const { return rows_scratch_ + i * sizes_.row_bytes; }

  const RotationPass& pass_;
  const Kernels& kernels_;
  const ScratchSizes& sizes_;
  std::int64_t axes_;
  double* positions_;
  std::byte* rows_scratch_;
  std::byte* block_;
  bool streamed_ = false;

  // How a tensor is turned: the last one's.
  struct Way {
    const PassTensor* tensor = nullptr;
    const RotationPlan* row_plan;
    ArrangeRow arrange;
    RotateTile rotate;
    bool regular, fetch_ahead, streaming;
    Distance distance;
  } way_;

  // What rows_ holds at present.
  struct Prepared {
    const RotationPlan* plan = nullptr;
    DType dtype = DType::kFloat32;
    int set = -1;
    friend bool operator==(const Prepared&, const Prepared&) = default;
  } prepared_;
  bool has_identity_ = false;
  Row rows_[kMaxTileTokens];  // of the tile's tokens only
};

}  // namespace rotary::detail
