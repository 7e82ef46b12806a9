#include "rotary/cos_sin_table.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "core/require.h"
#include "core/table_rows.h"

namespace rotary {
namespace {

using detail::require;
using detail::SharedTableRows;

constexpr double kMaxPosition = 0x1p53;  // every integer below is a double
constexpr double kMaxAngle = 0x1p60;     // what the range reduction can do, with room for a sum over axes

double largest_of(const RotationMap& map) {
  double largest = 0;
  for (const Frequency& f : map.frequency) largest = std::max(largest, std::fabs(f.hi));
  return largest;
}

// Memory for numbers, not initialised. Large tables lie in huge pages where the system has them: a table of 64 MB is
// otherwise made more slowly by the page faults than by the arithmetic, and read with a TLB miss per row.
std::shared_ptr<float[]> make_memory(std::size_t count) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (count * sizeof(float) < 2 * kHugePage) return std::make_shared_for_overwrite<float[]>(count);
  constexpr std::align_val_t kAlignment{kHugePage};
  const std::size_t bytes = (count * sizeof(float) + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = ::operator new(bytes, kAlignment);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  madvise(memory, bytes, MADV_HUGEPAGE);  // advice: nothing depends on the answer
#endif
  return {static_cast<float*>(memory), [](float* p) { ::operator delete(p, kAlignment); }};
}

using Page = std::shared_ptr<const float>;  // [rows][cos, sin][pairs]

void require_size(std::int64_t num_rows, std::size_t pairs, std::string_view function) {
  require(num_rows >= 0, function, "num_rows must not be negative", num_rows);
  const auto limit = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / (2 * sizeof(float)) /
                     std::max<std::size_t>(pairs, 1);
  require<std::length_error>(static_cast<std::size_t>(num_rows) <= limit - CosSinTable::kRowsPerPage, function,
                             "2 * num_rows * pairs floats must fit in memory", num_rows);
}

void require_finite(std::span<const float> values, std::string_view function, const char* name) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      require(false, function, std::string(name) + "[" + std::to_string(i) + "] must be finite", values[i]);
}

}  // namespace

struct CosSinTable::State {
  enum class Kind { kByPosition, kByToken, kGiven };

  SharedTableRows rows;
  std::size_t num_pairs = 0;
  std::size_t num_axes = 1;
  std::int64_t num_rows = 0;
  Kind kind = Kind::kByPosition;
  double largest_frequency = 0;
  std::vector<Page> pages;

  void require_angles(double max_position, std::string_view function) const {
    require(largest_frequency * max_position < kMaxAngle / static_cast<double>(num_axes), function,
            "position * frequency must be below 2^60", largest_frequency * max_position);
  }

  std::size_t row_floats() const { return 2 * num_pairs; }

  // Appends memory for rows, to be filled; returns where it starts.
  float* append(std::int64_t rows_to_come) {
    const auto count = static_cast<std::size_t>(rows_to_come);
    const auto memory = make_memory(count * row_floats());
    for (std::size_t row = 0; row < count; row += kRowsPerPage)
      pages.emplace_back(memory, memory.get() + row * row_floats());
    return memory.get();
  }

  // Appends whole pages until num_rows rows are there; rows are positions.
  void grow() {
    const auto first = static_cast<std::int64_t>(pages.size()) * kRowsPerPage;
    if (num_pairs == 0 || first >= num_rows) return;
    const std::int64_t missing = (num_rows - first + kRowsPerPage - 1) / kRowsPerPage * kRowsPerPage;
    float* cos = append(missing);
    rows->write_range(first, missing, cos, cos + num_pairs, row_floats());
  }

  // Makes every page; rows are tokens.
  void fill(std::span<const double> positions) {
    if (num_pairs == 0 || num_rows == 0) return;
    float* cos = append(num_rows);
    for (std::size_t row = 0; row < static_cast<std::size_t>(num_rows); ++row, cos += row_floats())
      rows->write(&positions[row * num_axes], cos, cos + num_pairs);
  }

  const float* row(std::int64_t index, std::string_view function) const {
    if (index < 0 || index >= num_rows) [[unlikely]]
      require<std::out_of_range>(false, function,
                                 "row must be in 0 .. num_rows-1, num_rows = " + std::to_string(num_rows), index);
    if (num_pairs == 0) return nullptr;
    const auto at = static_cast<std::size_t>(index);
    return pages[at / kRowsPerPage].get() + at % kRowsPerPage * row_floats();
  }

  static CosSinTable positions_table(const RotationMap& map, std::int64_t num_rows, SharedTableRows rows);
  static CosSinTable tokens_table(const RotationMap& map, std::span<const double> positions, SharedTableRows rows);
};

CosSinTable CosSinTable::State::positions_table(const RotationMap& map, std::int64_t num_rows, SharedTableRows rows) {
  constexpr std::string_view kFunction = "CosSinTable::by_position";
  for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair)
    require(axis_of(map, pair) != -2, kFunction, "every pair must be turned by one axis, unlike pair", pair);
  require_size(num_rows, map.pairs.size(), kFunction);
  auto state = std::make_shared<State>(State{std::move(rows),
                                             map.pairs.size(),
                                             static_cast<std::size_t>(map.num_axes),
                                             num_rows,
                                             Kind::kByPosition,
                                             largest_of(map),
                                             {}});
  state->require_angles(static_cast<double>(num_rows), kFunction);
  state->grow();
  return CosSinTable(std::move(state));
}

CosSinTable CosSinTable::State::tokens_table(const RotationMap& map, std::span<const double> positions,
                                             SharedTableRows rows) {
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
  const auto num_rows = static_cast<std::int64_t>(positions.size() / axes);
  require_size(num_rows, map.pairs.size(), kFunction);
  auto state = std::make_shared<State>(
      State{std::move(rows), map.pairs.size(), axes, num_rows, Kind::kByToken, largest_of(map), {}});
  state->require_angles(largest, kFunction);
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
  return State::positions_table(map, num_rows, detail::ggml_rows(detail::GgmlAngles(spec, seq_len)));
}

CosSinTable CosSinTable::by_position(const GgmlRotation& parameters, std::int64_t num_rows) {
  return State::positions_table(make_rotation_map(parameters), num_rows,
                                detail::ggml_rows(detail::GgmlAngles(parameters)));
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
                             detail::ggml_rows(detail::GgmlAngles(spec, seq_len)));
}

CosSinTable CosSinTable::from_values(std::span<const float> cos, std::span<const float> sin, std::int64_t num_pairs) {
  constexpr std::string_view kFunction = "CosSinTable::from_values";
  require(num_pairs > 0, kFunction, "num_pairs must be positive", num_pairs);
  const auto pairs = static_cast<std::size_t>(num_pairs);
  require(cos.size() % pairs == 0, kFunction, "cos must be [num_rows][num_pairs] numbers", cos.size());
  require(sin.size() == cos.size(), kFunction, "sin must be as many numbers as cos, " + std::to_string(cos.size()),
          sin.size());
  require_finite(cos, kFunction, "cos");
  require_finite(sin, kFunction, "sin");
  const std::size_t num_rows = cos.size() / pairs;
  State state{{}, pairs, 1, static_cast<std::int64_t>(num_rows), State::Kind::kGiven, 0, {}};
  float* out = num_rows > 0 ? state.append(state.num_rows) : nullptr;
  for (std::size_t row = 0; row < num_rows; ++row)
    for (const auto& values : {cos, sin}) out = std::copy_n(&values[row * pairs], pairs, out);
  return CosSinTable(std::make_shared<State>(std::move(state)));
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
  require(state_->kind == State::Kind::kByPosition, "CosSinTable::grown", "the table must be one by position",
          state_->kind == State::Kind::kByToken ? "one by token" : "a given one");
  if (num_rows <= state_->num_rows) return *this;
  require_size(num_rows, state_->num_pairs, "CosSinTable::grown");
  state_->require_angles(static_cast<double>(num_rows), "CosSinTable::grown");
  auto state = std::make_shared<State>(*state_);
  state->num_rows = num_rows;
  state->grow();
  return CosSinTable(std::move(state));
}

std::size_t CosSinTable::size_bytes() const {
  const bool in_pages = state_->kind == State::Kind::kByPosition;
  const auto rows = in_pages ? static_cast<std::int64_t>(state_->pages.size()) * kRowsPerPage : num_rows();
  return static_cast<std::size_t>(rows) * state_->row_floats() * sizeof(float);
}

}  // namespace rotary
