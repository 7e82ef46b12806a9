/* Every status code, provoked; and null pointers everywhere. */
#include <string.h>

#include "check.h"

/* An executor that leaves its last task undone. */
static int two(void* context) {
  (void)context;
  return 2;
}

static void run_all_but_last(void* context, int num_tasks, void (*task)(void*, int), void* task_context) {
  int i;
  (void)context;
  for (i = 0; i + 1 < num_tasks; ++i) task(task_context, i);
}

static void test_internal(const rotary_rotation* rotation) {
  static float many[1024][256];
  const rotary_executor lazy = {.struct_size = sizeof lazy, .concurrency = two, .run = run_all_but_last};
  const rotary_options options = {.struct_size = sizeof options, .executor = &lazy};
  const rotary_positions p = positions_from(1);
  const rotary_tensor x = float_tensor(&many[0][0], 1024, 64, 4);
  CHECK_STATUS(ROTARY_INTERNAL, rotary_apply(rotation, &x, NULL, &p, &options));
}

static void test_limit(const rotary_rotation* rotation) {
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const rotary_tensor t = float_tensor(x, 2, 1, 4);
  const rotary_options options = {.struct_size = sizeof options, .limit = 100};
  rotary_positions p = positions_from(99);
  CHECK_STATUS(ROTARY_OUT_OF_RANGE, rotary_apply(rotation, &t, NULL, &p, &options));
  CHECK(strstr(rotary_last_error(), "100") != NULL);
  CHECK(x[0] == 1 && x[7] == 8);
  p.first = 98;
  CHECK_STATUS(ROTARY_OK, rotary_apply(rotation, &t, NULL, &p, &options));
}

static rotary_status read_json(const char* text, const rotary_rotation_options* options) {
  rotary_rotation* rotation = NULL;
  const rotary_status status = rotary_rotation_from_json(text, strlen(text), NULL, options, &rotation);
  CHECK((status == ROTARY_OK) == (rotation != NULL));
  rotary_rotation_release(rotation);
  return status;
}

void test_statuses(void) {
  static const char* const model = "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_attention_heads\": 4}";
  const rotary_rotation_options huge = {.struct_size = sizeof huge, .table_rows = INT64_MAX};
  const rotary_rotation_options bad = {.struct_size = sizeof bad, .arithmetic = 99};
  rotary_rotation* rotation = half_rotation(4);
  rotary_rotation* none = rotation;
  rotary_status status;
  CHECK_STATUS(ROTARY_OK, read_json(model, NULL));
  CHECK_STATUS(ROTARY_INVALID_ARGUMENT, read_json(model, &bad));
  CHECK(strstr(rotary_last_error(), "99") != NULL);
  CHECK_STATUS(ROTARY_NOT_FOUND, rotary_rotation_from_config("no/such/config.json", NULL, NULL, &none));
  CHECK(none == NULL && strstr(rotary_last_error(), "no/such/config.json") != NULL);
  CHECK_STATUS(ROTARY_BAD_CONFIG, read_json("{", NULL));
  CHECK_STATUS(ROTARY_OUT_OF_MEMORY, read_json(model, &huge));
  CHECK_STATUS(ROTARY_UNSUPPORTED, read_json("{\"model_type\": \"vjepa2\"}", NULL));
  test_limit(rotation);
  test_internal(rotation);
  for (status = ROTARY_OK; status <= ROTARY_INTERNAL; ++status)
    CHECK(strcmp(rotary_status_name(status), "unknown status") != 0);
  CHECK(strcmp(rotary_status_name(-1), "unknown status") == 0);
  CHECK(strcmp(rotary_status_name(ROTARY_INTERNAL + 1), "unknown status") == 0);
  rotary_rotation_release(rotation);
}

#define REFUSED(call) CHECK_STATUS(ROTARY_INVALID_ARGUMENT, call)

static void test_null_making(void) {
  rotary_rotation* made = NULL;
  rotary_spec spec = {.struct_size = 0};
  const rotary_map map = {.struct_size = sizeof map};
  REFUSED(rotary_rotation_from_config(NULL, NULL, NULL, &made));
  REFUSED(rotary_rotation_from_config("config.json", NULL, NULL, NULL));
  REFUSED(rotary_rotation_from_json(NULL, 0, NULL, NULL, &made));
  REFUSED(rotary_rotation_from_json("{}", 2, NULL, NULL, NULL));
  REFUSED(rotary_spec_init(NULL, sizeof spec, ROTARY_SCALING_YARN));
  REFUSED(rotary_spec_init(&spec, 0, ROTARY_SCALING_YARN));
  REFUSED(rotary_spec_init(&spec, sizeof spec, 99));
  REFUSED(rotary_rotation_from_spec(NULL, NULL, &made));
  REFUSED(rotary_rotation_from_spec(&spec, NULL, &made)); /* struct_size 0 */
  REFUSED(rotary_rotation_from_spec(&spec, NULL, NULL));
  REFUSED(rotary_rotation_from_map(NULL, NULL, &made));
  REFUSED(rotary_rotation_from_map(&map, NULL, &made)); /* no channels */
  REFUSED(rotary_rotation_from_map(&map, NULL, NULL));
}

static void test_null_reading(const rotary_rotation* rotation) {
  rotary_rotation_info info = {.struct_size = sizeof info};
  rotary_map map = {.struct_size = sizeof map};
  rotary_layer_info layer = {.struct_size = sizeof layer};
  rotary_axis_info axis = {.struct_size = sizeof axis};
  REFUSED(rotary_rotation_retain(NULL));
  rotary_rotation_release(NULL);
  REFUSED(rotary_rotation_get_info(NULL, &info));
  REFUSED(rotary_rotation_get_info(rotation, NULL));
  REFUSED(rotary_rotation_get_map(NULL, &map));
  REFUSED(rotary_rotation_get_map(rotation, NULL));
  REFUSED(rotary_rotation_get_layer(NULL, &layer));
  REFUSED(rotary_rotation_get_layer(rotation, NULL));
  REFUSED(rotary_rotation_get_axis(NULL, 0, &axis));
  REFUSED(rotary_rotation_get_axis(rotation, 0, NULL));
  REFUSED(rotary_rotation_get_axis(rotation, 1, &axis));
  CHECK(rotary_rotation_warning(NULL, 0) == NULL);
}

static void test_null_applying(const rotary_rotation* r, const rotary_tensor* x, const rotary_positions* p) {
  const rotary_tensor* none[1] = {NULL};
  REFUSED(rotary_apply(NULL, x, NULL, p, NULL));
  REFUSED(rotary_apply(r, NULL, NULL, p, NULL));
  REFUSED(rotary_apply(r, x, NULL, NULL, NULL));
  REFUSED(rotary_apply_many(NULL, &x, 1, p, NULL));
  REFUSED(rotary_apply_many(r, NULL, 1, p, NULL));
  REFUSED(rotary_apply_many(r, none, 1, p, NULL));
  REFUSED(rotary_apply_many(r, &x, 1, NULL, NULL));
  REFUSED(rotary_unrotate(NULL, x, NULL, p, NULL));
  REFUSED(rotary_unrotate(r, NULL, NULL, p, NULL));
  REFUSED(rotary_unrotate(r, x, NULL, NULL, NULL));
  REFUSED(rotary_backward(NULL, x, NULL, p, NULL));
  REFUSED(rotary_backward(r, NULL, NULL, p, NULL));
  REFUSED(rotary_backward(r, x, NULL, NULL, NULL));
  REFUSED(rotary_shift_keys(NULL, x, 1, NULL));
  REFUSED(rotary_shift_keys(r, NULL, 1, NULL));
  REFUSED(rotary_shift_keys_each(NULL, x, p, NULL));
  REFUSED(rotary_shift_keys_each(r, NULL, p, NULL));
  REFUSED(rotary_shift_keys_each(r, x, NULL, NULL));
  REFUSED(rotary_shift_keys_each(r, x, p, NULL)); /* a range is no list of deltas */
  REFUSED(rotary_move_keys(NULL, p, r, p, x, NULL));
  REFUSED(rotary_move_keys(r, NULL, r, p, x, NULL));
  REFUSED(rotary_move_keys(r, p, NULL, p, x, NULL));
  REFUSED(rotary_move_keys(r, p, r, NULL, x, NULL));
  REFUSED(rotary_move_keys(r, p, r, p, NULL, NULL));
}

void test_null_arguments(void) {
  float x[4] = {1, 2, 3, 4}, table[2];
  const rotary_tensor t = float_tensor(x, 1, 1, 4);
  const rotary_positions p = positions_from(1);
  rotary_rotation* r = half_rotation(4);
  test_null_making();
  test_null_reading(r);
  test_null_applying(r, &t, &p);
  REFUSED(rotary_table(NULL, &p, 1, 0, table, table));
  REFUSED(rotary_table(r, NULL, 1, 0, table, table));
  REFUSED(rotary_table(r, &p, 1, 0, NULL, table));
  REFUSED(rotary_table(r, &p, 1, 0, table, NULL));
  REFUSED(rotary_table(r, &p, -1, 0, table, table));
  REFUSED(rotary_table(r, &p, 1, 1, table, table));
  CHECK(x[0] == 1 && x[1] == 2 && x[2] == 3 && x[3] == 4);
  rotary_rotation_release(r);
}
