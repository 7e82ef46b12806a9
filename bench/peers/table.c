// A table of cosines and sines with the C library's vectorised functions: double angles, double sines, rounded to
// float.
#include <math.h>

void plain_table(float* restrict cosines, float* restrict sines, const double* restrict frequencies, long rows,
                 long pairs) {
  for (long m = 0; m < rows; ++m)
    for (long i = 0; i < pairs; ++i) {
      const double angle = (double)m * frequencies[i];
      cosines[m * pairs + i] = (float)cos(angle);
      sines[m * pairs + i] = (float)sin(angle);
    }
}
