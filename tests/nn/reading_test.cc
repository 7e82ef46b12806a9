// Reading documents of any length with a classifier.
#include "nn/reading.h"

#include <gtest/gtest.h>

#include "core/bad_calls.h"
#include "nn/models.h"
#include "text/random.h"

namespace rotary::testing {
namespace {

using text::Truncation;

nn::Tokens drawn_document(std::size_t length, std::uint64_t seed) {
  text::Random random(seed);
  nn::Tokens out(length);
  for (auto& token : out) token = static_cast<std::int32_t>(1 + random.below(12));
  return out;
}

nn::Tokens part(const nn::Tokens& tokens, std::size_t begin, std::size_t length) {
  const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(length)};
}

class Reading : public ::testing::Test {
 protected:
  nn::ReadingOptions options(Truncation truncation, std::int64_t stride = 8) const {
    nn::ReadingOptions out;
    out.excerpts = {truncation, 16, stride};
    return out;
  }
  std::vector<float> read(const nn::Tokens& document, Truncation truncation, std::int64_t stride = 8) const {
    return nn::classify(*model_, std::vector<nn::Tokens>{document}, options(truncation, stride))[0];
  }
  // By the model itself.
  Tensor logits(const nn::Tokens& tokens) const {
    const std::vector<std::int64_t> ids(tokens.begin(), tokens.end());
    return say(*model_, {torch::tensor(ids, torch::kInt64).unsqueeze(0), {}})[0];
  }
  void expect_softmax(const std::vector<float>& got, const Tensor& want_logits) const {
    EXPECT_LE(gap(torch::tensor(got), torch::softmax(want_logits, 0)), 1e-5);
  }

  const torch::NoGradGuard no_grad_;
  const std::shared_ptr<nn::Roformer> model_ = drawn_model(small_config());
  const nn::Tokens long_ = drawn_document(32, 1);
};

TEST_F(Reading, AShortDocumentIsItsSoftmax) {
  const nn::Tokens document = drawn_document(11, 2);
  for (const auto truncation : {Truncation::kHead, Truncation::kTail, Truncation::kHeadTail, Truncation::kWindows})
    expect_softmax(read(document, truncation), logits(document));
}

TEST_F(Reading, ALongDocumentIsReadWhereTheTruncationSays) {
  expect_softmax(read(long_, Truncation::kHead), logits(part(long_, 0, 16)));
  expect_softmax(read(long_, Truncation::kTail), logits(part(long_, 16, 16)));
  nn::Tokens both = part(long_, 0, 8);
  for (const auto token : part(long_, 24, 8)) both.push_back(token);
  expect_softmax(read(long_, Truncation::kHeadTail), logits(both));
}

TEST_F(Reading, WindowsAreAveragedByTheirShare) {
  expect_softmax(read(long_, Truncation::kWindows, 16), (logits(part(long_, 0, 16)) + logits(part(long_, 16, 16))) / 2);
  // 0..16, 8..24, 16..32: the outer ones have 8 tokens alone and 8 by halves, the inner one 16 by halves.
  expect_softmax(
      read(long_, Truncation::kWindows, 8),
      (12 * logits(part(long_, 0, 16)) + 8 * logits(part(long_, 8, 16)) + 12 * logits(part(long_, 16, 16))) / 32);
}

TEST_F(Reading, DoesNotDependOnTheOtherDocuments) {
  std::vector<nn::Tokens> documents;
  for (std::size_t i = 0; i < 40; ++i) documents.push_back(drawn_document(1 + i * 7 % 50, i));
  for (const auto truncation : {Truncation::kHead, Truncation::kWindows}) {
    nn::ReadingOptions all = options(truncation);
    const auto together = nn::classify(*model_, documents, all);
    all.num_threads = 3;
    EXPECT_EQ(nn::classify(*model_, documents, all), together) << "on three threads";
    for (std::size_t i = 0; i < documents.size(); ++i)
      EXPECT_LE(gap(torch::tensor(together[i]), torch::tensor(read(documents[i], truncation))), 1e-5) << i;
  }
}

TEST_F(Reading, AnEmptyDocumentIsOnePadding) { expect_softmax(read({}, Truncation::kHead), logits({0})); }

TEST_F(Reading, NoDocumentsAreNoProbabilities) {
  EXPECT_TRUE(nn::classify(*model_, {}, options(Truncation::kHead)).empty());
}

TEST_F(Reading, ProbabilitiesAddUpToOneAndTheLargestWins) {
  const std::vector<float> p = read(long_, Truncation::kWindows);
  EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-6);
  EXPECT_EQ(nn::most_likely(p), static_cast<int>(std::max_element(p.begin(), p.end()) - p.begin()));
  EXPECT_EQ(nn::most_likely(std::vector<float>{0.2f, 0.5f, 0.3f}), 1);
}

TEST_F(Reading, AModelThatIsNoClassifierIsRefused) {
  const auto headless = drawn_model(small_config(nn::Head::kNone));
  expect_refused({"", [&] { nn::classify(*headless, {}, {}); }, "invalid_argument", "the model must be a classifier"});
}

}  // namespace
}  // namespace rotary::testing
