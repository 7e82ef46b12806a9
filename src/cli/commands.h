// One function per verb; each adds its subcommand and runs it from a callback.
#pragma once

#include <CLI/CLI.hpp>

namespace rotary::cli {

void add_inspect(CLI::App& app);
void add_diff(CLI::App& app);
void add_bench(CLI::App& app);

}  // namespace rotary::cli
