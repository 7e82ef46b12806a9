// What is read of long documents.
#include "text/excerpts.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

namespace rotary::testing {
namespace {

using text::Excerpt;
using text::ExcerptOptions;
using text::Truncation;

std::vector<std::int32_t> numbered(std::int64_t size) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(size));
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

std::vector<std::int32_t> read(Truncation truncation, std::int64_t num_tokens, std::int64_t max_length) {
  const auto excerpts =
      text::make_excerpts(num_tokens, {.truncation = truncation, .max_length = max_length, .stride = 1});
  EXPECT_EQ(excerpts.size(), 1U);
  EXPECT_EQ(excerpts[0].weight, 1);
  return text::take_excerpt(numbered(num_tokens), excerpts[0]);
}

using Tokens = std::vector<std::int32_t>;

TEST(Excerpts, HeadTailAndBothAreWhatTheySay) {
  EXPECT_EQ(read(Truncation::kHead, 10, 3), (Tokens{0, 1, 2}));
  EXPECT_EQ(read(Truncation::kTail, 10, 3), (Tokens{7, 8, 9}));
  EXPECT_EQ(read(Truncation::kHeadTail, 10, 5), (Tokens{0, 1, 2, 8, 9}));
  EXPECT_EQ(read(Truncation::kHeadTail, 10, 1), (Tokens{0}));
}

TEST(Excerpts, AShortDocumentIsReadWhole) {
  for (auto truncation : {Truncation::kHead, Truncation::kTail, Truncation::kHeadTail, Truncation::kWindows})
    for (const std::int64_t size : {0, 1, 5}) EXPECT_EQ(read(truncation, size, 5), numbered(size));
}

// Weights from their definition: each token's vote in equal parts for the windows that read it.
std::vector<double> naive_weights(const std::vector<Excerpt>& windows, std::int64_t num_tokens) {
  std::vector<double> weights(windows.size());
  for (std::int64_t t = 0; t < num_tokens; ++t) {
    std::vector<std::size_t> readers;
    for (std::size_t w = 0; w < windows.size(); ++w)
      if (windows[w].head.begin <= t && t < windows[w].head.begin + windows[w].head.length) readers.push_back(w);
    EXPECT_FALSE(readers.empty()) << "nobody reads token " << t;
    for (const std::size_t w : readers)
      weights[w] += 1.0 / static_cast<double>(readers.size()) / static_cast<double>(num_tokens);
  }
  return weights;
}

TEST(ExcerptsProperty, WindowsCoverEveryTokenAndWeighItOnce) {
  for (std::int64_t size = 1; size < 60; ++size)
    for (std::int64_t length = 1; length < 12; ++length)
      for (std::int64_t stride = 1; stride <= length; ++stride) {
        const auto windows =
            text::make_excerpts(size, {.truncation = Truncation::kWindows, .max_length = length, .stride = stride});
        const auto weights = naive_weights(windows, size);
        for (std::size_t w = 0; w < windows.size(); ++w) {
          EXPECT_NEAR(windows[w].weight, weights[w], 1e-12);  // sums of at most 60 terms below 1
          EXPECT_EQ(windows[w].length(), std::min(size, length));
          EXPECT_EQ(windows[w].head.begin, w + 1 < windows.size() ? static_cast<std::int64_t>(w) * stride
                                                                  : std::max<std::int64_t>(size - length, 0));
        }
      }
}

TEST(ExcerptsProperty, AWeightedAverageOfWindowsThatAgreeIsTheirs) {
  const auto windows =
      text::make_excerpts(100000, {.truncation = Truncation::kWindows, .max_length = 512, .stride = 100});
  double sum = 0;
  for (const Excerpt& window : windows) sum += window.weight;
  EXPECT_NEAR(sum, 1, 1e-12);  // 1000 terms, each rounded to 2^-53 of at most 1
}

struct BadExcerpts {
  const char* id;
  std::function<void()> call;
  const char* what;
  friend void PrintTo(const BadExcerpts& b, std::ostream* out) { *out << b.id; }
};

class BadExcerptCalls : public ::testing::TestWithParam<BadExcerpts> {};

TEST_P(BadExcerptCalls, AreRefused) {
  try {
    GetParam().call();
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), GetParam().what);
  }
}

constexpr auto kWindows = Truncation::kWindows;
const BadExcerpts kBad[] = {
    {"Tokens", [] { text::make_excerpts(-1); }, "make_excerpts: num_tokens must not be negative, got -1"},
    {"MaxLength", [] { text::make_excerpts(9, {.max_length = 0}); },
     "make_excerpts: max_length must be positive, got 0"},
    {"NoStride", [] { text::make_excerpts(9, {.truncation = kWindows, .max_length = 4, .stride = 0}); },
     "make_excerpts: stride must be between 1 and max_length, got 0"},
    {"Gaps", [] { text::make_excerpts(9, {.truncation = kWindows, .max_length = 4, .stride = 5}); },
     "make_excerpts: stride must be between 1 and max_length, got 5"},
    {"Truncation", [] { text::make_excerpts(900, {.truncation = static_cast<Truncation>(9)}); },
     "make_excerpts: truncation must be head, tail, head and tail or windows, got 9"},
    {"Elsewhere",
     [] {
       text::take_excerpt(numbered(3), {.head = {2, 2}, .tail = {}});
     },
     "take_excerpt: excerpt must lie within the tokens, got 2"},
    {"Negative",
     [] {
       text::take_excerpt(numbered(3), {.head = {0, 0}, .tail = {-1, 1}});
     },
     "take_excerpt: excerpt must lie within the tokens, got -1"},
};

INSTANTIATE_TEST_SUITE_P(Calls, BadExcerptCalls, ::testing::ValuesIn(kBad),
                         [](const auto& info) { return info.param.id; });

}  // namespace
}  // namespace rotary::testing
