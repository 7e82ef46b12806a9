// rotary: the command-line workbench. Parsing and printing only.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "cli/commands.h"
#include "rotary/version.h"

namespace {

constexpr int kFailure = 1, kUsage = 2;

// One line on stderr, whatever the message holds.
int report(const std::string& what, int status) {
  std::string line = what.substr(0, what.find('\n'));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  std::fprintf(stderr, "rotary: %s\n", line.c_str());
  return status;
}

// CLI11 answers an unknown verb with "a subcommand is required", which says neither what came nor what may.
void require_known_verb(const CLI::App& app, const std::string& verb) {
  std::string known;
  for (const CLI::App* subcommand : app.get_subcommands(nullptr)) {
    if (subcommand->get_name() == verb) return;
    known += (known.empty() ? "" : ", ") + subcommand->get_name();
  }
  throw CLI::ValidationError("the verb must be one of " + known + ", got '" + verb + "'");
}

int run(int argc, char** argv) {
  CLI::App app{"Rotary position embeddings: what a model rotates, exactly."};
  app.name("rotary");
  app.set_version_flag("--version", std::string("rotary ") + ROTARY_VERSION_STRING);
  app.require_subcommand(1);
  rotary::cli::add_inspect(app);
  rotary::cli::add_diff(app);
  try {
    if (argc > 1 && argv[1][0] != '-') require_known_verb(app, argv[1]);
    app.parse(argc, argv);
    std::cout.flush();
    return std::cout ? 0 : report("standard output must be writable, got a write error", kFailure);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::RuntimeError& done) {
    std::cout.flush();
    return done.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return report(error.what(), kUsage);
  } catch (const std::exception& error) {
    return report(error.what(), kFailure);
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
