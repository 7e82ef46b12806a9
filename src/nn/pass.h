// What one pass through a model needs besides its input.
#pragma once

#include <cstdint>

#include "matmul/matmul.h"

namespace rotary::nn {

/// One pass of one thread. Dropout draws from `seed` and a count of its sites, so that a pass gives the same masks on
/// whichever thread it runs.
struct Pass {
  MatmulPrecision precision = MatmulPrecision::kFloat32;
  bool training = false;
  std::uint64_t seed = 0;
  mutable std::uint64_t dropout_sites = 0;
};

/// Bits that are as good as independent for every (seed, stream).
constexpr std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t x = seed + 0x9e3779b97f4a7c15U * (stream + 1);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

}  // namespace rotary::nn
