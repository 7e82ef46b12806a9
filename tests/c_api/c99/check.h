/* Checks of the C99 program: they count and go on. */
#ifndef ROTARY_TESTS_C_API_CHECK_H
#define ROTARY_TESTS_C_API_CHECK_H

#include "rotary/rotary_c.h"

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_STATUS(expected, call) check_status(expected, call, #call, __FILE__, __LINE__)

void check(int ok, const char* what, const char* file, int line);
/* The status, and for a failure that there is a text. */
void check_status(rotary_status expected, rotary_status got, const char* what, const char* file, int line);

/* A rotation of half pairing, base 10000, all of `channels`; never null. */
rotary_rotation* half_rotation(int32_t channels);
/* Contiguous float32 [token][head][channel]. */
rotary_tensor float_tensor(float* data, int64_t tokens, int64_t heads, int64_t channels);
rotary_positions positions_from(int64_t first);

void test_statuses(void);
void test_null_arguments(void);
void test_rotations(const char* config);
void test_operations(void);
void test_vectors(const char* data);

#endif
