// Prose in lines of a width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rotary::report {

/// Words of `text` in lines of at most `width` code points, each after `indent` blanks; a line break in the text begins
/// a new line, and further lines of one that begins with "- " hang behind it. A word longer than a line has one to
/// itself. Control characters are blanks. Every line ends with a line break, none with blanks.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);

/// The lines of `block`, each after `indent` blanks; empty lines stay empty.
std::string indented(std::string_view block, std::size_t indent);

}  // namespace rotary::report
