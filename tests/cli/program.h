// The built program, run as users run it, in a folder of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace rotary::testing {

struct Finished {
  int status = -1;
  std::string out, err;
};

class Program : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "rotary-cli-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name = "config.json") const { return (folder_ / name).string(); }
  void write(const std::string& config, const std::string& name = "config.json") const {
    std::ofstream(folder_ / name) << config;
  }

  Finished rotary(const std::string& arguments) const {
    const std::string command = std::string(ROTARY_PROGRAM) + " " + arguments + " >" + (folder_ / "out").string() +
                                " 2>" + (folder_ / "err").string() + " </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents("out"), contents("err")};
  }

  std::filesystem::path folder_;

 private:
  std::string contents(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

/// One line on stderr that starts with the program's name, nothing on stdout.
inline void expect_failure(const Finished& run, int status, const std::string& part) {
  EXPECT_EQ(run.status, status) << run.out << run.err;
  EXPECT_THAT(run.err, ::testing::StartsWith("rotary: "));
  EXPECT_THAT(run.err, ::testing::HasSubstr(part));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_EQ(run.err.back(), '\n');
  EXPECT_THAT(run.out, ::testing::IsEmpty());
}

}  // namespace rotary::testing
