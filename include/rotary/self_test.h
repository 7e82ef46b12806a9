// Whether this build rotates right on this machine.
#pragma once

#include <string>
#include <vector>

#include "rotary/version.h"

namespace rotary {

struct SelfTestResult {
  std::string target;  ///< SIMD target: "AVX3", ...; "" for what does not depend on it
  std::string name;    ///< what must hold, as a sentence
  bool passed = false;
  std::string detail;  ///< what was measured, and the bound
};

/// Laws of the rotation and known values, on every SIMD target that this CPU has, at the positions {0, 1, 2049, 8191,
/// 65537, 131071, 1000003}, in batches of 2, for float32, float16 and bfloat16. About a tenth of a second.
///
/// It changes the target in use while it runs and puts it back: nothing else may rotate meanwhile.
ROTARY_API std::vector<SelfTestResult> self_test();

}  // namespace rotary
