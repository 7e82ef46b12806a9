// The scanner that the other tests trust.
#include "report/markup.h"

#include <gtest/gtest.h>

namespace rotary::testing {
namespace {

TEST(Markup, WellFormedDocumentsHaveNoFault) {
  EXPECT_EQ(xml_fault("<a b=\"1\" c=\"x &amp; y\"><d/>text &lt; text<e></e></a>\n"), "");
}

TEST(Markup, EveryKindOfFaultIsFound) {
  for (const char* bad : {"", "<a>", "<a></b>", "</a>", "<a/><b/>", "<a b=1/>", "<a b=\"<\"/>", "<a>&</a>",
                          "<a>x < y</a>", "<a b=\"1\" b=\"2\"/>", "<a/>text", "<a>\x01</a>", "<a b=\"1/>"})
    EXPECT_NE(xml_fault(bad), "") << bad;
}

}  // namespace
}  // namespace rotary::testing
