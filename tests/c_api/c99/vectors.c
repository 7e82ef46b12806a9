/* The vectors of golden/core/vectors.txt, in float64 and float32. A line is
   "ID vector in=half out=half d=4 [head=8 offset=4] [factor=0.5] p=3 x=1,2,3,4 : y=..." */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { kMost = 8 };

/* The text after " name=", or null. */
static const char* field(const char* line, const char* name) {
  char key[16];
  const char* found;
  sprintf(key, " %.12s=", name);
  found = strstr(line, key);
  return found ? found + strlen(key) : NULL;
}

static double number(const char* line, const char* name, double otherwise) {
  const char* text = field(line, name);
  return text ? strtod(text, NULL) : otherwise;
}

static int numbers(const char* text, double* out) {
  int count = 0;
  char* end = NULL;
  for (; text && count < kMost; text = *end == ',' ? end + 1 : NULL) out[count++] = strtod(text, &end);
  return count;
}

static int32_t pairing(const char* line, const char* name) {
  return strncmp(field(line, name), "half", 4) == 0 ? ROTARY_PAIRING_HALF : ROTARY_PAIRING_INTERLEAVED;
}

static rotary_rotation* rotation_of(const char* line) {
  rotary_spec spec;
  rotary_map map = {.struct_size = sizeof map};
  rotary_rotation *plain = NULL, *rotation = NULL;
  CHECK_STATUS(ROTARY_OK, rotary_spec_init(&spec, sizeof spec, ROTARY_SCALING_DEFAULT));
  spec.rotary_dim = (int32_t)number(line, "d", 0);
  spec.head_dim = (int32_t)number(line, "head", spec.rotary_dim);
  spec.rotary_offset = (int32_t)number(line, "offset", 0);
  spec.pairing = pairing(line, "in");
  spec.output_pairing = pairing(line, "out");
  CHECK_STATUS(ROTARY_OK, rotary_rotation_from_spec(&spec, NULL, &plain));
  CHECK_STATUS(ROTARY_OK, rotary_rotation_get_map(plain, &map));
  map.attention_factor = number(line, "factor", 1);
  CHECK_STATUS(ROTARY_OK, rotary_rotation_from_map(&map, NULL, &rotation));
  rotary_rotation_release(plain);
  return rotation;
}

static void check_line(const char* line) {
  double x[kMost], want[kMost], y[kMost], position = number(line, "p", 0);
  float x32[kMost], y32[kMost];
  const int count = numbers(field(line, "x"), x);
  /* Digits that a short line does not give. */
  const double digits = strstr(line, "F7 ") == line ? 5e-10 : 0;
  rotary_positions p = {.struct_size = sizeof p, .kind = ROTARY_POSITIONS_IDS, .ids_dtype = ROTARY_FLOAT64};
  rotary_tensor in = {.struct_size = sizeof in, .dtype = ROTARY_FLOAT64, .rank = 1, .strides = {1}}, out;
  rotary_rotation* rotation = rotation_of(line);
  int i;
  CHECK(numbers(field(line, "y"), want) == count);
  p.ids = &position;
  p.num_ids = 1;
  in.shape[0] = count;
  in.data = x;
  out = in;
  out.data = y;
  CHECK_STATUS(ROTARY_OK, rotary_apply(rotation, &in, &out, &p, NULL));
  for (i = 0; i < count; ++i) x32[i] = (float)x[i];
  in.dtype = out.dtype = ROTARY_FLOAT32;
  in.data = x32;
  out.data = y32;
  CHECK_STATUS(ROTARY_OK, rotary_apply(rotation, &in, &out, &p, NULL));
  /* Two products and a sum of magnitude 8, each rounded once, of a cos and sin rounded once. */
  for (i = 0; i < count; ++i) {
    CHECK(fabs(y[i] - want[i]) <= 3 * 8 * 1.2e-16 + digits);
    CHECK(fabs(y32[i] - want[i]) <= 3 * 8 * 6e-8);
    if (p.num_ids == 1 && i < number(line, "offset", 0)) CHECK(y[i] == x[i]);
  }
  rotary_rotation_release(rotation);
}

void test_vectors(const char* data) {
  char path[1024], line[512];
  int count = 0;
  FILE* file;
  CHECK(snprintf(path, sizeof path, "%s/core/vectors.txt", data) < (int)sizeof path);
  file = fopen(path, "r");
  CHECK(file != NULL);
  if (file == NULL) return;
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '#' || strstr(line, " vector ") == NULL) continue;
    check_line(line);
    ++count;
  }
  fclose(file);
  CHECK(count >= 8);
}
