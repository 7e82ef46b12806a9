/* Rotates the queries and keys of one token as a model does. usage: rotate CONFIG.JSON */
#include <stdio.h>

#include "rotary/rotary_c.h"

enum { kHeads = 4, kKeyHeads = 2, kMostChannels = 512 };

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, rotary_last_error());
  return 1;
}

/* [head][channel], one token. */
static rotary_tensor heads_of(float* data, int64_t heads, int64_t channels) {
  const rotary_tensor t = {.struct_size = sizeof t,
                           .data = data,
                           .dtype = ROTARY_FLOAT32,
                           .rank = 2,
                           .shape = {heads, channels},
                           .strides = {channels, 1}};
  return t;
}

static int rotate(const rotary_rotation* rotation, int64_t position) {
  static float q[kHeads * kMostChannels], k[kKeyHeads * kMostChannels];
  rotary_rotation_info info = {.struct_size = sizeof info};
  if (rotary_rotation_get_info(rotation, &info) != ROTARY_OK) return failed("info");
  if (info.channels > kMostChannels) return 1;
  for (int i = 0; i < kHeads * info.channels; ++i) q[i] = 1;
  for (int i = 0; i < kKeyHeads * info.channels; ++i) k[i] = 1;

  const rotary_tensor queries = heads_of(q, kHeads, info.channels), keys = heads_of(k, kKeyHeads, info.channels);
  const rotary_tensor* both[] = {&queries, &keys};
  const rotary_positions at = {.struct_size = sizeof at, .kind = ROTARY_POSITIONS_RANGE, .first = position};
  if (rotary_apply_many(rotation, both, 2, &at, NULL) != ROTARY_OK) return failed("apply");
  printf("%s, %d of %d channels turn; channel 0 at position %d: %.6f\n", info.layout, (int)info.rotary_dim,
         (int)info.channels, (int)position, (double)q[0]);
  return 0;
}

int main(int argc, char** argv) {
  const rotary_rotation_options options = {.struct_size = sizeof options, .table_rows = 4096};
  rotary_rotation* rotation = NULL;
  if (argc != 2) return 2;
  if (rotary_rotation_from_config(argv[1], NULL, &options, &rotation) != ROTARY_OK) return failed(argv[1]);
  const int status = rotate(rotation, 2049);
  rotary_rotation_release(rotation);
  return status;
}
