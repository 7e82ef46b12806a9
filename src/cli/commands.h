// One function per verb; each adds its subcommand and runs it from a callback.
#pragma once

#include <CLI/CLI.hpp>

namespace rotary::cli {

void add_inspect(CLI::App& app);
void add_diff(CLI::App& app);
void add_explain(CLI::App& app);
void add_pairs(CLI::App& app);
void add_precision(CLI::App& app);
void add_bench(CLI::App& app);
void add_check(CLI::App& app);
void add_plot(CLI::App& app);
void add_report(CLI::App& app);

// The verbs of rotary-nn: rotary becomes it when one is named.
void add_model_verbs(CLI::App& app, int argc, char** argv);

// In rotary-nn itself.
void add_train(CLI::App& app);
void add_pretrain(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_classify(CLI::App& app);
void add_show_attention(CLI::App& app);
void add_logits(CLI::App& app);
void add_bench_model(CLI::App& app);

}  // namespace rotary::cli
