// The progress bar, on a clock of our own.
#include "report/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/markup.h"
#include "report/text.h"

namespace rotary::report {
namespace {

using testing::count;
using ::testing::HasSubstr;
using ::testing::Not;

struct Screen {
  std::ostringstream out;
  double now = 1000;
  int columns = 100;

  Terminal terminal(bool is_terminal = true) {
    return {&out, is_terminal, true, [this] { return columns; }, [this] { return now; }};
  }
  // What was written since the last call.
  std::string take() {
    std::string text = out.str();
    out.str("");
    return text;
  }
};

TEST(Progress, ShowsLabelBarPercentStepsRateExtraAndTimeLeft) {
  Screen screen;
  Progress progress(screen.terminal(), {"training", 2000, "tokens"});
  EXPECT_EQ(screen.take(), "");
  progress.update(0, 0);
  screen.now += 10;
  screen.take();
  progress.update(500, 183000, "loss 0.512");
  EXPECT_EQ(screen.take(), "\rtraining  ███████▌" + std::string(22, ' ') +
                               "  25%  500/2,000  18.3k tokens/s  loss 0.512  0:30 left\33[K");
}

TEST(Progress, RedrawsAtMostTenTimesASecond) {
  Screen screen;
  Progress progress(screen.terminal(), {"", 10000});
  for (int i = 1; i <= 1000; ++i) {
    progress.update(i);
    screen.now += 0.001;
  }
  const int drawn = count(screen.take(), "\r");
  EXPECT_GE(drawn, 9);
  EXPECT_LE(drawn, 11);
}

TEST(Progress, TheLastStepIsAlwaysDrawn) {
  Screen screen;
  Progress progress(screen.terminal(), {"", 100});
  progress.update(99);
  screen.take();
  progress.update(100);
  EXPECT_THAT(screen.take(), HasSubstr("100%"));
}

TEST(Progress, TakesItselfAway) {
  Screen screen;
  {
    Progress progress(screen.terminal(), {"", 100});
    progress.update(1);
    screen.take();
  }
  EXPECT_EQ(screen.take(), "\r\33[K");
}

TEST(Progress, LinesInBetweenStandAboveTheBar) {
  Screen screen;
  Progress progress(screen.terminal(), {"", 100});
  progress.print("before");
  EXPECT_EQ(screen.take(), "before\n");
  progress.update(1);
  screen.take();
  progress.print("epoch 1");
  const std::string text = screen.take();
  EXPECT_TRUE(text.starts_with("\r\33[Kepoch 1\n\r")) << text;
  EXPECT_THAT(text, HasSubstr("1/100"));
}

TEST(ProgressProperty, NeverFillsTheLastColumn) {
  Screen screen;
  Progress progress(screen.terminal(), {"a label of some length", 100, "documents"});
  for (screen.columns = 1; screen.columns < 200; ++screen.columns) {
    screen.now += 1;
    progress.update(50, 50, "größe 1");
    std::string text = screen.take();
    ASSERT_TRUE(text.starts_with("\r") && text.ends_with("\33[K"));
    EXPECT_LT(code_points(text.substr(1, text.size() - 4)).size(), static_cast<std::size_t>(screen.columns));
  }
}

TEST(Progress, WithoutATerminalItWritesPlainLinesNowAndThen) {
  Screen screen;
  Progress progress(screen.terminal(false), {"training", 100, "", 10});
  for (int i = 1; i <= 100; ++i) {
    progress.update(i);
    screen.now += 0.35;
  }
  const std::string text = screen.take();
  EXPECT_EQ(count(text, "\n"), 5) << text;  // after 0, 10, 20, 30 s and at the end
  EXPECT_TRUE(text.starts_with("training    1%  1/100\n")) << text;
  EXPECT_TRUE(text.ends_with("100%  100/100\n")) << text;
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, Not(HasSubstr("\33")));
  progress.clear();
  EXPECT_EQ(screen.take(), "");
}

TEST(Progress, ResumedWorkDoesNotCountWhatWasDoneBefore) {
  Screen screen;
  Progress progress(screen.terminal(), {"", 2000, "tokens"});
  progress.update(1000, 1e9);
  screen.now += 10;
  screen.take();
  progress.update(1100, 1e9 + 5000);
  const std::string text = screen.take();
  EXPECT_THAT(text, HasSubstr("500 tokens/s"));
  EXPECT_THAT(text, HasSubstr("1:30 left"));
}

TEST(Progress, ASlowStartIsForgotten) {
  Screen screen;
  Progress progress(screen.terminal(), {"", 1000000});
  progress.update(0);
  screen.now += 60;
  progress.update(1);
  int step = 1;
  for (int i = 0; i < 300; ++i) {
    screen.now += 1;
    screen.take();
    progress.update(step += 100);
  }
  EXPECT_THAT(screen.take(), HasSubstr("2:41:"));  // 969,999 steps at 100 a second are 2:41:40
}

TEST(Progress, UnknownTotalsHaveNoBar) {
  Screen screen;
  Progress progress(screen.terminal(), {"reading", 0, "lines"});
  progress.update(0, 0);
  screen.now += 2;
  screen.take();
  progress.update(7, 3000);
  EXPECT_EQ(screen.take(), "\rreading  7  1.5k lines/s\33[K");
}

TEST(Progress, PlainTerminalsGetAsciiBars) {
  Screen screen;
  Terminal terminal = screen.terminal();
  terminal.unicode = false;
  Progress progress(terminal, {"", 10});
  progress.update(5);
  EXPECT_THAT(screen.take(), HasSubstr("###............... "));
}

TEST(Progress, TimesAreWrittenAsAClock) {
  EXPECT_EQ(to_clock(0), "0:00");
  EXPECT_EQ(to_clock(61.4), "1:01");
  EXPECT_EQ(to_clock(59.6), "1:00");
  EXPECT_EQ(to_clock(3600 * 25 + 61), "25:01:01");
  EXPECT_EQ(to_clock(-1), "?");
  EXPECT_EQ(to_clock(0.0 / 0.0), "?");
}

TEST(Terminal, AFileIsNone) {
  std::ostringstream out;
  const Terminal terminal = make_terminal(out, -1);
  EXPECT_FALSE(terminal.is_terminal);
  EXPECT_EQ(terminal.columns(), 80);
  const double before = terminal.seconds();
  EXPECT_GE(terminal.seconds(), before);
}

}  // namespace
}  // namespace rotary::report
