// What the rotary classes of Python packages declare, as specs and positions.
#pragma once

#include "core/engine_records.h"

namespace rotary::testing {

inline RopeSpec engine_spec(std::int64_t head_dim, std::int64_t rotary_dim, Pairing pairing, double base) {
  RopeSpec spec;
  spec.head_dim = static_cast<int>(head_dim);
  spec.rotary_dim = static_cast<int>(rotary_dim);
  spec.pairing = spec.output_pairing = pairing;
  spec.base = base;
  return spec;
}

/// Float32 frequencies, their float32 product with the position: what all of them compute, in torch.
inline Rotary torch_rotation(const RopeSpec& spec, std::int64_t seq_len = 0) {
  return Rotary(spec, 0, Arithmetic::kTransformersFloat32, seq_len);
}

/// Two products and a sum against a product and a fused sum (5 roundings); cos and sin of torch within an ulp of the
/// rounded ones (2) and, in 16-bit engines, rounded once more (1); a frequency within two ulps of ours, 4 roundings of
/// the angle.
constexpr EngineTolerance kTorchTolerance{8, 4};

/// base^(-2i/width), i = 0 .. width/2 - 1.
inline Vector progression(double base, double width) {
  Vector out;
  for (int i = 0; 2 * i < width; ++i) out.push_back(std::pow(base, -2 * i / width));
  return out;
}

inline Vector linspace(double first, double last, int count) {
  Vector out;
  for (int i = 0; i < count; ++i) out.push_back(count == 1 ? first : first + (last - first) * i / (count - 1));
  return out;
}

inline Vector times(Vector values, double factor) {
  for (double& v : values) v *= factor;
  return values;
}

/// Frequency lists of axes one after another: [pairs][num_axes].
inline GivenFrequencies blocks_of(const std::vector<Vector>& lists) {
  GivenFrequencies out;
  for (std::size_t axis = 0; axis < lists.size(); ++axis)
    for (double f : lists[axis])
      for (std::size_t other = 0; other < lists.size(); ++other) out.frequencies.push_back(other == axis ? f : 0);
  return out;
}

/// A spec with frequencies of its own for every pair.
inline RopeSpec given_spec(std::int64_t head_dim, Pairing pairing, const GivenFrequencies& given, int num_axes,
                           int sets = 1) {
  const auto pairs = given.frequencies.size() / static_cast<std::size_t>(num_axes * sets);
  RopeSpec spec = engine_spec(head_dim, static_cast<std::int64_t>(2 * pairs), pairing, 10000);
  spec.axes = {AxisRule::kSections, num_axes, {static_cast<int>(pairs)}, {}};
  spec.scaling = given;
  return spec;
}

/// Coordinates of the points of a grid, the last axis fastest: [axes][points].
inline Vector grid_of(const std::vector<Vector>& axes) {
  Vector out;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    std::size_t before = 1, after = 1;
    for (std::size_t i = 0; i < axis; ++i) before *= axes[i].size();
    for (std::size_t i = axis + 1; i < axes.size(); ++i) after *= axes[i].size();
    for (std::size_t b = 0; b < before; ++b)
      for (double value : axes[axis]) out.insert(out.end(), after, value);
  }
  return out;
}

/// first, first + 1, ...
inline Vector counted(double first, std::int64_t count) {
  return linspace(first, first + static_cast<double>(count - 1), static_cast<int>(count));
}

inline PositionIds ids_of(const Vector& ids, int num_axes, bool per_sequence = false) {
  return {std::span<const double>(ids), num_axes, per_sequence};
}

}  // namespace rotary::testing
