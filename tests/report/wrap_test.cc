#include "report/wrap.h"

#include <gtest/gtest.h>

namespace rotary::report {
namespace {

TEST(Wrap, FillsLinesUpToTheWidth) {
  EXPECT_EQ(wrap("one two three", 7), "one two\nthree\n");
  EXPECT_EQ(wrap("one two three", 6), "one\ntwo\nthree\n");
  EXPECT_EQ(wrap("one two", 9, 2), "  one two\n");
  EXPECT_EQ(wrap("one two", 8, 2), "  one\n  two\n");
}

TEST(Wrap, CountsCodePoints) { EXPECT_EQ(wrap("äöü äöü", 7), "äöü äöü\n"); }

TEST(Wrap, KeepsLineBreaksAndLongWords) {
  EXPECT_EQ(wrap("a\nb  c ", 10), "a\nb c\n");
  EXPECT_EQ(wrap("a longest b", 3), "a\nlongest\nb\n");
  EXPECT_EQ(wrap("a\n\nb", 3), "a\n\nb\n");
  EXPECT_EQ(wrap("", 3), "");
  EXPECT_EQ(wrap("a\tb\x1b[1m", 20), "a b [1m\n");
}

TEST(Wrap, HangsItemsOfLists) { EXPECT_EQ(wrap("- one two\n- three", 8, 1), " - one\n   two\n - three\n"); }

TEST(Indented, MovesEveryLineButEmptyOnes) {
  EXPECT_EQ(indented("a\n\n b", 2), "  a\n\n   b\n");
  EXPECT_EQ(indented("", 2), "");
}

}  // namespace
}  // namespace rotary::report
