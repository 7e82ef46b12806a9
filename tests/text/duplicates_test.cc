// Documents that stand twice are found, others are not.
#include "text/duplicates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "text/corpus.h"
#include "text/hash64.h"
#include "text/min_hash.h"
#include "text/word_hashes.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using text::Document;
using text::DuplicateReport;

// `count` words drawn by `seed`.
std::vector<std::string> draw_words(std::uint64_t seed, std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back("w" + std::to_string(text::mix64(seed * 100003 + i) % 5000));
  return out;
}

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += word + " ";
  return out;
}

DuplicateReport find(const std::vector<Document>& train, const std::vector<Document>& valid,
                     const std::vector<Document>& test) {
  return text::find_duplicates({&train, &valid, &test});
}

TEST(ExactDuplicates, DifferInWhiteSpaceAndCaseOnly) {
  const DuplicateReport found = find({{"The  Cat\nsat", "x", "t1"}, {"other", "y", "t2"}}, {{"the cat sat", "x", "v1"}},
                                     {{" the cat SAT ", "x", "e1"}, {"the cat, sat", "x", "e2"}});
  EXPECT_EQ(found.num_exact, 2u);
  ASSERT_EQ(found.exact.size(), 2u);
  EXPECT_EQ(found.exact[0].id + " " + found.exact[0].twin, "v1 t1");
  EXPECT_EQ(found.exact[1].id + " " + found.exact[1].twin, "e1 t1");
  EXPECT_EQ(found.num_near, 0u);
  EXPECT_EQ(found.num_conflicting, 0u);
}

TEST(ExactDuplicates, WithinOnePartAreNoLeak) {
  const DuplicateReport found = find({{"a", "x", "t1"}, {"a", "x", "t2"}}, {}, {{"b", "x", "e1"}, {"b", "x", "e2"}});
  EXPECT_EQ(found.num_exact, 0u);
  EXPECT_EQ(found.num_near, 0u);
}

TEST(ExactDuplicates, UnderAnotherLabelConflictInEveryPart) {
  const DuplicateReport found = find({{"a", "x", "t1"}, {"A", "y", "t2"}}, {}, {{"a", "y", "e1"}});
  EXPECT_EQ(found.num_conflicting, 2u);
  EXPECT_EQ(found.num_exact, 1u);
  ASSERT_EQ(found.conflicting.size(), 2u);
  EXPECT_EQ(found.conflicting[0].id + " " + found.conflicting[0].twin, "t2 t1");
}

TEST(ExactDuplicates, CountAllAndNameAFew) {
  std::vector<Document> train, test;
  for (int i = 0; i < 20; ++i) {
    train.push_back({"text " + std::to_string(i), "x", "t" + std::to_string(i)});
    test.push_back({"text " + std::to_string(i), "x", "e" + std::to_string(i)});
  }
  const DuplicateReport found = find(train, {}, test);
  EXPECT_EQ(found.num_exact, 20u);
  EXPECT_EQ(found.exact.size(), 5u);
}

// A pair shares its first words: of n words each and `common` shared ones, common - 4 runs of 5 in 2 (n - 4) - (common
// - 4).
TEST(NearDuplicatesProperty, AreFoundByTheirSimilarity) {
  constexpr std::size_t kWords = 204, kPairs = 300;
  for (const double similarity : {0.1, 0.4, 0.55, 0.7, 0.95}) {
    const double runs = kWords - 4, shared = std::round(2 * runs * similarity / (1 + similarity));
    std::vector<Document> train, test;
    for (std::size_t i = 0; i < kPairs; ++i) {
      auto words = draw_words(2 * i, kWords);
      train.push_back({join(words), "x", std::to_string(i)});
      const auto other = draw_words(2 * i + 1, kWords);
      std::copy(other.begin() + static_cast<std::ptrdiff_t>(shared) + 4, other.end(),
                words.begin() + static_cast<std::ptrdiff_t>(shared) + 4);
      test.push_back({join(words), "x", std::to_string(i)});
    }
    const DuplicateReport found = find(train, {}, test);
    // Of those above 0.5, 1 - (1 - .55^3)^32 = .997 or more are expected; three standard deviations below.
    EXPECT_GE(found.num_near, similarity > 0.5 ? kPairs - 4 : 0) << similarity;
    EXPECT_LE(found.num_near, similarity > 0.5 ? kPairs : 0) << similarity;
    for (const auto& pair : found.near) {
      EXPECT_EQ(pair.id, pair.twin);
      EXPECT_NEAR(pair.jaccard, similarity, 0.01);
    }
  }
}

TEST(NearDuplicates, AreFoundAmongManyOfOneTemplate) {
  std::vector<Document> train, test;
  const std::string shared = join(draw_words(1, 200));
  for (int i = 0; i < 2000; ++i) train.push_back({shared + join(draw_words(1000 + i, 20)), "x", std::to_string(i)});
  for (int i = 0; i < 50; ++i) test.push_back({shared + join(draw_words(9000 + i, 20)), "x", std::to_string(i)});
  EXPECT_EQ(find(train, {}, test).num_near, 50u);
}

// 96 bins: the standard deviation of the agreement is at most 0.051; four of them.
TEST(MinHashProperty, AgreesInAsManyBinsAsTheSetsAreAlike) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<std::uint64_t> a, b;
    for (std::uint64_t i = 0; i < 3000; ++i) {
      if (i < 2000) a.push_back(text::mix64(seed << 32 | i));
      if (i >= seed * 40) b.push_back(text::mix64(seed << 32 | i));
    }
    EXPECT_NEAR(text::agreement(text::min_hash(a), text::min_hash(b)), text::jaccard(a, b), 0.21) << seed;
  }
}

TEST(MinHash, OfSmallSetsFillsEveryBin) {
  const std::vector<std::uint64_t> one{text::mix64(1)}, two{text::mix64(2)};
  EXPECT_EQ(text::agreement(text::min_hash(one), text::min_hash(one)), 1);
  EXPECT_EQ(text::agreement(text::min_hash(one), text::min_hash(two)), 0);
}

TEST(Words, AreSeparatedByWhiteSpaceOrStandAloneInScriptsWithoutSpaces) {
  EXPECT_EQ(text::word_hashes(" a  B\tc\xC2\xA0"
                              "d\xE3\x80\x80")
                .size(),
            4u);
  EXPECT_EQ(text::word_hashes("a-b, \xC3\xA9t\xC3\xA9").size(), 2u);
  EXPECT_EQ(text::word_hashes("\xE6\x97\xA5\xE6\x9C\xAC"
                              "abc\xE8\xAA\x9E")
                .size(),
            4u);
  EXPECT_EQ(text::word_hashes("\xF0\xA0\x80\x80\xE0\xB8\x81").size(), 2u);
  EXPECT_EQ(text::word_hashes("").size(), 0u);
  EXPECT_EQ(text::shingles("a b c").size(), 1u);
  EXPECT_EQ(text::shingles("a b c d e f").size(), 2u);
  EXPECT_EQ(text::jaccard(text::shingles("a b c d e f"), text::shingles("b c d e f g")), 1.0 / 3);
}

TEST(Findings, AreALineEach) {
  text::Corpus corpus;
  corpus.num_empty = 2;
  corpus.empty_ids = {"a.csv:3", "a.csv:9"};
  corpus.duplicates.num_exact = 1;
  corpus.duplicates.exact = {{"e1", "t1", 1}};
  corpus.duplicates.num_near = 7;
  corpus.duplicates.near = {{"e2", "t2", 0.625}};
  corpus.duplicates.num_conflicting = 1;
  corpus.duplicates.conflicting = {{"t4", "t3", 1}};
  EXPECT_THAT(
      describe_findings(corpus),
      ElementsAre("2 documents without text left out: 'a.csv:3', 'a.csv:9'",
                  "1 validation or test document stands in an earlier part too: 'e1' = 't1'",
                  "7 validation or test documents are nearly the same as one of an earlier part: 'e2' = 't2' (0.62)",
                  "1 document repeats a text under another label: 't4' = 't3'"));
  EXPECT_THAT(describe_findings(text::Corpus{}), ElementsAre());
}

}  // namespace
}  // namespace rotary::testing
