// The verbs that rotary hands to rotary-nn, where that program is not there.
#include <gtest/gtest.h>

#include <string>

#include "cli/classifier.h"

namespace rotary::testing {
namespace {

using ModelVerbs = Classifier;

TEST_F(ModelVerbs, SayWhichProgramIsMissing) {
  std::filesystem::copy_file(ROTARY_PROGRAM, folder_ / "alone");
  for (const char* verb : {"train", "pretrain", "evaluate", "classify", "show-attention", "logits", "bench-model"}) {
    const std::string command = file("alone") + " " + verb + " --help >" + file("out") + " 2>" + file("err");
    const int status = std::system(command.c_str());
    expect_failure({WEXITSTATUS(status), bytes("out"), bytes("err")}, 1,
                   std::string(verb) + ": rotary-nn must be beside rotary, got none");
  }
}

}  // namespace
}  // namespace rotary::testing
