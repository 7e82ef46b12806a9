#include <stdio.h>
#include <string.h>

#include "rotary/rotary_c.h"

int main(void) {
  float x[4] = {1, 2, 3, 4};
  rotary_spec spec;
  rotary_rotation* rotation = NULL;
  const rotary_tensor t = {
      .struct_size = sizeof t, .data = x, .dtype = ROTARY_FLOAT32, .rank = 1, .shape = {4}, .strides = {1}};
  const rotary_positions p = {.struct_size = sizeof p, .kind = ROTARY_POSITIONS_RANGE, .first = 2049};
  if (rotary_spec_init(&spec, sizeof spec, ROTARY_SCALING_DEFAULT) != ROTARY_OK) return 1;
  spec.head_dim = spec.rotary_dim = 4;
  spec.pairing = ROTARY_PAIRING_HALF;
  if (rotary_rotation_from_spec(&spec, NULL, &rotation) != ROTARY_OK) return 1;
  if (rotary_apply(rotation, &t, NULL, &p, NULL) != ROTARY_OK || x[0] == 1) return 1;
  rotary_rotation_release(rotation);
  printf("rotary %s from C\n", rotary_version());
  return strcmp(rotary_version(), ROTARY_VERSION_STRING);
}
