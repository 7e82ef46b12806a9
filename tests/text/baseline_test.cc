// TF-IDF by its formula, and the classifier where the answer is known.
#include "text/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "text/hash64.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;
using text::Baseline;
using text::BaselineOptions;
using text::TfIdf;

using Documents = std::vector<std::vector<std::int32_t>>;

TEST(TfIdf, HasTheWeightsOfItsFormula) {
  const Documents documents{{5, 5, 5, 7, 9}, {5, 7}, {5, 1}, {5, 1}};
  const TfIdf features(documents, {.first_id = 2, .min_df = 2, .bigrams = false});
  EXPECT_EQ(features.num_features(), 2u);  // 5 and 7: 9 stands once, 1 is no feature
  const auto row = features({5, 5, 5, 7, 9, 1});
  const double five = (1 + std::log(3)) * (std::log(5.0 / 5.0) + 1), seven = std::log(5.0 / 3.0) + 1;
  ASSERT_EQ(row.size(), 2u);
  EXPECT_EQ(row[0].feature, 0);
  EXPECT_DOUBLE_EQ(row[0].weight, five / std::hypot(five, seven));
  EXPECT_EQ(row[1].feature, 1);
  EXPECT_DOUBLE_EQ(row[1].weight, seven / std::hypot(five, seven));
  EXPECT_TRUE(features({9, 1, 1000}).empty());
}

TEST(TfIdf, BigramsKeepTheOrderAndDoNotCrossAnUnknownToken) {
  const Documents documents{{2, 3}, {2, 3}, {3, 0, 2}, {3, 0, 2}};
  EXPECT_EQ(TfIdf(documents, {.first_id = 1, .min_df = 2, .bigrams = true}).num_features(), 3u);  // 2, 3, 2-3
  EXPECT_EQ(TfIdf(documents, {.first_id = 0, .min_df = 2, .bigrams = true}).num_features(), 6u);
}

// Class c draws half its tokens from its own ten.
void draw(std::uint64_t seed, int num_classes, int count, Documents& documents, std::vector<int>& labels) {
  for (int i = 0; i < count; ++i) {
    const int label = i % num_classes;
    std::vector<std::int32_t> ids;
    for (std::uint64_t k = 0; k < 20; ++k) {
      const std::uint64_t drawn = text::mix64(seed + 1000 * static_cast<std::uint64_t>(i) + k) >> 8;
      ids.push_back(static_cast<std::int32_t>(k % 2 == 0 ? 100 + 10 * label + static_cast<int>(drawn % 10)
                                                         : static_cast<int>(drawn % 100)));
    }
    documents.push_back(ids);
    labels.push_back(label);
  }
}

TEST(Baseline, LearnsWhichTokensAClassHas) {
  for (const int num_classes : {2, 5}) {
    Documents train, test;
    std::vector<int> train_labels, test_labels;
    draw(1, num_classes, 200, train, train_labels);
    draw(77777777, num_classes, 100, test, test_labels);
    const Baseline baseline = text::train_baseline(train, train_labels, num_classes);
    EXPECT_EQ(text::predict(baseline, test), test_labels);
  }
}

TEST(Baseline, GivesTheSameWeightsForTheSameInput) {
  Documents train;
  std::vector<int> labels;
  draw(1, 3, 60, train, labels);
  const Baseline once = text::train_baseline(train, labels, 3), again = text::train_baseline(train, labels, 3);
  EXPECT_EQ(once.weights, again.weights);
  EXPECT_EQ(once.bias, again.bias);
}

TEST(Baseline, NeverPredictsAClassWithoutTrainingDocuments) {
  Documents train;
  std::vector<int> labels;
  draw(1, 2, 60, train, labels);
  for (int& label : labels) label = label == 0 ? 3 : 1;
  const auto predicted = text::predict(text::train_baseline(train, labels, 4), train);
  EXPECT_EQ(predicted, labels);
  EXPECT_EQ(text::predict(text::train_baseline(train, labels, 4), Documents{{}}).size(), 1u);
}

TEST(Baseline, NeedsBigramsToSeeTheOrder) {
  Documents documents;
  std::vector<int> labels;
  for (int i = 0; i < 40; ++i) {
    documents.push_back(i % 2 == 0 ? std::vector<std::int32_t>{1, 2, 10 + i / 2}
                                   : std::vector<std::int32_t>{2, 1, 10 + i / 2});
    labels.push_back(i % 2);
  }
  BaselineOptions options;
  EXPECT_NE(text::predict(text::train_baseline(documents, labels, 2, options), documents), labels);
  options.features.bigrams = true;
  EXPECT_EQ(text::predict(text::train_baseline(documents, labels, 2, options), documents), labels);
}

TEST(Baseline, RefusesArgumentsThatMakeNoSense) {
  const Documents two{{1}, {2}};
  const auto error = [&](const Documents& documents, const std::vector<int>& labels, int num_classes, double cost) {
    BaselineOptions options;
    options.cost = cost;
    try {
      text::train_baseline(documents, labels, num_classes, options);
    } catch (const std::invalid_argument& caught) {
      return std::string(caught.what());
    }
    return std::string("(no error)");
  };
  EXPECT_THAT(error(two, {0}, 2, 1), HasSubstr("there must be one label a document, got 1 for 2"));
  EXPECT_THAT(error(two, {0, 2}, 2, 1), HasSubstr("labels must be in [0, num_classes = 2), got 2"));
  EXPECT_THAT(error(two, {0, -1}, 2, 1), HasSubstr("got -1"));
  EXPECT_THAT(error(two, {1, 1}, 2, 1), HasSubstr("labels must show two classes or more, got one"));
  EXPECT_THAT(error({}, {}, 2, 1), HasSubstr("labels must show two classes or more, got none"));
  EXPECT_THAT(error(two, {0, 1}, 2, 0), HasSubstr("cost must be positive and finite, got 0"));
  EXPECT_THAT(error(two, {0, 1}, 2, NAN), HasSubstr("cost must be positive and finite, got nan"));
  EXPECT_EQ(error(two, {0, 1}, 2, 1), "(no error)");
}

}  // namespace
}  // namespace rotary::testing
