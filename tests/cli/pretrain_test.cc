// `rotary pretrain`: text of any form, encodings side by side, and going on after an interruption.
#ifdef ROTARY_HAS_MODEL_VERBS
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "cli/classifier.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Pretrain : public Classifier {
 protected:
  std::string command(const std::string& data, const std::string& options = "--epochs 1") const {
    return "pretrain --data " + data + " --output " + file("words") + small("--heads 2 " + options);
  }
};

TEST_F(Pretrain, TakesTextOfAnyForm) {
  std::string text;
  for (const auto& [label, sentence] : sentences()) {
    write_in("folder/" + std::to_string(text.size()) + ".txt", sentence);
    text += sentence + "\n";
  }
  write(text, "text.txt");
  for (const std::string& data : {write_csv(), file("folder")}) {
    const Finished run = rotary(command(data));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("54 training and 6 validation texts"));
    EXPECT_THAT(run.out, HasSubstr("masked words right"));
  }
  const Finished one = rotary(command(file("text.txt")));
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("1 training and 0 validation texts"));
  EXPECT_THAT(one.out + one.err, Not(HasSubstr("masked words right"))) << "there was nothing to validate with";
}

TEST_F(Pretrain, DrawsEncodingsSideBySide) {
  const Finished run = rotary(command(write_csv(), "--epochs 2 --compare rope,none"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("training loss"));
  EXPECT_TRUE(is_well_formed(bytes("words/compare.svg")));
  for (const char* name : {"words/rope", "words/none"})
    EXPECT_EQ(
        rotary("train --data " + file("data.csv") + " --epochs 1 --from " + file(name) + " --output " + file("model"))
            .status,
        0);
  expect_failure(rotary(command(file("data.csv"), "--compare rope,foo")), 2, "--compare: must be one of");
  expect_failure(rotary(command(file("data.csv"), "--compare rope --resume")), 2, "--compare");
}

TEST_F(Pretrain, GoesOnToTheBitsOfAnUninterruptedOne) {
  const std::string run = command(write_csv(), "--epochs 200 --threads 1");
  ASSERT_EQ(rotary(run).status, 0);
  const std::string expected = bytes("words/model.safetensors");
  ASSERT_FALSE(expected.empty());
  std::filesystem::remove_all(file("words"));  // its log, which is waited for
  const Finished stopped = rotary_until(run, "words/log.jsonl", "\"epoch\":1,", SIGINT);
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_TRUE(std::filesystem::exists(file("words/checkpoint.safetensors")));
  const Finished resumed = rotary(run + " --resume");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(bytes("words/model.safetensors"), expected);
}

TEST_F(Pretrain, SaysWhatIsWrong) {
  write("bad \xff", "bad.txt");
  write("", "empty.txt");
  expect_failure(rotary(command(file("bad.txt"))), 1, "bad.txt:1:5: must be UTF-8");
  expect_failure(rotary(command(file("empty.txt"))), 1, "must hold training documents");
  expect_failure(rotary(command(write_csv(), "--resume")), 1, "must have an unfinished training to --resume");
  expect_failure(rotary(command(write_csv(), "--crop 2")), 2, "--crop: must be a number, 0 .. 1, got '2'");
}

}  // namespace
}  // namespace rotary::testing

#endif  // ROTARY_HAS_MODEL_VERBS
