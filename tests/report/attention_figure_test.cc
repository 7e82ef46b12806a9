// Attention drawings.
#include "report/attention_figure.h"

#include <gtest/gtest.h>

#include "report/markup.h"

namespace rotary::report {
namespace {

using testing::count;
using testing::xml_fault;

Grid attention(int num_tokens, int num_heads, AttentionOptions options = {}) {
  std::vector<std::string> tokens;
  for (int i = 0; i < num_tokens; ++i) tokens.push_back("t" + std::to_string(i));
  const auto cells = static_cast<std::size_t>(num_tokens * num_tokens);
  std::vector<float> weights(cells * static_cast<std::size_t>(num_heads));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i / cells + 1) / 10;
  return attention_figure(tokens, weights, num_heads, options);
}

const HeatMap& head(const Grid& grid, std::size_t h) { return std::get<HeatMap>(grid.panels.at(h).figure); }

TEST(AttentionFigure, HasAMapForEachHeadWithTheTokensOnBothAxes) {
  const Grid grid = attention(5, 3);
  ASSERT_EQ(grid.panels.size(), 3U);
  EXPECT_EQ(head(grid, 2).title, "head 2");
  EXPECT_EQ(head(grid, 2).row_labels, head(grid, 2).column_labels);
  EXPECT_EQ(head(grid, 2).row_labels[4], "t4");
  EXPECT_FLOAT_EQ(static_cast<float>(head(grid, 2).values[0]), 0.3F);
  EXPECT_EQ(head(grid, 1).tooltips[7], "t1 → t2: 0.2");
  EXPECT_EQ(xml_fault(to_svg(grid)), "");
}

TEST(AttentionFigure, HeadsShareAScaleOrHaveTheirOwn) {
  const Grid shared = attention(3, 2), own = attention(3, 2, {"", {"a", "b"}, 0, HeadScale::kOwn});
  EXPECT_FLOAT_EQ(static_cast<float>(*head(shared, 0).scale.max), 0.2F);
  EXPECT_TRUE(shared.scale.has_value() && !head(shared, 0).show_scale);
  EXPECT_FLOAT_EQ(static_cast<float>(*head(own, 0).scale.max), 0.1F);
  EXPECT_TRUE(!own.scale.has_value() && head(own, 0).show_scale);
  EXPECT_EQ(head(own, 1).title, "b");
}

TEST(AttentionFigure, BlankTokensCanBeSeen) {
  const std::vector<float> weights(16, 0.25F);
  const Grid grid = attention_figure({"\n", "  ", "", "a b"}, weights, 1);
  EXPECT_EQ(head(grid, 0).row_labels, (std::vector<std::string>{"↵", "␣", "∅", "a b"}));
}

TEST(AttentionFigure, ColumnsFillTheRowsAndTheScreen) {
  EXPECT_EQ(attention(5, 8).columns, 4);
  EXPECT_EQ(attention(40, 8).columns, 2);
  EXPECT_EQ(attention(5, 1).columns, 1);
  EXPECT_EQ(attention(5, 6).columns, 3);
  EXPECT_EQ(attention(5, 8, {"", {}, 8}).columns, 8);
}

TEST(AttentionFigure, OnlyHugeFiguresHaveNoTooltips) {
  EXPECT_EQ(head(attention(100, 2), 0).tooltips.size(), 10000U);
  EXPECT_TRUE(head(attention(101, 2), 0).tooltips.empty());
}

TEST(AttentionFigure, NoTokensGiveAnEmptyPicture) { EXPECT_EQ(xml_fault(to_svg(attention(0, 2))), ""); }

}  // namespace
}  // namespace rotary::report
