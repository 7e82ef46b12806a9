// Which channel meets which, as a strip with one character per channel.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rotary/layer_rotation.h"

namespace rotary::cli {

/// One letter per axis: the first of its name, or A, B, C where two names begin alike.
std::vector<char> axis_letters(const std::vector<PositionAxis>& axes);

/// Rows of `width` columns at most: channel numbers, the last digit of the pair's number under each channel ('.':
/// copied), which end of the pair it is ('<' x[a], '>' x[b]), and, where there are several axes or pairs that stand
/// still, the axis by its letter ('+' several, '-' none).
std::string pairs_drawing(const RotationMap& map, const std::vector<PositionAxis>& axes, std::size_t width);

/// The same in words: runs of pairs, where results go if elsewhere, what each axis turns, what is copied.
std::string pairs_in_words(const RotationMap& map, const std::vector<PositionAxis>& axes);

}  // namespace rotary::cli
