// The rotation as plain C loops over [token][head][channel], with a table of cosines and sines [token][pair], built for
// this one machine: what an engine writer gets without a library.
#include <stdint.h>
#include <string.h>

typedef uint16_t bfloat16;

static inline float from_float(float x) { return x; }
static inline float to_float(float x) { return x; }
static inline float from_half(_Float16 x) { return (float)x; }
static inline _Float16 to_half(float x) { return (_Float16)x; }
static inline float from_bfloat16(bfloat16 x) {
  const uint32_t bits = (uint32_t)x << 16;
  float out;
  memcpy(&out, &bits, sizeof out);
  return out;
}
static inline bfloat16 to_bfloat16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (bfloat16)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// FIRST and SECOND: where the two ends of pair i are.
#define HEAD(T, FROM, TO, FIRST, SECOND)                   \
  for (long i = 0; i < pairs; ++i) {                       \
    const float x0 = FROM(x[FIRST]), x1 = FROM(x[SECOND]); \
    out[FIRST] = TO(x0 * cos[i] - x1 * sin[i]);            \
    out[SECOND] = TO(x0 * sin[i] + x1 * cos[i]);           \
  }

#define ROTATE(NAME, T, FROM, TO, FIRST, SECOND)                                                                      \
  static void NAME##_head(T* restrict out, const T* restrict x, const float* restrict cos, const float* restrict sin, \
                          long pairs) {                                                                               \
    HEAD(T, FROM, TO, FIRST, SECOND)                                                                                  \
  }                                                                                                                   \
  static void NAME##_head_inplace(T* x, const float* restrict cos, const float* restrict sin, long pairs) {           \
    T* const out = x;                                                                                                 \
    _Pragma("GCC ivdep") HEAD(T, FROM, TO, FIRST, SECOND)                                                             \
  }                                                                                                                   \
  void NAME(T* out, const T* x, const float* cos, const float* sin, long tokens, long heads, long pairs,              \
            int repeats) {                                                                                            \
    for (int r = 0; r < repeats; ++r)                                                                                 \
      for (long t = 0; t < tokens; ++t)                                                                               \
        for (long h = 0; h < heads; ++h) {                                                                            \
          const long at = (t * heads + h) * 2 * pairs;                                                                \
          if (out == x)                                                                                               \
            NAME##_head_inplace(out + at, cos + t * pairs, sin + t * pairs, pairs);                                   \
          else                                                                                                        \
            NAME##_head(out + at, x + at, cos + t * pairs, sin + t * pairs, pairs);                                   \
        }                                                                                                             \
  }

ROTATE(plain_half_float32, float, from_float, to_float, i, i + pairs)
ROTATE(plain_half_float16, _Float16, from_half, to_half, i, i + pairs)
ROTATE(plain_half_bfloat16, bfloat16, from_bfloat16, to_bfloat16, i, i + pairs)
ROTATE(plain_interleaved_float32, float, from_float, to_float, 2 * i, 2 * i + 1)
ROTATE(plain_interleaved_float16, _Float16, from_half, to_half, 2 * i, 2 * i + 1)
ROTATE(plain_interleaved_bfloat16, bfloat16, from_bfloat16, to_bfloat16, 2 * i, 2 * i + 1)
