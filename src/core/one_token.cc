#include "core/one_token.h"

#include <algorithm>
#include <variant>

#include "core/tile_rotation.h"

namespace rotary::detail {
namespace {

constexpr std::int64_t kMostPairs = 256;  // whose row, arranged, has a place on the stack

// The row of the table, or null: beyond it, for the identity, and where the options have a say.
const float* row_of(const Rotary::State& state, const Positions& positions, const ApplyOptions& options) {
  const auto* range = std::get_if<PositionRange>(&positions);
  if (range == nullptr || options.limit || state.tables.size() != 1 || state.num_pairs() > kMostPairs) return nullptr;
  if (range->first <= 0 || range->first >= state.table_rows) return nullptr;
  return state.tables.front().cos(range->first).data();
}

}  // namespace

bool rotate_one_token(const Rotary::State& state, std::span<const PassTensor> tensors, const Positions& positions,
                      const ApplyOptions& options) {
  const RotationPlan& plan = state.forward;
  const auto& shape = tensors.front().x.shape;
  const auto simple = [&](const PassTensor& t) { return t.x.dtype != DType::kFloat64 && is_regular(plan, t); };
  if (shape[0] != 1 || shape[1] != 1 || !std::all_of(tensors.begin(), tensors.end(), simple)) return false;
  const float* cos = row_of(state, positions, options);
  if (cos == nullptr) return false;
  const Kernels& all = kernels();
  const auto layout = static_cast<std::size_t>(plan.layout);
  for (const PassTensor& t : tensors) {
    const auto dtype = static_cast<std::size_t>(t.x.dtype);
    alignas(64) float arranged[4 * kMostPairs];
    Row row{cos, cos + state.num_pairs()};
    if (const ArrangeRow arrange = all.arrange[dtype][layout]) arrange(plan, row, arranged);
    Tile tile = tile_at(t, 0, 0, 0);
    tile.plan = &plan;
    tile.rows = &row;
    tile.tokens = 1;
    tile.heads = t.x.shape[2];
    tile.fetch_ahead = false;
    all.rotate[dtype][layout](tile);
  }
  return true;
}

}  // namespace rotary::detail
