// rotary: the command-line workbench. Parsing and printing only.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "cli/commands.h"
#include "rotary/version.h"

namespace {

// diff answers with 0 and 1, so its failures are 2 too, as those of diff(1) and cmp(1) are.
constexpr int kFailure = 1, kUsage = 2, kDiffFailure = 2;

// One line on stderr, whatever the message holds.
int report(const std::string& what, int status) {
  std::string line = what.substr(0, what.find('\n'));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  std::fprintf(stderr, "rotary: %s\n", line.c_str());
  return status;
}

// CLI11 answers an unknown verb, or none, with "a subcommand is required", which says neither what came nor what may.
void require_known_verb(const CLI::App& app, const std::string& verb) {
  std::string known;
  for (const CLI::App* subcommand : app.get_subcommands(nullptr)) {
    if (subcommand->get_name() == verb) return;
    known += (known.empty() ? "" : ", ") + subcommand->get_name();
  }
  throw CLI::ValidationError("the verb must be one of " + known +
                             (verb.empty() ? ", got none" : ", got '" + verb + "'") + "; see rotary --help");
}

int run(int argc, char** argv) {
  CLI::App app{"Rotary position embeddings: what a model rotates, exactly."};
  app.name("rotary");
  app.set_version_flag("--version", std::string("rotary ") + ROTARY_VERSION_STRING);
  app.require_subcommand(1);
  rotary::cli::add_inspect(app);
  rotary::cli::add_diff(app);
  rotary::cli::add_bench(app);
  const int failure = argc > 1 && std::string(argv[1]) == "diff" ? kDiffFailure : kFailure;
  try {
    if (argc < 2 || argv[1][0] != '-') require_known_verb(app, argc < 2 ? "" : argv[1]);
    int status = 0;
    try {
      app.parse(argc, argv);
    } catch (const CLI::RuntimeError& done) {
      status = done.get_exit_code();
    }
    std::cout.flush();
    return std::cout ? status : report("standard output must be writable, got a write error", failure);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    return report(error.what(), kUsage);
  } catch (const std::exception& error) {
    return report(error.what(), failure);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {  // no memory left even for a message
    return kFailure;
  }
}
