// `rotary show-attention`: a well-formed picture, whatever the tokens are.
#ifdef ROTARY_HAS_MODEL_VERBS
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/classifier.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ShowAttention : public Classifier {
 protected:
  void SetUp() override {
    Classifier::SetUp();
    std::string text = "text,label\n";
    for (int i = 0; i < 30; ++i) text += "a < b & c > d <script>,maths\nthe \xe2\x80\xae wave,sea\n";
    write(text, "data.csv");
    ASSERT_EQ(rotary("train --data " + file("data.csv") + " --output " + file("model") + small("--epochs 1")).status,
              0);
    write("a < b & c </text> <script> the wave", "page.txt");
  }
  Finished show(const std::string& options = "") const {
    return rotary("show-attention " + file("model") + " " + file("page.txt") + " --output " + file("x.svg") + " " +
                  options);
  }
};

TEST_F(ShowAttention, DrawsEveryHeadOverTokensThatAreMarkup) {
  const Finished run = show();
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("layer 0, 2 heads"));
  const std::string svg = bytes("x.svg");
  EXPECT_TRUE(is_well_formed(svg)) << svg.substr(0, 2000);
  for (const char* part : {"<svg", "&lt;", "&amp;", "wave"}) EXPECT_THAT(svg, HasSubstr(part));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST_F(ShowAttention, DrawsTheTokensThatAreAskedFor) {
  EXPECT_THAT(show("--from 2 --tokens 3").out, HasSubstr("tokens 2 to 4 of"));
  EXPECT_THAT(rotary_reading("the wave", "show-attention " + file("model") + " - --output " + file("x.svg")).out,
              HasSubstr("tokens 0 to 1 of -"));
}

TEST_F(ShowAttention, SaysWhatIsWrongAndDrawsNothing) {
  expect_failure(show("--layer 1"), 2, "--layer: must be 0 .. 0, got 1");
  expect_failure(show("--from 1000"), 2, "--from: must be below the document's");
  expect_failure(show("--tokens 0"), 2, "--tokens");
  const std::string model = "show-attention " + file("model") + " ", to = " --output " + file("x.svg");
  expect_failure(rotary(model + "/dev/null" + to), 1, "/dev/null: must have text");
  expect_failure(rotary(model + file("missing") + to), 1, "missing: must be readable");
  expect_failure(rotary(model + file("page.txt") + " --output " + file("none/x.svg")), 1,
                 "none/x.svg: must be writable");
  expect_failure(rotary(model + file("page.txt") + " --output " + file("model")), 1, "model: must be a regular file");
  expect_failure(rotary("show-attention " + file("none") + " " + file("page.txt") + to), 1, "none/config.json");
  EXPECT_FALSE(std::filesystem::exists(file("x.svg")));
}

}  // namespace
}  // namespace rotary::testing

#endif  // ROTARY_HAS_MODEL_VERBS
