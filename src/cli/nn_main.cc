// rotary-nn: the verbs that need libtorch. rotary starts it.
#include <malloc.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/run_program.h"

namespace {

// Every step allocates and frees the same megabytes: giving them back to the system each time costs more than half of
// the time in page faults.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

int failure_status(const std::string&) { return rotary::cli::kFailure; }

int run(int argc, char** argv) {
  keep_freed_memory();
  CLI::App app{"RoFormer classifiers of long documents, and the models that rotate."};
  app.name("rotary");
  app.require_subcommand(1);
  rotary::cli::add_train(app);
  rotary::cli::add_pretrain(app);
  rotary::cli::add_evaluate(app);
  rotary::cli::add_classify(app);
  rotary::cli::add_show_attention(app);
  rotary::cli::add_logits(app);
  rotary::cli::add_bench_model(app);
  return rotary::cli::run_program(app, argc, argv, failure_status);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {
    return rotary::cli::kFailure;
  }
}
