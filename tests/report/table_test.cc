// Plain-text tables.
#include "report/table.h"

#include <gtest/gtest.h>

namespace rotary::report {
namespace {

TEST(Table, NumbersStandOnTheRightAndTextOnTheLeft) {
  EXPECT_EQ(to_text({{{"class"}, {"documents"}, {"F1"}}, {{"größe", "1,024", "0.81"}, {"b", "9", "–"}}}),
            "class  documents    F1\n"
            "-----  ---------  ----\n"
            "größe      1,024  0.81\n"
            "b              9     –\n");
}

TEST(Table, AColumnCanBeToldWhereToStand) {
  EXPECT_EQ(to_text({{{"a", Align::kRight}, {"b", Align::kLeft}}, {{"x", "1"}, {"yy", "10"}}}),
            " a  b\n"
            "--  --\n"
            " x  1\n"
            "yy  10\n");
}

TEST(Table, OneWordMakesAColumnText) {
  const auto align = [](const char* cell) { return alignments({{{"c"}}, {{"1"}, {cell}}})[0]; };
  for (const char* number : {"2", "-0.5", "−3", "+.5", "81.2 %", "18.3k", "0.81 ± 0.02", "3.5 ms", "", "n/a", "1e-05"})
    EXPECT_EQ(align(number), Align::kRight) << number;
  for (const char* text : {"x", "2 layers", "-", "%"})
    EXPECT_EQ(align(text), std::string(text) == "-" ? Align::kRight : Align::kLeft) << text;
  EXPECT_EQ(alignments({{{"c"}}, {{"-"}, {""}}})[0], Align::kLeft);  // nothing but blanks
}

TEST(Table, CellsStayOnTheirLine) {
  EXPECT_EQ(to_text({{{"a"}, {"b"}}, {{"x\ny\33[2J", "z"}}}), "a        b\n-------  -\nx y [2J  z\n");
}

TEST(Table, EmptyOnesAreFine) {
  EXPECT_EQ(to_text({}), "");
  EXPECT_EQ(to_text({{{"a"}}, {}}), "a\n-\n");
}

}  // namespace
}  // namespace rotary::report
