#include "report/rotation_numbers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/require.h"
#include "report/number_text.h"
#include "rotary/bands.h"

namespace rotary::report {
namespace {

constexpr double kUnknownLimit = 131072, kLargestLimit = 0x1p40;

}  // namespace

void validate_rotations(std::span<const NamedRotation> rotations, const char* function) {
  using detail::require;
  require(!rotations.empty(), function, "rotations must not be empty", rotations.size());
  for (const NamedRotation& r : rotations) {
    validate_spec(r.spec);
    validate_map(r.map);
    require(rotary_dim(r.map) > 0, function, "map of '" + r.name + "' must turn a pair", rotary_dim(r.map));
    require(r.seq_len >= 0, function, "seq_len of '" + r.name + "' must not be negative", r.seq_len);
  }
}

std::vector<double> frequencies_of(const RotationMap& map) {
  std::vector<double> out;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    double sum = 0;
    for (int axis = 0; axis < map.num_axes; ++axis) sum += map.at(0, i, axis).hi;
    out.push_back(sum);
  }
  return out;
}

std::vector<double> unscaled_frequencies(const RopeSpec& spec) {
  RopeSpec plain = spec;
  plain.scaling = DefaultScaling{};
  return frequencies_of(make_rotation_map(plain));
}

bool is_scaled(const RopeSpec& spec) {
  return !std::holds_alternative<DefaultScaling>(spec.scaling) &&
         !std::holds_alternative<GivenFrequencies>(spec.scaling);
}

double limit_of(const RopeSpec& spec) {
  const double limit = spec.max_position > 0 ? spec.max_position : trained_length(spec);
  return limit >= 1 ? std::min(limit, kLargestLimit) : kUnknownLimit;
}

std::vector<std::int64_t> octave_positions(std::int64_t last, int per_octave) {
  std::vector<std::int64_t> out;
  for (int i = 0;; ++i) {
    const auto position = static_cast<std::int64_t>(std::llround(std::exp2(static_cast<double>(i) / per_octave)));
    if (position >= last) break;
    if (out.empty() || out.back() < position) out.push_back(position);
  }
  out.push_back(last);
  return out;
}

std::vector<double> pair_indices(std::size_t num_pairs) {
  std::vector<double> out;
  for (std::size_t i = 0; i < num_pairs; ++i) out.push_back(static_cast<double>(i));
  return out;
}

std::vector<ReferenceLine> length_lines(std::span<const NamedRotation> rotations, ReferenceLine::Direction direction) {
  std::map<double, bool> trained;  // length -> whether some model was trained on it, before it was extended or at all
  for (const NamedRotation& r : rotations) {
    if (const double length = trained_length(r.spec); length > 0) trained[length] = true;
    if (r.spec.max_position > 0) trained.try_emplace(r.spec.max_position, false);
  }
  std::vector<ReferenceLine> out;
  for (const auto& [length, is_trained] : trained)
    out.push_back({short_number(length, 12) + (is_trained ? " trained" : " limit"), length, direction});
  return out;
}

}  // namespace rotary::report
