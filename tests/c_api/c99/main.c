/* Walks through the whole C interface. usage: c99 DATA_FOLDER CONFIG */
#include <stdio.h>
#include <string.h>

#include "check.h"

static int failures = 0;
static int checks = 0;

void check(int ok, const char* what, const char* file, int line) {
  ++checks;
  if (ok) return;
  ++failures;
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
}

void check_status(rotary_status expected, rotary_status got, const char* what, const char* file, int line) {
  check(expected == got, what, file, line);
  if (expected != got)
    fprintf(stderr, "  wanted %s, got %s: %s\n", rotary_status_name(expected), rotary_status_name(got),
            rotary_last_error());
  if (got != ROTARY_OK) check(rotary_last_error()[0] != '\0', "a failure has a text", file, line);
}

rotary_rotation* half_rotation(int32_t channels) {
  rotary_spec spec;
  rotary_rotation* rotation = NULL;
  CHECK_STATUS(ROTARY_OK, rotary_spec_init(&spec, sizeof spec, ROTARY_SCALING_DEFAULT));
  spec.head_dim = spec.rotary_dim = channels;
  spec.pairing = ROTARY_PAIRING_HALF;
  CHECK_STATUS(ROTARY_OK, rotary_rotation_from_spec(&spec, NULL, &rotation));
  return rotation;
}

rotary_tensor float_tensor(float* data, int64_t tokens, int64_t heads, int64_t channels) {
  rotary_tensor t = {.struct_size = sizeof t, .data = data, .dtype = ROTARY_FLOAT32, .rank = 3};
  t.shape[0] = tokens;
  t.shape[1] = heads;
  t.shape[2] = channels;
  t.strides[0] = heads * channels;
  t.strides[1] = channels;
  t.strides[2] = 1;
  return t;
}

rotary_positions positions_from(int64_t first) {
  const rotary_positions p = {.struct_size = sizeof p, .kind = ROTARY_POSITIONS_RANGE, .first = first};
  return p;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  CHECK(strcmp(rotary_version(), ROTARY_VERSION_STRING) == 0);
  CHECK(rotary_simd_target()[0] != '\0');
  CHECK(rotary_last_error()[0] == '\0');
  test_statuses();
  test_null_arguments();
  test_rotations(argv[2]);
  test_operations();
  test_vectors(argv[1]);
  printf("%d checks, %d failed\n", checks, failures);
  return failures != 0;
}
