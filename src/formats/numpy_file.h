// Arrays in NumPy's format, version 1 to 3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rotary::detail {

struct NumpyArray {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  ///< row-major
};

/// Reads little-endian float16, float32 and float64 in C order. Throws std::runtime_error naming the file.
NumpyArray read_numpy(const std::string& path);

}  // namespace rotary::detail
