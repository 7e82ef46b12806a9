// Frequencies of a rotation, and the arithmetics that can make them.
#pragma once

#include <string_view>

#include "rotary/version.h"

namespace rotary {

/// A frequency in radians per position: the unevaluated sum hi + lo of two doubles, |lo| <= ulp(hi) / 2.
///
/// A plain double is not enough: at position 2^31 its rounding alone moves the angle by 2.5e-7 rad. Frequencies made
/// from a spec in exact arithmetic are good to about 2^-100 relative; frequencies given as numbers have lo = 0.
/// A negative frequency turns the other way; zero does not turn at all.
struct Frequency {
  double hi = 0;
  double lo = 0;

  friend bool operator==(const Frequency&, const Frequency&) = default;
};

/// How frequencies, angles and tables are computed.
///
/// `kExact` is the default: |error of cos, sin| <= 1 ulp of float32 at any position up to 2^31, the same bits on every
/// machine. The others reproduce the order of operations and the roundings of an engine, up to the last place of its
/// own pow, cos and sin.
enum class Arithmetic {
  kExact,                 ///< double-double frequencies and angles, one rounding to float32
  kTransformersFloat32,   ///< float32 frequencies, float32 product with the position, float32 cos and sin
  kTransformersBfloat16,  ///< as above, cos and sin then rounded to bfloat16
  kGgml,                  ///< float32 angles by repeated multiplication from pair to pair, as ggml's CPU code
};

/// The name used on the command line: "exact", "transformers-float32", "transformers-bfloat16", "ggml".
ROTARY_API std::string_view to_string(Arithmetic arithmetic);

/// Inverse of to_string. Throws std::invalid_argument that lists the names.
ROTARY_API Arithmetic parse_arithmetic(std::string_view name);

}  // namespace rotary
