// Batches, micro-batches, and the random numbers behind them.
#include "text/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/golden.h"
#include "text/random.h"

namespace rotary::testing {
namespace {

using text::Batch;
using text::Crop;
using text::EpochOptions;
using text::Random;

// As documents are: many of a few hundred tokens, few of many thousand.
std::vector<std::int64_t> make_lengths(std::size_t num, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int64_t> lengths(num);
  for (std::int64_t& length : lengths) length = 1 + static_cast<std::int64_t>(random.below(random.below(5000) + 1));
  return lengths;
}

std::vector<Crop> flatten(const std::vector<Batch>& batches) {
  std::vector<Crop> crops;
  for (const Batch& batch : batches) crops.insert(crops.end(), batch.begin(), batch.end());
  return crops;
}

std::vector<Crop> by_document(const std::vector<Batch>& batches) {
  std::vector<Crop> crops = flatten(batches);
  std::sort(crops.begin(), crops.end(), [](const Crop& a, const Crop& b) { return a.document < b.document; });
  return crops;
}

std::uint64_t checksum(const std::vector<Batch>& batches) {
  std::uint64_t sum = 0xCBF29CE484222325;  // FNV-1a over numbers
  for (const Crop& crop : flatten(batches))
    for (const std::int64_t x : {crop.document, crop.begin, crop.length})
      sum = (sum ^ static_cast<std::uint64_t>(x)) * 0x100000001B3;
  return sum;
}

// --- Random

TEST(Random, WithoutCountersIsSplitMix64) {
  std::ifstream file = open_golden("text/splitmix64.txt");
  std::uint64_t seed = 0, expected = 0;
  file >> seed;
  Random random(seed);
  int num = 0;
  for (; file >> expected; ++num) EXPECT_EQ(random.next(), expected);
  EXPECT_EQ(num, 5);
}

TEST(RandomProperty, EachCounterHasItsOwnStream) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (std::uint64_t a = 0; a < 20; ++a)
      for (std::uint64_t b = 0; b < 20; ++b) seen.insert(Random(seed, {a, b}).next());
  EXPECT_EQ(seen.size(), 8000U);
}

TEST(RandomProperty, NumbersBelowABoundAreEvenlySpread) {
  Random random(3);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  // Binomial: standard deviation sqrt(70000 * 1/7 * 6/7) = 93; six of them.
  for (const int count : counts) EXPECT_NEAR(count, 10000, 560);
}

// --- Epochs

struct EpochCase {
  const char* id;
  std::size_t num_documents;
  EpochOptions options;
  friend void PrintTo(const EpochCase& c, std::ostream* out) { *out << c.id; }
};

class EpochProperty : public ::testing::TestWithParam<EpochCase> {
 protected:
  const EpochOptions& options = GetParam().options;
  const std::vector<std::int64_t> lengths = make_lengths(GetParam().num_documents, 5);
  const std::vector<Batch> batches = text::make_epoch(lengths, options);
};

TEST_P(EpochProperty, EveryDocumentIsReadOnce) {
  const std::vector<Crop> crops = by_document(batches);
  ASSERT_EQ(crops.size(), lengths.size());
  for (std::size_t i = 0; i < crops.size(); ++i) {
    EXPECT_EQ(crops[i].document, static_cast<std::int64_t>(i));
    EXPECT_EQ(crops[i].length, std::min(lengths[i], options.max_length));
    EXPECT_GE(crops[i].begin, 0);
    EXPECT_LE(crops[i].begin + crops[i].length, lengths[i]);
  }
}

TEST_P(EpochProperty, AllBatchesButOneAreFull) {
  const auto size = static_cast<std::size_t>(options.batch_size);
  EXPECT_EQ(batches.size(), (lengths.size() + size - 1) / size);
  EXPECT_LE(std::count_if(batches.begin(), batches.end(), [&](const Batch& b) { return b.size() != size; }), 1);
}

TEST_P(EpochProperty, TheSameArgumentsGiveTheSameEpoch) { EXPECT_EQ(text::make_epoch(lengths, options), batches); }

TEST_P(EpochProperty, ACropDoesNotDependOnTheOtherDocuments) {
  std::vector<std::int64_t> others = lengths;
  for (std::size_t i = 1; i < others.size(); i += 2) others[i] += 100;
  const std::vector<Crop> changed = by_document(text::make_epoch(others, options)), crops = by_document(batches);
  for (std::size_t i = 0; i < crops.size(); i += 2) EXPECT_EQ(changed[i], crops[i]);
}

INSTANTIATE_TEST_SUITE_P(Epochs, EpochProperty,
                         ::testing::Values(EpochCase{"Default", 1000, {}}, EpochCase{"None", 0, {}},
                                           EpochCase{"One", 1, {}}, EpochCase{"FewerThanABatch", 20, {}},
                                           EpochCase{"Singles", 50, {.batch_size = 1}},
                                           EpochCase{"Cropped", 1000, {.crop_probability = 1, .seed = 9, .epoch = 3}},
                                           EpochCase{"HalfCropped", 333, {.max_length = 100, .crop_probability = 0.5}},
                                           EpochCase{"OnePool", 1000, {.pool = std::int64_t{1} << 62}},
                                           EpochCase{"HugeBatch", 100, {.batch_size = std::int64_t{1} << 62}}),
                         [](const auto& info) { return info.param.id; });

TEST(Epoch, OtherSeedsAndEpochsAreOtherOrdersAndCrops) {
  const auto lengths = make_lengths(500, 1);
  const EpochOptions options{.crop_probability = 1};
  EpochOptions next = options, seeded = options;
  next.epoch = seeded.seed = 1;
  const auto a = text::make_epoch(lengths, options);
  for (const EpochOptions& other : {next, seeded}) {
    const auto b = text::make_epoch(lengths, other);
    EXPECT_NE(flatten(a), flatten(b));
    EXPECT_NE(by_document(a), by_document(b));
  }
}

TEST(Epoch, CropsAreDrawnWithTheirProbability) {
  const std::vector<std::int64_t> lengths(10000, 100000);
  const auto batches = text::make_epoch(lengths, {.crop_probability = 0.3});
  const auto crops = flatten(batches);
  const auto num = std::count_if(crops.begin(), crops.end(), [](const Crop& c) { return c.begin > 0; });
  EXPECT_NEAR(static_cast<double>(num), 3000, 6 * 46);  // standard deviation sqrt(10000 * 0.3 * 0.7)
}

TEST(Epoch, SortingWithinPoolsSparesPadding) {
  const auto lengths = make_lengths(3000, 2);
  const EpochOptions sorted{.max_length = 1024}, unsorted{.max_length = 1024, .pool = 1};
  EXPECT_LT(text::padding_share(text::make_epoch(lengths, sorted)), 0.1);
  EXPECT_GT(text::padding_share(text::make_epoch(lengths, unsorted)), 0.3);
}

TEST(EpochGolden, IsTheRecordedOne) {
  std::ifstream file = open_golden("text/batches.txt");
  std::uint64_t expected = 0;
  file >> std::hex >> expected;
  const auto batches = text::make_epoch(make_lengths(1000, 5), {.crop_probability = 0.5, .seed = 42, .epoch = 7});
  EXPECT_EQ(checksum(batches), expected) << std::hex << checksum(batches);
}

TEST(ReadingBatches, AreSortedAndReadEveryDocumentsHead) {
  const auto lengths = make_lengths(100, 3);
  const auto batches = text::make_reading_batches(lengths, {.max_length = 512, .batch_size = 8});
  const auto crops = flatten(batches);
  EXPECT_TRUE(std::is_sorted(crops.begin(), crops.end(), [](auto& a, auto& b) { return a.length > b.length; }));
  EXPECT_EQ(by_document(batches), by_document(text::make_epoch(lengths, {.max_length = 512})));
}

// --- Micro-batches

// The fewest parts, by trying every division of a sorted batch into consecutive ones.
std::size_t fewest(const std::vector<std::int64_t>& sorted, std::size_t begin, std::int64_t max_tokens) {
  std::size_t best = begin == sorted.size() ? 0 : sorted.size();
  for (std::size_t end = begin + 1; end <= sorted.size(); ++end)
    if (sorted[begin] * static_cast<std::int64_t>(end - begin) <= max_tokens)
      best = std::min(best, 1 + fewest(sorted, end, max_tokens));
  return best;
}

TEST(MicroBatchProperty, AreTheFewestThatFit) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Batch batch;
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < 8; ++i) lengths.push_back(1 + static_cast<std::int64_t>(random.below(20)));
    for (std::int64_t i = 0; i < 8; ++i) batch.push_back({i, i, lengths[static_cast<std::size_t>(i)]});
    const auto micro = text::split_batch(batch, 40);
    for (const Batch& part : micro) EXPECT_LE(part[0].length * static_cast<std::int64_t>(part.size()), 40);
    EXPECT_EQ(by_document(micro), batch);
    std::sort(lengths.rbegin(), lengths.rend());
    EXPECT_EQ(micro.size(), fewest(lengths, 0, 40)) << seed;
  }
}

TEST(MicroBatch, OfNothingThereIsNone) { EXPECT_TRUE(text::split_batch({}, 10).empty()); }

TEST(PaddingShare, IsPaddingOverAll) {
  EXPECT_EQ(text::padding_share({}), 0);
  const std::vector<Batch> batches = {{{0, 0, 4}, {1, 0, 1}}, {{2, 0, 2}}};
  EXPECT_EQ(text::padding_share(batches), 1 - 7.0 / 10);
}

// --- Bad arguments

struct BadEpoch {
  const char* id;
  std::function<void()> call;
  const char* what;
  friend void PrintTo(const BadEpoch& b, std::ostream* out) { *out << b.id; }
};

class BadBatches : public ::testing::TestWithParam<BadEpoch> {};

TEST_P(BadBatches, AreRefused) {
  try {
    GetParam().call();
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), GetParam().what);
  }
}

const std::vector<std::int64_t> kLengths = {3, 2, 1}, kWithEmpty = {3, 0};
const BadEpoch kBad[] = {
    {"MaxLength", [] { text::make_epoch(kLengths, {.max_length = 0}); },
     "make_epoch: max_length must be positive, got 0"},
    {"BatchSize", [] { text::make_epoch(kLengths, {.batch_size = -1}); },
     "make_epoch: batch_size must be positive, got -1"},
    {"Pool", [] { text::make_epoch(kLengths, {.pool = 0}); }, "make_epoch: pool must be positive, got 0"},
    {"Crop", [] { text::make_epoch(kLengths, {.crop_probability = 1.5}); },
     "make_epoch: crop_probability must be between 0 and 1, got 1.5"},
    {"Empty", [] { text::make_epoch(kWithEmpty); }, "make_epoch: lengths must be positive, got 0"},
    {"EmptyReading", [] { text::make_reading_batches(kWithEmpty); },
     "make_reading_batches: lengths must be positive, got 0"},
    {"Tokens",
     [] {
       text::split_batch({{0, 0, 5}, {1, 0, 6}}, 5);
     },
     "split_batch: max_tokens must hold the longest crop, got 5"},
};

INSTANTIATE_TEST_SUITE_P(Calls, BadBatches, ::testing::ValuesIn(kBad), [](const auto& info) { return info.param.id; });

}  // namespace
}  // namespace rotary::testing
