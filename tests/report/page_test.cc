// HTML pages.
#include "report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/markup.h"

namespace rotary::report {
namespace {

using testing::count;
using ::testing::HasSubstr;
using ::testing::Not;

Page example() {
  Page page("Evaluation <1>");
  page.paragraph("One & two.\n\nThree.").facts({{"seed", "1"}});
  page.section("Accuracy").table({{{"length"}, {"accuracy"}}, {{"64", "81.2 %"}, {"<beyond>", "–"}}}, "By length");
  page.section("Loss").figure(LineChart{"Loss", {}, {}, {{"s", {1, 2}, {2, 1}}}}, "Falls.");
  page.command("rotary evaluate m \\\n  --data 'x' > y");
  return page;
}

TEST(Page, IsADocumentWithoutAnythingFromElsewhere) {
  const std::string html = example().to_html();
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_THAT(html, HasSubstr("<title>Evaluation &lt;1&gt;</title>"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  EXPECT_THAT(html, Not(HasSubstr("url(")));
  EXPECT_EQ(count(html, "http"), 1);  // the name space of SVG
}

// Everything after the head is XML by itself, but for the void elements, of which the body has none.
TEST(Page, ItsBodyNestsAsItShould) {
  const std::string html = example().to_html();
  const std::size_t begin = html.find("<body>"), end = html.find("</html>");
  EXPECT_EQ(testing::xml_fault(html.substr(begin, end - begin)), "");
}

TEST(Page, SameCallsGiveTheSameBytes) { EXPECT_EQ(example().to_html(), example().to_html()); }

TEST(Page, TextIsEscapedAndDividedIntoParagraphs) {
  const std::string html = example().to_html();
  EXPECT_THAT(html, HasSubstr("<p>One &amp; two.</p>\n<p>Three.</p>"));
  EXPECT_THAT(html, HasSubstr("<dt>seed</dt><dd>1</dd>"));
  EXPECT_THAT(html, HasSubstr("<pre><code>rotary evaluate m \\\n  --data &#39;x&#39; &gt; y</code></pre>"));
}

TEST(Page, TablesHaveHeadersWithScopesAndNumbersOnTheRight) {
  const std::string html = example().to_html();
  EXPECT_THAT(html, HasSubstr("<caption>By length</caption>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\">length</th><th scope=\"col\" class=\"number\">accuracy</th>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">&lt;beyond&gt;</th><td class=\"number\">–</td>"));
}

TEST(Page, FigureStylesComeOnceAndOnlyWithFigures) {
  Page page("t");
  EXPECT_THAT(page.to_html(), Not(HasSubstr(".figure .card")));
  page.figure(HeatMap{"", 1, 1, {1}}).figure(HeatMap{"", 1, 1, {1}});
  EXPECT_EQ(count(page.to_html(), ".figure .card{fill:#ffffff}"), 1);
  EXPECT_EQ(count(page.to_html(), "<svg xmlns"), 2);
}

TEST(Page, FourSectionsMakeAListOfThem) {
  Page page("t");
  page.section("a").section("b").section("c");
  EXPECT_THAT(page.to_html(), Not(HasSubstr("<nav")));
  page.section("d & e");
  EXPECT_THAT(page.to_html(), HasSubstr("<li><a href=\"#section-4\">d &amp; e</a></li>"));
  EXPECT_THAT(page.to_html(), HasSubstr("<h2 id=\"section-4\">"));
}

}  // namespace
}  // namespace rotary::report
