// What the programs have in common: parsing, one line for an error, the exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace rotary::cli {

constexpr int kFailure = 1, kUsage = 2;
constexpr int kInterrupted = 130;  // as a shell reports SIGINT

/// Runs the verb that the arguments name. `failure_status` gives the exit status of a failing verb.
int run_program(CLI::App& app, int argc, char** argv, int (*failure_status)(const std::string& verb));

/// One line on stderr, "rotary: ...", whatever the message holds; returns `status`.
int report_error(const std::string& what, int status);

}  // namespace rotary::cli
