#include <cstdio>
#include <cstring>

#include "rotary/version.h"

int main() {
  std::printf("rotary %s\n", rotary::version());
  return std::strcmp(rotary::version(), ROTARY_VERSION_STRING);
}
