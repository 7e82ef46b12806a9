// Hands the verbs of rotary-nn to it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>

#include "cli/commands.h"
#include "cli/model_verbs.h"

namespace rotary::cli {
namespace {

// Beside this program.
std::filesystem::path other_program() {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.replace_filename("rotary-nn");
}

[[noreturn]] void become(const std::string& verb, char** argv) {
  const std::string program = other_program().string();
  std::cout.flush();
  execv(program.c_str(), argv);
  if (errno == ENOENT)
    throw std::runtime_error(verb +
                             ": rotary-nn must be beside rotary, got none; it is built where libtorch and oneDNN are "
                             "found (docs/train.md)");
  throw std::runtime_error(verb + ": " + program + " must run, got " + std::strerror(errno));
}

}  // namespace

void add_model_verbs(CLI::App& app, int argc, char** argv) {
  for (const ModelVerb& verb : kModelVerbs) {
    CLI::App* command = app.add_subcommand(verb.name, verb.purpose);
    if (argc > 1 && std::string(verb.name) == argv[1]) {  // all that follows is the other program's, --help too
      command->set_help_flag();
      command->prefix_command();
      command->callback([&verb, argv] { become(verb.name, argv); });
    }
  }
}

}  // namespace rotary::cli
