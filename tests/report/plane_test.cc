// Vectors in a plane.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/figure.h"
#include "report/markup.h"

namespace rotary::report {
namespace {

using testing::count;
using testing::paths_of;
using testing::texts_in;
using testing::xml_fault;

// Right and up, one of each kind of arrow, and the quarter turn between them.
Plane quarter_turn() {
  return {"Plane", "x", "y", {{"a", 1, 0, 0, true}, {"b", 0, 1, 1}}, {{"90°", 1, 0, 1.5707963267948966, 2}}};
}

struct Point {
  double x = 0, y = 0;
};

// Of the text that says `name`.
Point place_of(const std::string& svg, const std::string& name) {
  Point out;
  const std::size_t end = svg.find(">" + name + "</text>"), begin = svg.rfind("<text", end);
  std::sscanf(svg.c_str() + begin, "<text x=\"%lf\" y=\"%lf\"", &out.x, &out.y);
  return out;
}

TEST(Plane, IsWellFormedInEverySize) {
  for (const Figure& figure :
       {Figure(quarter_turn()), Figure(Plane{}), Figure(Grid{"", 2, {{quarter_turn(), "one"}}})}) {
    EXPECT_EQ(xml_fault(to_svg(figure)), "");
    for (const Size size : {Size{80, 60}, {2000, 100}, {100, 2000}}) EXPECT_EQ(xml_fault(to_svg(figure, size)), "");
  }
}

TEST(Plane, HasALineAndAHeadForEachArrowAndArc) {
  const std::string svg = to_svg(quarter_turn());
  EXPECT_EQ(paths_of(svg, "c0 line faint").size(), 1U);
  EXPECT_EQ(paths_of(svg, "c1 line\"").size(), 1U);
  EXPECT_EQ(paths_of(svg, "c2 thin").size(), 1U);
  for (const char* colour : {"c0 fill", "c1 fill", "c2 fill"}) EXPECT_EQ(paths_of(svg, colour).size(), 1U) << colour;
}

TEST(Plane, UpIsUpAndNamesStandAtTheTips) {
  const std::string svg = to_svg(quarter_turn(), {400, 400});
  const Point a = place_of(svg, "a"), b = place_of(svg, "b"), arc = place_of(svg, "90°");
  EXPECT_GT(a.x, 338);  // the tip: 138 pixels from the middle at (200, 212)
  EXPECT_NEAR(b.x, 200, 1);
  EXPECT_LT(b.y, 74);
  EXPECT_TRUE(arc.x > b.x && arc.x < a.x && arc.y > b.y && arc.y < a.y);
}

TEST(Plane, AnArcTheOtherWayLiesBelow) {
  Plane plane = quarter_turn();
  std::swap(plane.arcs[0].from, plane.arcs[0].to);
  const std::string there = paths_of(to_svg(quarter_turn()), "c2 thin")[0],
                    back = paths_of(to_svg(plane), "c2 thin")[0];
  EXPECT_NE(there, back);
  EXPECT_EQ(there.substr(0, there.find('L')), "M318 208");  // where a ends; back begins where b does
  EXPECT_EQ(back.substr(0, back.find('L')), "M184 74");
}

TEST(Plane, NamesOfTheSamePlaceDoNotLieOnEachOther) {
  Plane plane{"", "", "", {{"first", 1, 1}, {"second", 1, 1}}, {}};
  const std::string svg = to_svg(plane);
  const Point first = place_of(svg, "first"), second = place_of(svg, "second");
  EXPECT_TRUE(std::abs(first.y - second.y) >= 12 || std::abs(first.x - second.x) >= 30);
}

TEST(Plane, AnArrowOfNoLengthIsADot) {
  EXPECT_EQ(count(to_svg(Plane{"", "", "", {{"nothing", 0, 0}, {"b", 0, 1}}, {}}), "<circle"), 1);
}

TEST(Plane, NoCoordinateIsLostToOverflow) {
  for (const double size : {1e-300, 1e-12, 1e12, 1e299}) {
    const std::string svg = to_svg(Plane{"", "", "", {{"a", size, -size}}, {{"c", size, 0, 3}}});
    EXPECT_EQ(svg.find("nan"), svg.npos) << size;
    EXPECT_EQ(svg.find("inf"), svg.npos) << size;
  }
}

TEST(Plane, TextIsEscaped) {
  const std::string evil = "<b>&\"";
  const std::string svg = to_svg(Plane{evil, evil, evil, {{evil, 1, 0}}, {{evil, 1, 0, 1}}});
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(svg.find("<b>"), svg.npos);
}

}  // namespace
}  // namespace rotary::report
