// What an option's value must be, in the project's grammar: "--layers: must be 1 .. 1024, got 0". CLI11's own checks
// let nan through and put their ranges into the help's first column.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace rotary::cli {

CLI::Validator whole_number(std::int64_t least, std::int64_t most);
CLI::Validator seed_number();         ///< 0 .. 2^64 - 1; CLI11 would take -1 for the largest
CLI::Validator share();               ///< 0 .. 1
CLI::Validator share_below_one();     ///< [0, 1)
CLI::Validator positive_number();     ///< finite
CLI::Validator not_negative();        ///< finite
CLI::Validator number_above_one();    ///< finite
CLI::Validator number_from_one_on();  ///< finite
CLI::Validator one_of(std::initializer_list<const char*> names);
CLI::Validator not_empty();  ///< a path; "" would be the working folder

/// A fault that only several options together make: the program ends as for a single bad one. "option: must_hold, got
/// value".
[[noreturn]] void refuse(const std::string& option, const std::string& must_hold, const std::string& got);

}  // namespace rotary::cli
