// Released configurations by name, and what the workbench's verbs print about them.
#pragma once

#include <pty.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>

#include "cli/program.h"

namespace rotary::testing {

/// A configuration of tests/golden/rope/published.jsonl.
inline std::string published(const std::string& name) {
  std::ifstream in(ROTARY_TEST_DATA "/rope/published.jsonl");
  for (std::string line; std::getline(in, line);) {
    const nlohmann::json record = nlohmann::json::parse(line);
    if (record.value("config", "") == name) return record.at("json").dump();
  }
  throw std::runtime_error("no published configuration is called " + name);
}

struct PublishedCase {
  const char* name;
  std::string options = {};

  friend void PrintTo(const PublishedCase& c, std::ostream* out) { *out << c.name; }
};

/// A label that GoogleTest takes.
inline std::string published_label(const ::testing::TestParamInfo<PublishedCase>& info) {
  std::string out = info.param.name;
  for (char& c : out)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return out;
}

class Workbench : public Program {
 protected:
  /// Run beside the configuration, so that no message holds a folder.
  Finished verb(const std::string& arguments) const {
    const std::string command = "cd " + folder_.string() + " && " + ROTARY_PROGRAM + " " + arguments + " >out 2>err";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents_of("out"), contents_of("err")};
  }

  /// What a terminal of that width shows.
  std::string on_terminal(const std::string& arguments, unsigned short columns) const {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = columns;
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
      const std::string command = "cd " + folder_.string() + " && " + ROTARY_PROGRAM + " " + arguments;
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    std::string out;
    char buffer[4096];
    for (ssize_t got; (got = read(terminal, buffer, sizeof buffer)) > 0;)  // fails when the child has gone
      out.append(buffer, static_cast<std::size_t>(got));
    close(terminal);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << out;
    std::erase(out, '\r');
    return out;
  }

  nlohmann::json json_of(const std::string& arguments) const {
    const Finished run = verb(arguments + " --json");
    EXPECT_EQ(run.status, 0) << run.err;
    return nlohmann::json::parse(run.out, nullptr, false);
  }

  /// The output, against the file of that name; see the README beside it.
  void expect_golden(const std::string& name, const std::string& arguments) const {
    const Finished run = verb(arguments);
    EXPECT_EQ(run.status, 0) << run.err;
    const std::string path = std::string(ROTARY_TEST_DATA "/workbench/") + name;
    if (std::getenv("ROTARY_WRITE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << run.out;
    std::ifstream in(path, std::ios::binary);
    EXPECT_EQ(run.out, std::string(std::istreambuf_iterator<char>(in), {})) << path;
  }

  void expect_goldens(const PublishedCase& c, const std::string& verb) const {
    write(published(c.name));
    const std::string stem = std::string(c.name) + "." + verb, arguments = verb + " config.json " + c.options;
    expect_golden(stem + ".txt", arguments);
    expect_golden(stem + ".json", arguments + " --json");
  }

 private:
  std::string contents_of(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

}  // namespace rotary::testing
