// rotary: the command-line workbench. Parsing and printing only.
#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/run_program.h"
#include "rotary/version.h"

namespace {

// diff and check answer with 0 and 1, so their failures are 2 too, as those of diff(1) and cmp(1) are.
constexpr int kDiffFailure = 2;

int failure_status(const std::string& verb) {
  return verb == "diff" || verb == "check" ? kDiffFailure : rotary::cli::kFailure;
}

int run(int argc, char** argv) {
  CLI::App app{
      "Rotary position embeddings: what a model rotates, exactly; and RoFormer classifiers of long documents."};
  app.name("rotary");
  app.set_version_flag("--version", std::string("rotary ") + ROTARY_VERSION_STRING);
  app.require_subcommand(1);
  rotary::cli::add_inspect(app);
  rotary::cli::add_diff(app);
  rotary::cli::add_check(app);
  rotary::cli::add_explain(app);
  rotary::cli::add_pairs(app);
  rotary::cli::add_precision(app);
  rotary::cli::add_bench(app);
  rotary::cli::add_plot(app);
  rotary::cli::add_report(app);
  rotary::cli::add_model_verbs(app, argc, argv);
  return rotary::cli::run_program(app, argc, argv, failure_status);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {  // no memory left even for a message
    return rotary::cli::kFailure;
  }
}
