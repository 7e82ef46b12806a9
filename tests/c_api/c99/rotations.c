/* Making rotations, and reading them back. */
#include <string.h>

#include "check.h"

static uint64_t fingerprint_of(const rotary_rotation* rotation) {
  rotary_rotation_info info = {.struct_size = sizeof info};
  CHECK_STATUS(ROTARY_OK, rotary_rotation_get_info(rotation, &info));
  return info.fingerprint;
}

static void test_info(const rotary_rotation* rotation) {
  rotary_rotation_info info = {.struct_size = sizeof info};
  rotary_layer_info layer = {.struct_size = sizeof layer};
  rotary_axis_info axis = {.struct_size = sizeof axis};
  CHECK_STATUS(ROTARY_OK, rotary_rotation_get_info(rotation, &info));
  CHECK(info.channels == 8 && info.num_axes == 1 && info.num_sets == 1 && info.num_pairs == 4);
  CHECK(info.rotary_dim == 8 && info.attention_factor == 1 && strcmp(info.layout, "half") == 0);
  CHECK(info.arithmetic == ROTARY_ARITHMETIC_EXACT && info.table_rows == 0);
  CHECK_STATUS(ROTARY_OK, rotary_rotation_get_layer(rotation, &layer));
  CHECK(layer.rotates && layer.query_scale == 1 && layer.softmax_factor == 1 && layer.num_heads == 0);
  CHECK(layer.note != NULL && layer.note[0] == '\0');
  CHECK_STATUS(ROTARY_OK, rotary_rotation_get_axis(rotation, 0, &axis));
  CHECK(strcmp(axis.name, "token") == 0 && axis.first == 0 && axis.multiplier == 1);
  CHECK(rotary_rotation_warning(rotation, 0) == NULL);
}

/* What is read back makes the same rotation, and owners keep it alive. */
static void test_map(void) {
  rotary_rotation* rotation = half_rotation(8);
  rotary_rotation* again = NULL;
  rotary_map map = {.struct_size = sizeof map};
  CHECK_STATUS(ROTARY_OK, rotary_rotation_get_map(rotation, &map));
  CHECK(map.num_pairs == 4 && map.pairs[1].a == 1 && map.pairs[1].b == 5 && map.pairs[1].c == 1);
  CHECK(map.frequency[0] == 1 && map.pass_to[0] == -1);
  CHECK_STATUS(ROTARY_OK, rotary_rotation_from_map(&map, NULL, &again));
  CHECK(fingerprint_of(again) == fingerprint_of(rotation));
  rotary_rotation_release(again);
  CHECK_STATUS(ROTARY_OK, rotary_rotation_retain(rotation));
  rotary_rotation_release(rotation);
  CHECK(map.pairs[3].b == 7);
  test_info(rotation);
  rotary_rotation_release(rotation);
}

static void test_pairs(void) {
  static const rotary_pair pairs[1] = {{1, 3, 1, 3}};
  static const double frequency[1] = {0.5};
  static const int32_t crossed[4] = {2, -1, 0, -1};
  rotary_map map = {.struct_size = sizeof map, .channels = 4, .num_axes = 1, .num_sets = 1, .num_pairs = 1};
  rotary_rotation *rotation = NULL, *other = NULL, *none = NULL;
  map.pairs = pairs;
  map.frequency = frequency;
  CHECK_STATUS(ROTARY_INVALID_ARGUMENT, rotary_rotation_from_map(&map, NULL, &rotation)); /* no factor */
  map.attention_factor = 2;
  CHECK_STATUS(ROTARY_OK, rotary_rotation_from_map(&map, NULL, &rotation));
  CHECK_STATUS(ROTARY_OK, rotary_rotation_get_map(rotation, &map));
  CHECK(map.pass_to[0] == 0 && map.pass_to[2] == 2 && map.frequency_low[0] == 0);
  map.pass_to = crossed;
  CHECK_STATUS(ROTARY_OK, rotary_rotation_from_map(&map, NULL, &other));
  CHECK(fingerprint_of(other) != fingerprint_of(rotation));
  map.num_pairs = 3; /* of 4 channels */
  CHECK_STATUS(ROTARY_INVALID_ARGUMENT, rotary_rotation_from_map(&map, NULL, &none));
  rotary_rotation_release(rotation);
  rotary_rotation_release(other);
}

/* Gemma 3: two kinds of layers, so one must be named. */
static void test_config(const char* config) {
  int32_t layer = 0;
  rotary_layer_choice choice = {.struct_size = sizeof choice};
  rotary_rotation *sliding = NULL, *full = NULL;
  CHECK_STATUS(ROTARY_INVALID_ARGUMENT, rotary_rotation_from_config(config, &choice, NULL, &sliding));
  CHECK(strstr(rotary_last_error(), "sliding_attention") != NULL);
  choice.layer = &layer;
  CHECK_STATUS(ROTARY_OK, rotary_rotation_from_config(config, &choice, NULL, &sliding));
  layer = 5;
  choice.component = "";
  choice.part = "";
  choice.keys = 1;
  choice.reference = ROTARY_REFERENCE_ORIGINAL;
  CHECK_STATUS(ROTARY_OK, rotary_rotation_from_config(config, &choice, NULL, &full));
  CHECK(fingerprint_of(sliding) != fingerprint_of(full));
  rotary_rotation_release(sliding);
  layer = 1000;
  CHECK_STATUS(ROTARY_INVALID_ARGUMENT, rotary_rotation_from_config(config, &choice, NULL, &sliding));
  layer = 5;
  choice.component = "vision_config";
  CHECK_STATUS(ROTARY_INVALID_ARGUMENT, rotary_rotation_from_config(config, &choice, NULL, &sliding));
  rotary_rotation_release(full);
}

/* A warning of the reader reaches C; the options reach the rotation. */
static void test_json(void) {
  static const char text[] =
      "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_attention_heads\": 4, \"max_position_embeddings\": 64,"
      " \"rope_scaling\": {\"rope_type\": \"linear\", \"factor\": 4, \"no_such_key\": 1}}";
  const rotary_rotation_options options = {
      .struct_size = sizeof options, .arithmetic = ROTARY_ARITHMETIC_TRANSFORMERS_FLOAT32, .table_rows = 64};
  rotary_rotation_info info = {.struct_size = sizeof info};
  rotary_rotation* rotation = NULL;
  CHECK_STATUS(ROTARY_OK, rotary_rotation_from_json(text, sizeof text - 1, NULL, &options, &rotation));
  CHECK_STATUS(ROTARY_OK, rotary_rotation_get_info(rotation, &info));
  CHECK(info.channels == 16 && info.table_rows == 64);
  CHECK(info.arithmetic == ROTARY_ARITHMETIC_TRANSFORMERS_FLOAT32);
  CHECK(rotary_rotation_warning(rotation, 0) != NULL && strstr(rotary_rotation_warning(rotation, 0), "no_such_key"));
  rotary_rotation_release(rotation);
}

void test_rotations(const char* config) {
  test_map();
  test_pairs();
  test_config(config);
  test_json();
}
