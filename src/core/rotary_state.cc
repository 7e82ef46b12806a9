#include "core/rotary_state.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/ggml_angles.h"
#include "core/require.h"

namespace rotary {
namespace {

using detail::DoubleDouble;
using detail::PlanUse;
using detail::require;

std::vector<std::int32_t> pair_axes(const RotationMap& map) {
  std::vector<std::int32_t> axes;
  for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair) axes.push_back(std::max(0, axis_of(map, pair)));
  return axes;
}

double largest_frequency(const RotationMap& map) {
  double largest = 0;
  for (const Frequency& f : map.frequency) largest = std::max(largest, std::fabs(f.hi));
  return largest * map.num_axes;
}

// Angle of every pair in order; product(frequency, position) is the arithmetic's.
template <class Product>
Rotary::State::AngleWriter sum_of_products(const RotationMap& map, Product product) {
  return [map, product](int set, const double* position, DoubleDouble* angles) {
    for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair) {
      DoubleDouble angle;
      for (int axis = 0; axis < map.num_axes; ++axis) angle = angle + product(map.at(set, pair, axis), position[axis]);
      angles[pair] = angle;
    }
  };
}

Rotary::State::AngleWriter map_angles(const RotationMap& map, Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kExact)
    return sum_of_products(map, [](const Frequency& f, double m) { return DoubleDouble{f.hi, f.lo} * m; });
  return sum_of_products(map, [](const Frequency& f, double m) {
    return DoubleDouble{detail::to_float({f.hi, f.lo}) * static_cast<float>(m)};
  });
}

Rotary::State::AngleWriter ggml_angles(const detail::GgmlAngles& ggml) {
  return [ggml](int, const double* position, DoubleDouble* angles) {
    std::vector<float> values(ggml.num_pairs());
    ggml.angles(position, values);
    for (std::size_t i = 0; i < values.size(); ++i) angles[i] = {values[i], 0};
  };
}

// All but what depends on the arithmetic. With `drop_still`, pairs that never turn pass.
Rotary::State state_of(RotationMap map, Arithmetic arithmetic, std::int64_t table_rows, bool drop_still) {
  Rotary::State state;
  require(table_rows >= 0, "Rotary", "table_rows must not be negative", table_rows);
  state.layout = layout_class(map);
  state.arithmetic = arithmetic;
  state.table_rows = detail::has_pair_of_several_axes(map) ? 0 : table_rows;
  state.pair_axes = pair_axes(map);
  state.largest_frequency = largest_frequency(map);
  const bool passes_still_pairs = drop_still && map.attention_factor == 1;
  state.forward = make_plan(map, PlanUse::kForward, passes_still_pairs);
  state.backward = make_plan(map, PlanUse::kBackward, passes_still_pairs);
  state.shift = make_plan(map, PlanUse::kOnOutputs, true);
  state.move = make_plan(map, PlanUse::kOnOutputs, false);
  state.halves = detail::halves_plan(static_cast<int>(map.pairs.size()));
  state.map = std::move(map);
  return state;
}

Rotary::State map_state(RotationMap map, std::int64_t table_rows, Arithmetic arithmetic) {
  validate_map(map);
  require(arithmetic != Arithmetic::kGgml, "Rotary", "arithmetic must be one that needs no RopeSpec",
          to_string(arithmetic));
  Rotary::State state = state_of(std::move(map), arithmetic, table_rows, true);
  for (int set = 0; set < state.map.num_sets; ++set) {
    state.rows.push_back(detail::map_rows(state.map, arithmetic, set, "Rotary"));
    if (state.table_rows > 0)
      state.tables.push_back(CosSinTable::by_position(state.map, state.table_rows, arithmetic, set));
  }
  state.write_angles = map_angles(state.map, arithmetic);
  return state;
}

Rotary::State ggml_state(RotationMap map, const detail::GgmlAngles& ggml, std::int64_t table_rows) {
  validate_map(map);
  Rotary::State state = state_of(std::move(map), Arithmetic::kGgml, table_rows, true);
  state.rows.push_back(detail::ggml_rows(ggml));
  state.write_angles = ggml_angles(ggml);
  return state;
}

Rotary::State ggml_state(const RopeSpec& spec, std::int64_t table_rows, std::int64_t seq_len) {
  Rotary::State state =
      ggml_state(make_rotation_map(spec, seq_len, Arithmetic::kGgml), detail::GgmlAngles(spec, seq_len), table_rows);
  if (state.table_rows > 0)
    state.tables.push_back(CosSinTable::by_position(spec, state.table_rows, Arithmetic::kGgml, seq_len));
  return state;
}

Rotary::State ggml_state(const GgmlRotation& parameters, std::int64_t table_rows) {
  Rotary::State state = ggml_state(make_rotation_map(parameters), detail::GgmlAngles(parameters), table_rows);
  if (state.table_rows > 0) state.tables.push_back(CosSinTable::by_position(parameters, state.table_rows));
  return state;
}

// Every pair from the row that its axis names.
class GivenRows final : public detail::TableRows {
 public:
  GivenRows(const RotationMap& map, CosSinTable table) : TableRows(map.num_axes), table_(std::move(table)) {
    for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair)
      axis_.push_back(std::max(0, axis_of(map, pair)));
  }

  void write(const double* position, float* cos, float* sin) const override {
    for (std::size_t pair = 0; pair < axis_.size(); ++pair) {
      const auto row = static_cast<std::int64_t>(position[axis_[pair]]);
      cos[pair] = table_.cos(row)[pair];
      sin[pair] = table_.sin(row)[pair];
    }
  }

 private:
  CosSinTable table_;
  std::vector<int> axis_;
};

Rotary::State given_state(RotationMap map, CosSinTable table) {
  validate_map(map);
  require(table.num_pairs() == static_cast<std::int64_t>(map.pairs.size()), "Rotary",
          "table must have the map's pairs, " + std::to_string(map.pairs.size()), table.num_pairs());
  require(map.num_sets == 1, "Rotary", "map.num_sets must be 1 for a given table", map.num_sets);
  require(!detail::has_pair_of_several_axes(map), "Rotary",
          "every pair of the map must have one axis for a given table", "several");
  Rotary::State state = state_of(std::move(map), Arithmetic::kExact, table.num_rows(), false);
  state.table_given = true;
  state.largest_frequency = 0;
  state.rows.push_back(std::make_shared<GivenRows>(state.map, table));
  state.tables.push_back(std::move(table));
  return state;
}

}  // namespace

Rotary::Rotary(const GgmlRotation& parameters, std::int64_t table_rows)
    : state_(std::make_shared<State>(ggml_state(parameters, table_rows))) {}

Rotary::Rotary(RotationMap map, CosSinTable table)
    : state_(std::make_shared<State>(given_state(std::move(map), std::move(table)))) {}

Rotary::Rotary(RotationMap map, std::int64_t table_rows, Arithmetic arithmetic)
    : state_(std::make_shared<State>(map_state(std::move(map), table_rows, arithmetic))) {}

Rotary::Rotary(const RopeSpec& spec, std::int64_t table_rows, Arithmetic arithmetic, std::int64_t seq_len)
    : state_(std::make_shared<State>(
          arithmetic == Arithmetic::kGgml
              ? ggml_state(spec, table_rows, seq_len)
              : map_state(make_rotation_map(spec, seq_len, arithmetic), table_rows, arithmetic))) {}

const RotationMap& Rotary::map() const { return state_->map; }
LayoutClass Rotary::layout() const { return state_->layout; }
Arithmetic Rotary::arithmetic() const { return state_->arithmetic; }
std::int64_t Rotary::table_rows() const { return state_->table_rows; }

}  // namespace rotary
