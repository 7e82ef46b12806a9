// What a narrower number format, or an engine's own arithmetic, costs a rotation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "rotary/rotation_map.h"
#include "rotary/spec.h"
#include "rotary/version.h"

namespace rotary {

/// Formats that positions, frequencies or tables are kept in.
enum class NumberFormat {
  kFloat16,   ///< 11 significant bits, below 65520
  kBfloat16,  ///< 8 significant bits
  kTfloat32,  ///< 11 significant bits, the range of float32: what tensor cores make of float32 operands
  kFloat32,   ///< 24 significant bits
};

/// "float16", "bfloat16", "tfloat32", "float32".
ROTARY_API std::string_view to_string(NumberFormat format);
ROTARY_API int significant_bits(NumberFormat format);

/// The number of the format nearest to x, ties to even, rounded once; denormals are kept, overflow gives infinity, NaN
/// stays NaN.
ROTARY_API double rounded_to(NumberFormat format, double x);

/// The smallest whole m >= 0 for which m and m + 1 are the same number in the format: 2^significant_bits, where the
/// even one of the two is all that is left (257 becomes 256 in bfloat16).
ROTARY_API std::int64_t first_equal_positions(NumberFormat format);

/// What of a rotation is rounded; all else is exact.
enum class RoundedPart {
  kPositions,    ///< m -> rounded(m), then exact angles
  kFrequencies,  ///< the frequency of every pair, then exact angles
  kTables,       ///< cos and sin, attention factor included, after the rounding to float32 that every table has
};

/// "positions", "frequencies", "tables".
ROTARY_API std::string_view to_string(RoundedPart part);

/// Position m and pair whose cos and sin are those of m + 1 too.
struct EqualRows {
  std::int64_t position = 0;
  int pair = 0;
  friend bool operator==(const EqualRows&, const EqualRows&) = default;
};

/// The angles at one position.
struct AngleLoss {
  std::int64_t position = 0;
  double error = 0;  ///< largest |angle - exact angle| of a pair, radians, as a turn: 0 .. pi; infinite where
                     ///< the position is none that the format has (overflow)
  int pair = -1;     ///< where; -1 if no angle is off
  std::vector<int> lost_pairs;  ///< pairs off by more than kLostAngle
};

/// Beyond this many radians a pair counts as lost. A tenth of a radian turns a score of that pair by half a percent at
/// the top of its cosine and by a tenth on its flank.
inline constexpr double kLostAngle = 0.1;

struct PrecisionLoss {
  std::optional<EqualRows> first_equal_pair;    ///< the first position where some turning pair has its neighbour's row
  std::optional<std::int64_t> first_equal_row;  ///< the first where all turning pairs have
  std::vector<int> equal_pairs;                 ///< turning pairs with two equal neighbours below search_below
  std::vector<AngleLoss> at;                    ///< one for each position of the range
};

/// Where to look. The same position counts on every axis.
struct PrecisionRange {
  std::vector<std::int64_t> positions = {0, 1, 2049, 8191, 65537, 131071, 1000003};  ///< of angle errors, >= 0
  std::int64_t search_below = 32768;  ///< positions compared with the next one
};

/// What rounding one part of a map to a format does. Only the first frequency set is looked at. Angles are compared
/// with exact ones (good to 2^-95 before, 2^-50 after the difference). Time: about search_below * pairs * 10 ns.
/// Throws std::invalid_argument for a map that validate_map() refuses, a position outside 0 .. 2^53, or search_below
/// outside 0 .. 2^24.
ROTARY_API PrecisionLoss rounding_loss(const RotationMap& map, RoundedPart part, NumberFormat format,
                                       const PrecisionRange& range = {});

/// The same for the tables that an arithmetic makes of a spec at a length.
/// Throws as rounding_loss(), and as make_rotation_map() where the arithmetic lacks the method.
ROTARY_API PrecisionLoss arithmetic_loss(const RopeSpec& spec, Arithmetic arithmetic, std::int64_t seq_len = 0,
                                         const PrecisionRange& range = {});

}  // namespace rotary
