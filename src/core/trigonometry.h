// Sine and cosine of double-double angles: 2^-100 absolute, and a fast path rounded correctly to float32.
#pragma once

#include "core/double_double.h"

namespace rotary::detail {

struct SinCos {
  DoubleDouble sin, cos;
};

/// Absolute error below 2^-95 for |angle| <= 2^53 (that of the angle itself, ulp(lo) / 2, comes on top). NaN for
/// |angle| >= 2^62.
SinCos sincos(DoubleDouble angle);

struct CosSin {
  float cos = 1, sin = 0;
};

/// cos and sin of an angle times `factor`, each rounded once to float32: correctly rounded, save that an angle within
/// 2^-50 of a zero of the function has only the absolute error of sincos(). A zero angle gives exactly (factor, +0).
CosSin cos_sin_float(DoubleDouble angle, double factor = 1);

/// Correctly rounded float32 functions of a float32 angle, for the reference arithmetics.
inline float cos_float(float angle) { return cos_sin_float(DoubleDouble{angle}).cos; }
inline float sin_float(float angle) { return cos_sin_float(DoubleDouble{angle}).sin; }

/// cos and sin of a float32 angle with the errors that glibc's cosf and sinf have since 2.28 (about one value in a
/// hundred is the second nearest float), whatever the libm of this machine. For ggml's arithmetic: its recorded tables
/// were made with them.
CosSin cos_sin_glibc(float angle);

}  // namespace rotary::detail
