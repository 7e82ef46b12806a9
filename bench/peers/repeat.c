// Calls a C interface many times without a word of Python between.
typedef int apply_function(const void* rotation, const void* in, const void* out, const void* positions,
                           const void* options);

int repeat_apply(apply_function* apply, const void* rotation, const void* in, const void* out, const void* positions,
                 const void* options, int repeats) {
  int status = 0;
  for (int i = 0; i < repeats && status == 0; ++i) status = apply(rotation, in, out, positions, options);
  return status;
}
