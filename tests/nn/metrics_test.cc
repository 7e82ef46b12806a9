// Accuracy and macro F1 against sums by hand.
#include "nn/metrics.h"

#include <gtest/gtest.h>

#include "core/bad_calls.h"

namespace rotary::testing {
namespace {

TEST(Metrics, OfSixDocumentsAreThoseByHand) {
  const std::vector<int> truth = {0, 0, 0, 1, 1, 2}, predicted = {0, 0, 1, 1, 2, 2};
  const nn::Confusion x = nn::compare(truth, predicted, 4);
  EXPECT_EQ(x.total(), 6);
  EXPECT_EQ(x.counts[0], (std::vector<std::int64_t>{2, 1, 0, 0}));
  EXPECT_EQ(x.counts[1], (std::vector<std::int64_t>{0, 1, 1, 0}));
  EXPECT_EQ(x.counts[2], (std::vector<std::int64_t>{0, 0, 1, 0}));
  EXPECT_DOUBLE_EQ(x.accuracy(), 4 / 6.0);
  // Class 0: 2 right, 0 wrongly taken for it, 1 missed; class 1: 1, 1, 1; class 2: 1, 1, 0; class 3 does not occur.
  EXPECT_DOUBLE_EQ(x.macro_f1(), (4 / 5.0 + 2 / 4.0 + 2 / 3.0) / 3);
}

TEST(Metrics, CountAClassThatIsOnlyPredicted) {
  const std::vector<int> truth = {0, 0}, predicted = {0, 1};
  EXPECT_DOUBLE_EQ(nn::compare(truth, predicted, 2).macro_f1(), (2 / 3.0 + 0) / 2);
}

TEST(Metrics, OfNothingAreZero) {
  const nn::Confusion x = nn::compare({}, {}, 3);
  EXPECT_EQ(x.total(), 0);
  EXPECT_EQ(x.accuracy(), 0);
  EXPECT_EQ(x.macro_f1(), 0);
}

nn::Confusion compare_with(const std::vector<int>& truth, const std::vector<int>& predicted) {
  return nn::compare(truth, predicted, 2);
}

class BadMetrics : public ::testing::TestWithParam<BadCall> {};
TEST_P(BadMetrics, AreRefused) { expect_refused(GetParam()); }

const BadCall kBadCalls[] = {
    {"fewer_predictions",
     [] {
       compare_with({0, 1}, {0});
     },
     "invalid_argument", "predictions must be one for each"},
    {"truth_too_large", [] { compare_with({2}, {0}); }, "invalid_argument", "truth must be a class number, got 2"},
    {"truth_negative", [] { compare_with({-1}, {0}); }, "invalid_argument", "truth must be a class number, got -1"},
    {"prediction_too_large", [] { compare_with({0}, {2}); }, "invalid_argument", "predictions must be class numbers"},
};
INSTANTIATE_TEST_SUITE_P(Calls, BadMetrics, ::testing::ValuesIn(kBadCalls), bad_call_name);

TEST(StandardError, IsThatOfAShare) {
  EXPECT_DOUBLE_EQ(nn::standard_error(0.5, 100), 0.05);
  EXPECT_DOUBLE_EQ(nn::standard_error(0.8, 400), 0.02);
  EXPECT_EQ(nn::standard_error(1, 10), 0);
  EXPECT_EQ(nn::standard_error(0, 0), 0);
}

}  // namespace
}  // namespace rotary::testing
