#include "cli/run_program.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

namespace rotary::cli {
namespace {

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

// libtorch's and the standard library's words for it name neither what was wanted nor what to do.
std::string in_plain_words(const std::string& what) {
  static const std::string kTorch = "you tried to allocate ";
  const std::size_t at = what.find(kTorch);
  if (at == std::string::npos && what != std::bad_alloc().what()) return what;
  const std::string wanted =
      at == std::string::npos
          ? ""
          : " for another " + what.substr(at + kTorch.size(), what.find(" bytes", at) - at - kTorch.size()) + " bytes";
  return "memory must be enough, got none" + wanted;
}

}  // namespace

int report_error(const std::string& what, int status) {
  std::string line = what.substr(0, what.find('\n'));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  std::fprintf(stderr, "rotary: %s\n", line.c_str());
  return status;
}

int run_program(CLI::App& app, int argc, char** argv, int (*failure_status)(const std::string& verb)) {
  const std::string verb = argc < 2 ? "" : argv[1];
  const int failure = failure_status(verb);
  try {
    if (verb.empty() || verb[0] != '-') require_known_verb(app, verb);
    int status = 0;
    try {
      app.parse(argc, argv);
    } catch (const CLI::RuntimeError& done) {
      status = done.get_exit_code();
    }
    std::cout.flush();
    return std::cout ? status : report_error("standard output must be writable, got a write error", failure);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    return report_error(error.what(), kUsage);
  } catch (const std::exception& error) {
    return report_error(in_plain_words(error.what()), failure);
  }
}

}  // namespace rotary::cli
