#include "rotary/cos_sin_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "core/require.h"
#include "core/table_rows.h"

namespace rotary {
namespace {

using detail::require;
using detail::RowWriter;

constexpr double kMaxPosition = 0x1p53;  // every integer below is a double
constexpr double kMaxAngle = 0x1p60;     // what the range reduction can do, with room for a sum over axes

void require_angles(const RotationMap& map, double max_position, std::string_view function) {
  double largest = 0;
  for (const Frequency& f : map.frequency) largest = std::max(largest, std::fabs(f.hi));
  require(largest * max_position < kMaxAngle / map.num_axes, function, "position * frequency must be below 2^60",
          largest * max_position);
}

using Page = std::vector<float>;  // [rows][cos, sin][pairs]
using Pages = std::vector<std::shared_ptr<const Page>>;

// position_of(row): [num_axes], asked for row 0, 1, ...
template <class PositionOf>
std::shared_ptr<const Page> make_page(const RowWriter& write, std::size_t rows, std::size_t pairs,
                                      const PositionOf& position_of) {
  auto page = std::make_shared<Page>(rows * 2 * pairs);
  for (std::size_t row = 0; row < rows; ++row) {
    float* cos = page->data() + row * 2 * pairs;
    write(position_of(row), cos, cos + pairs);
  }
  return page;
}

void require_size(std::int64_t num_rows, std::size_t pairs, std::string_view function) {
  require(num_rows >= 0, function, "num_rows must not be negative", num_rows);
  const auto limit = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / (2 * sizeof(float)) /
                     std::max<std::size_t>(pairs, 1);
  require<std::length_error>(static_cast<std::size_t>(num_rows) <= limit - CosSinTable::kRowsPerPage, function,
                             "2 * num_rows * pairs floats must fit in memory", num_rows);
}

}  // namespace

struct CosSinTable::State {
  RowWriter write;
  std::size_t num_pairs = 0;
  std::size_t num_axes = 1;
  std::int64_t num_rows = 0;
  bool by_position = true;
  Pages pages;

  // Appends pages until num_rows rows are there; rows are positions.
  void grow() {
    if (num_pairs == 0) return;
    std::vector<double> position(num_axes);
    while (static_cast<std::int64_t>(pages.size()) * kRowsPerPage < num_rows) {
      const auto first = static_cast<std::int64_t>(pages.size()) * kRowsPerPage;
      pages.push_back(make_page(write, kRowsPerPage, num_pairs, [&](std::size_t row) {
        std::fill(position.begin(), position.end(), static_cast<double>(first + static_cast<std::int64_t>(row)));
        return position.data();
      }));
    }
  }

  // Makes every page; rows are tokens.
  void fill(std::span<const double> positions) {
    for (std::size_t first = 0; num_pairs > 0 && first < static_cast<std::size_t>(num_rows); first += kRowsPerPage) {
      const std::size_t rows = std::min<std::size_t>(kRowsPerPage, static_cast<std::size_t>(num_rows) - first);
      pages.push_back(
          make_page(write, rows, num_pairs, [&](std::size_t row) { return &positions[(first + row) * num_axes]; }));
    }
  }

  const float* row(std::int64_t index, std::string_view function) const {
    if (index < 0 || index >= num_rows) [[unlikely]]
      require<std::out_of_range>(false, function,
                                 "row must be in 0 .. num_rows-1, num_rows = " + std::to_string(num_rows), index);
    if (num_pairs == 0) return nullptr;
    return pages[static_cast<std::size_t>(index / kRowsPerPage)]->data() +
           static_cast<std::size_t>(index % kRowsPerPage) * 2 * num_pairs;
  }

  static CosSinTable positions_table(const RotationMap& map, std::int64_t num_rows, RowWriter write);
  static CosSinTable tokens_table(const RotationMap& map, std::span<const double> positions, RowWriter write);
};

CosSinTable CosSinTable::State::positions_table(const RotationMap& map, std::int64_t num_rows, RowWriter write) {
  constexpr std::string_view kFunction = "CosSinTable::by_position";
  for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair)
    require(axis_of(map, pair) != -2, kFunction, "every pair must be turned by one axis, unlike pair", pair);
  require_size(num_rows, map.pairs.size(), kFunction);
  require_angles(map, static_cast<double>(num_rows), kFunction);
  auto state = std::make_shared<State>(
      State{std::move(write), map.pairs.size(), static_cast<std::size_t>(map.num_axes), num_rows, true, {}});
  state->grow();
  return CosSinTable(std::move(state));
}

CosSinTable CosSinTable::State::tokens_table(const RotationMap& map, std::span<const double> positions,
                                             RowWriter write) {
  constexpr std::string_view kFunction = "CosSinTable::by_token";
  const auto axes = static_cast<std::size_t>(map.num_axes);
  require(positions.size() % axes == 0, kFunction,
          "positions must be [num_tokens][" + std::to_string(axes) + "] numbers", positions.size());
  double largest = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double size = std::fabs(positions[i]);
    if (!(size < kMaxPosition))
      require(false, kFunction, "positions[" + std::to_string(i) + "] must be finite and below 2^53 in magnitude",
              positions[i]);
    largest = std::max(largest, size);
  }
  require_angles(map, largest, kFunction);
  const auto num_rows = static_cast<std::int64_t>(positions.size() / axes);
  require_size(num_rows, map.pairs.size(), kFunction);
  auto state = std::make_shared<State>(State{std::move(write), map.pairs.size(), axes, num_rows, false, {}});
  state->fill(positions);
  return CosSinTable(std::move(state));
}

CosSinTable::CosSinTable(std::shared_ptr<const State> state) : state_(std::move(state)) {}

CosSinTable CosSinTable::by_position(const RotationMap& map, std::int64_t num_rows, Arithmetic arithmetic, int set) {
  validate_map(map);
  return State::positions_table(map, num_rows, detail::map_rows(map, arithmetic, set, "CosSinTable::by_position"));
}

CosSinTable CosSinTable::by_position(const RopeSpec& spec, std::int64_t num_rows, Arithmetic arithmetic,
                                     std::int64_t seq_len) {
  const RotationMap map = make_rotation_map(spec, seq_len, arithmetic);
  if (arithmetic != Arithmetic::kGgml) return by_position(map, num_rows, arithmetic);
  return State::positions_table(map, num_rows, detail::ggml_rows(spec, seq_len));
}

CosSinTable CosSinTable::by_token(const RotationMap& map, std::span<const double> positions, Arithmetic arithmetic,
                                  int set) {
  validate_map(map);
  return State::tokens_table(map, positions, detail::map_rows(map, arithmetic, set, "CosSinTable::by_token"));
}

CosSinTable CosSinTable::by_token(const RotationMap& map, std::span<const std::int64_t> positions,
                                  Arithmetic arithmetic, int set) {
  return by_token(map, std::vector<double>(positions.begin(), positions.end()), arithmetic, set);
}

CosSinTable CosSinTable::by_token(const RopeSpec& spec, std::span<const std::int64_t> positions, Arithmetic arithmetic,
                                  std::int64_t seq_len) {
  const RotationMap map = make_rotation_map(spec, seq_len, arithmetic);
  if (arithmetic != Arithmetic::kGgml) return by_token(map, positions, arithmetic);
  return State::tokens_table(map, std::vector<double>(positions.begin(), positions.end()),
                             detail::ggml_rows(spec, seq_len));
}

std::int64_t CosSinTable::num_rows() const { return state_->num_rows; }
std::int64_t CosSinTable::num_pairs() const { return static_cast<std::int64_t>(state_->num_pairs); }

std::span<const float> CosSinTable::cos(std::int64_t row) const {
  return {state_->row(row, "CosSinTable::cos"), state_->num_pairs};
}

std::span<const float> CosSinTable::sin(std::int64_t row) const {
  const float* cos = state_->row(row, "CosSinTable::sin");
  return {cos + state_->num_pairs, state_->num_pairs};
}

CosSinTable CosSinTable::grown(std::int64_t num_rows) const {
  require(state_->by_position, "CosSinTable::grown", "the table must be one by position", "one by token");
  if (num_rows <= state_->num_rows) return *this;
  require_size(num_rows, state_->num_pairs, "CosSinTable::grown");
  auto state = std::make_shared<State>(*state_);
  state->num_rows = num_rows;
  state->grow();
  return CosSinTable(std::move(state));
}

std::size_t CosSinTable::size_bytes() const {
  std::size_t bytes = 0;
  for (const auto& page : state_->pages) bytes += page->size() * sizeof(float);
  return bytes;
}

}  // namespace rotary
