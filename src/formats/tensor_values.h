// The elements of a stored tensor as numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "rotary/formats/stored_tensor.h"

namespace rotary::detail {

/// `out` has num_elements(tensor) elements. Both throw std::runtime_error that begins with `place` for other types than
/// SafetensorsFile's functions of these names name.
void read_float_into(const StoredTensor& tensor, const std::string& place, std::span<float> out);
void read_int64_into(const StoredTensor& tensor, const std::string& place, std::span<std::int64_t> out);

}  // namespace rotary::detail
