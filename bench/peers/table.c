// A table of cosines and sines with the C library's vectorised functions: double angles, double sines, rounded to
// float. Two loops, since a compiler that sees both makes one scalar call of sincos() of them.
#include <math.h>

void plain_table(float* restrict cosines, float* restrict sines, const double* restrict frequencies, long rows,
                 long pairs) {
  for (long m = 0; m < rows; ++m) {
    for (long i = 0; i < pairs; ++i) cosines[m * pairs + i] = (float)cos((double)m * frequencies[i]);
    for (long i = 0; i < pairs; ++i) sines[m * pairs + i] = (float)sin((double)m * frequencies[i]);
  }
}
