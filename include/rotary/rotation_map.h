// RotationMap: what a rotation does to one vector, as a list of plane rotations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rotary/frequency.h"
#include "rotary/spec.h"
#include "rotary/version.h"

namespace rotary {

/// Input channels (a, b), a < b, and the output channels (c, d) that they are written to.
struct ChannelPair {
  int a = 0, b = 0, c = 0, d = 0;
  friend bool operator==(const ChannelPair&, const ChannelPair&) = default;
};

/// The rotation of one vector at position m (one number per axis), t = sum over axes of m[axis] * frequency[axis]:
///
///     out[c] = f * (x[a] cos t - x[b] sin t)      out[d] = f * (x[a] sin t + x[b] cos t)      f = attention_factor
///
/// A channel in no pair is copied bit-exact to pass_to[channel]. Plain data; validate_map() checks it.
struct RotationMap {
  int channels = 0;
  int num_axes = 1;
  int num_sets = 1;                  ///< frequency sets: 1, or one per head
  std::vector<ChannelPair> pairs;    ///< sorted by a; each channel in at most one pair
  std::vector<Frequency> frequency;  ///< [num_sets][pairs][num_axes], radians per position
  std::vector<int> pass_to;          ///< [channels]: output channel of a channel in no pair, -1 for the others
  double attention_factor = 1;

  /// Frequency of a pair on an axis. Not checked.
  const Frequency& at(int set, int pair, int axis) const {
    return frequency[(static_cast<std::size_t>(set) * pairs.size() + static_cast<std::size_t>(pair)) *
                         static_cast<std::size_t>(num_axes) +
                     static_cast<std::size_t>(axis)];
  }

  friend bool operator==(const RotationMap&, const RotationMap&) = default;
};

/// Throws std::invalid_argument if the map breaks a rule of its definition (a channel met twice, pass_to no permutation
/// of what is left, sizes that disagree, values that are not finite).
ROTARY_API void validate_map(const RotationMap& map);

/// Channels that really turn: two per pair with a non-zero frequency in some set.
ROTARY_API int rotary_dim(const RotationMap& map);

/// The axis that turns a pair: -1 if none does (all frequencies zero), -2 if several do.
ROTARY_API int axis_of(const RotationMap& map, int pair);

/// The rotation at a sequence length (which matters for dynamic NTK and LongRoPE only).
///
/// \param seq_len  number of positions of the sequence (largest position + 1); 0 means short enough to stay unscaled
/// Throws std::invalid_argument for a spec that validate_spec() refuses, or for Arithmetic::kGgml with a scaling that
/// ggml lacks. Exact arithmetic: frequencies good to 2^-95 relative (of the declared numbers), the same bits on every
/// machine.
ROTARY_API RotationMap make_rotation_map(const RopeSpec& spec, std::int64_t seq_len = 0,
                                         Arithmetic arithmetic = Arithmetic::kExact);

/// The map that undoes this one, attention factor included.
ROTARY_API RotationMap inverse(const RotationMap& map);

/// First `first`, then `second`, both turned by the same position. Requires that every output plane of `first` is an
/// input plane of `second` or passed through by it (and the reverse); throws std::invalid_argument otherwise.
ROTARY_API RotationMap compose(const RotationMap& first, const RotationMap& second);

/// The map restricted to channels begin .. end-1, renumbered from 0. Throws std::invalid_argument if a pair or its
/// output straddles a bound, std::out_of_range for bad bounds.
ROTARY_API RotationMap slice(const RotationMap& map, int begin, int end);

/// The regular layouts that kernels have fast paths for.
enum class Layout { kHalf, kInterleaved, kInterleavedToHalf, kSections, kGeneral, kIdentity };

struct LayoutClass {
  Layout layout = Layout::kGeneral;
  int offset = 0;      ///< first channel of the paired slice
  int rotary_dim = 0;  ///< channels of the paired slice (pairs with zero frequency included)
  friend bool operator==(const LayoutClass&, const LayoutClass&) = default;
};

/// Recognises a map: half and interleaved with one axis; kSections is half pairing with several axes, one per pair.
ROTARY_API LayoutClass layout_class(const RotationMap& map);
ROTARY_API std::string_view to_string(Layout layout);

/// What two maps differ in.
struct MapDifference {
  bool same = false;  ///< the maps are the same function up to 1e-12 relative in every frequency and factor
  /// Largest |difference of the angle| of a pair of the first map at the position asked for, radians. Against it stands
  /// the next pair of the second map or, where their numbers differ, the one with the same first channel or none.
  double max_angle = 0;
  int pair = -1;            ///< index of that pair in the first map
  double factor_ratio = 1;  ///< attention factor of the second over that of the first
  std::string cause;        ///< likely cause by name: "pairing", "width", "base", ...; empty when same
};

/// What the two specs declare differently about frequencies, in one line: "base 10000 / 1000000, scaling default /
/// yarn", "yarn parameters"; empty if nothing.
ROTARY_API std::string declared_difference(const RopeSpec& first, const RopeSpec& second);

/// Compares two maps at position `position` (the same on every axis). The likely cause is found by structure first
/// (channels, width, slice offset, pairing, output layout, sign, axes), then by frequencies (exponent denominator,
/// base, constant factor, part of the pairs), then by the attention factor. `declared`, where the specs are known, is
/// their declared_difference(): the cause of differing frequencies, in place of the guess from the numbers.
/// Throws std::invalid_argument for an invalid map or a position that is not finite.
ROTARY_API MapDifference compare(const RotationMap& first, const RotationMap& second, double position = 1,
                                 std::string_view declared = {});

/// 64-bit fingerprint of the canonical form (pairs that never turn become passed channels; pair ends ordered; FNV-1a
/// over little-endian integers and IEEE doubles): equal for equal maps, the same on every machine.
ROTARY_API std::uint64_t fingerprint(const RotationMap& map);

/// Sequence length -> map. Decide once per sequence and pin the map for the life of its cache: keys rotated under one
/// map must not be read under another.
class ROTARY_API LengthRule {
 public:
  explicit LengthRule(RopeSpec spec, Arithmetic arithmetic = Arithmetic::kExact);

  const RopeSpec& spec() const { return spec_; }
  bool depends_on_length() const;
  /// Length up to which the map is the same as for length 1; 0 if it never changes.
  std::int64_t switch_length() const;
  RotationMap map(std::int64_t seq_len) const;

 private:
  RopeSpec spec_;
  Arithmetic arithmetic_;
};

}  // namespace rotary
