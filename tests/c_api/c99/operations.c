/* Every function that works on tensors, by the laws that bind them. */
#include <math.h>
#include <string.h>

#include "check.h"

enum { kTokens = 3, kHeads = 2, kChannels = 8, kCount = kTokens * kHeads * kChannels };

/* Two turns, each within an ulp of values below 16. */
static const double kTolerance = 16 * 4 * 1.2e-7;

static void fill(float* x) {
  int i;
  for (i = 0; i < kCount; ++i) x[i] = (float)(i % 13) - 6;
}

static int close_to(const float* x, const float* y) {
  int i;
  for (i = 0; i < kCount; ++i)
    if (!(fabs((double)x[i] - y[i]) <= kTolerance)) return 0;
  return 1;
}

static void test_there_and_back(const rotary_rotation* r) {
  float x[kCount], y[kCount], z[kCount];
  const rotary_tensor tx = float_tensor(x, kTokens, kHeads, kChannels),
                      ty = float_tensor(y, kTokens, kHeads, kChannels),
                      tz = float_tensor(z, kTokens, kHeads, kChannels);
  const rotary_positions p = positions_from(2049);
  fill(x);
  CHECK_STATUS(ROTARY_OK, rotary_apply(r, &tx, &ty, &p, NULL));
  CHECK(!close_to(x, y));
  CHECK_STATUS(ROTARY_OK, rotary_unrotate(r, &ty, &tz, &p, NULL));
  CHECK(close_to(x, z));
  CHECK_STATUS(ROTARY_OK, rotary_backward(r, &ty, &tz, &p, NULL)); /* factor 1: the transpose is the inverse */
  CHECK(close_to(x, z));
  CHECK_STATUS(ROTARY_OK, rotary_apply(r, &tx, &tx, &p, NULL)); /* in place, said in two ways */
  CHECK(memcmp(x, y, sizeof x) == 0);
  fill(x);
  CHECK_STATUS(ROTARY_OK, rotary_apply(r, &tx, NULL, &p, NULL));
  CHECK(memcmp(x, y, sizeof x) == 0);
}

static void test_many(const rotary_rotation* r) {
  float q[kCount], k[kCount], y[kCount];
  const rotary_tensor tq = float_tensor(q, kTokens, kHeads, kChannels),
                      ty = float_tensor(y, kTokens, kHeads, kChannels), tk = float_tensor(k, kTokens, 1, kChannels);
  const rotary_tensor* both[2];
  const rotary_positions p = positions_from(65537);
  both[0] = &tq;
  both[1] = &tk;
  fill(q);
  fill(k);
  fill(y);
  CHECK_STATUS(ROTARY_OK, rotary_apply_many(r, both, 2, &p, NULL));
  CHECK_STATUS(ROTARY_OK, rotary_apply(r, &ty, NULL, &p, NULL));
  CHECK(memcmp(q, y, sizeof q) == 0);
  CHECK(memcmp(k, y, kChannels * sizeof(float)) == 0);
  CHECK_STATUS(ROTARY_OK, rotary_apply_many(r, NULL, 0, &p, NULL));
}

static void test_keys(const rotary_rotation* r) {
  static const double deltas[kTokens] = {5, 5, 5};
  float k[kCount], want[kCount];
  const rotary_tensor tk = float_tensor(k, kTokens, kHeads, kChannels),
                      tw = float_tensor(want, kTokens, kHeads, kChannels);
  const rotary_positions p = positions_from(10), q = positions_from(15);
  rotary_positions each = {.struct_size = sizeof each, .kind = ROTARY_POSITIONS_IDS, .ids_dtype = ROTARY_FLOAT64};
  each.ids = deltas;
  each.num_ids = kTokens;
  fill(want);
  CHECK_STATUS(ROTARY_OK, rotary_apply(r, &tw, NULL, &q, NULL));
  fill(k);
  CHECK_STATUS(ROTARY_OK, rotary_apply(r, &tk, NULL, &p, NULL));
  CHECK_STATUS(ROTARY_OK, rotary_shift_keys(r, &tk, 5, NULL));
  CHECK(close_to(k, want));
  fill(k);
  CHECK_STATUS(ROTARY_OK, rotary_apply(r, &tk, NULL, &p, NULL));
  CHECK_STATUS(ROTARY_OK, rotary_shift_keys_each(r, &tk, &each, NULL));
  CHECK(close_to(k, want));
  fill(k);
  CHECK_STATUS(ROTARY_OK, rotary_apply(r, &tk, NULL, &p, NULL));
  CHECK_STATUS(ROTARY_OK, rotary_move_keys(r, &p, r, &q, &tk, NULL));
  CHECK(close_to(k, want));
}

static void test_table(const rotary_rotation* r) {
  static const int32_t ids[2] = {0, 7};
  float cosines[2][kChannels / 2], sines[2][kChannels / 2];
  rotary_positions p = positions_from(7);
  int i;
  CHECK_STATUS(ROTARY_OK, rotary_table(r, &p, 2, 0, cosines[0], sines[0]));
  CHECK(fabs(cosines[0][0] - cos(7)) <= 1.2e-7 && fabs(sines[1][0] - sin(8)) <= 1.2e-7); /* 1 ulp below 1 */
  p.kind = ROTARY_POSITIONS_IDS;
  p.ids_dtype = ROTARY_INT32;
  p.ids = ids;
  p.num_ids = 2;
  CHECK_STATUS(ROTARY_OK, rotary_table(r, &p, 2, 0, cosines[0], sines[0]));
  for (i = 0; i < kChannels / 2; ++i) CHECK(cosines[0][i] == 1 && sines[0][i] == 0);
  CHECK(fabs(cosines[1][0] - cos(7)) <= 1.2e-7);
  CHECK_STATUS(ROTARY_INVALID_ARGUMENT, rotary_table(r, &p, 3, 0, cosines[0], sines[0]));
  p.kind = ROTARY_POSITIONS_OFFSETS;
  CHECK_STATUS(ROTARY_INVALID_ARGUMENT, rotary_table(r, &p, 2, 0, cosines[0], sines[0]));
}

/* Ranks: what lacks an axis on the left has one there. */
static void test_ranks(const rotary_rotation* r) {
  float x[kChannels] = {1, 2, 3, 4, 5, 6, 7, 8}, y[kChannels];
  const rotary_positions p = positions_from(8191);
  rotary_tensor t = {.struct_size = sizeof t,
                     .data = x,
                     .dtype = ROTARY_FLOAT32,
                     .rank = 4,
                     .shape = {1, 1, 1, 8},
                     .strides = {8, 8, 8, 1}};
  rotary_tensor low = {
      .struct_size = sizeof low, .data = y, .dtype = ROTARY_FLOAT32, .rank = 1, .shape = {8}, .strides = {1}};
  memcpy(y, x, sizeof x);
  CHECK_STATUS(ROTARY_OK, rotary_apply(r, &t, NULL, &p, NULL));
  CHECK_STATUS(ROTARY_OK, rotary_apply(r, &low, NULL, &p, NULL));
  CHECK(memcmp(x, y, sizeof x) == 0);
  low.rank = 2;
  low.shape[0] = 1;
  low.shape[1] = 8;
  low.strides[0] = 8;
  low.strides[1] = 1;
  CHECK_STATUS(ROTARY_OK, rotary_unrotate(r, &low, NULL, &p, NULL));
  low.rank = 0;
  CHECK_STATUS(ROTARY_INVALID_ARGUMENT, rotary_apply(r, &low, NULL, &p, NULL));
  low.rank = 5;
  CHECK_STATUS(ROTARY_INVALID_ARGUMENT, rotary_apply(r, &low, NULL, &p, NULL));
}

void test_operations(void) {
  rotary_rotation* r = half_rotation(kChannels);
  test_there_and_back(r);
  test_many(r);
  test_keys(r);
  test_table(r);
  test_ranks(r);
  rotary_rotation_release(r);
}
