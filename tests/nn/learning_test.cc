// Tasks that cannot be done without positions: RoPE learns them, a model without a position encoding stays at chance.
#include <gtest/gtest.h>

#include "nn/models.h"
#include "nn/reading.h"
#include "nn/trainer.h"
#include "text/random.h"

namespace rotary::testing {
namespace {

constexpr std::int64_t kLength = 32, kFirstMarker = 1, kSecondMarker = 2, kFillers = 20, kTested = 600;

struct Places {
  std::size_t first, second;
};

struct Task {
  std::vector<nn::Tokens> documents;
  std::vector<int> classes;
};

// Random words with one of each marker, where `place` puts them for a class.
template <class Place>
Task make_task(std::int64_t num, std::uint64_t seed, const Place& place) {
  Task task;
  for (std::int64_t i = 0; i < num; ++i) {
    text::Random random(seed, {static_cast<std::uint64_t>(i)});
    nn::Tokens tokens(kLength);
    for (auto& token : tokens) token = static_cast<std::int32_t>(kSecondMarker + 1 + random.below(kFillers));
    const int label = static_cast<int>(i % 2);
    const Places at = place(label, random);
    tokens[at.first] = kFirstMarker;
    tokens[at.second] = kSecondMarker;
    task.documents.push_back(tokens);
    task.classes.push_back(label);
  }
  return task;
}

// Two places with `least` to `most` tokens from one to the other.
std::pair<std::size_t, std::size_t> draw_places(std::uint64_t least, std::uint64_t most, text::Random& random) {
  const std::uint64_t distance = least + random.below(most - least + 1), low = random.below(kLength - distance);
  return {low, low + distance};
}

// Class 1: the second marker comes first.
Places by_order(int label, text::Random& random) {
  const auto [low, high] = draw_places(1, kLength - 1, random);
  return label == 0 ? Places{low, high} : Places{high, low};
}

// Class 1: the markers, in either order, are more than half a document apart.
Places by_distance(int label, text::Random& random) {
  const auto [low, high] =
      label == 0 ? draw_places(1, kLength / 2, random) : draw_places(kLength / 2 + 1, kLength - 1, random);
  return random.below(2) == 0 ? Places{low, high} : Places{high, low};
}

std::shared_ptr<nn::Roformer> trained(const Task& task, nn::Encoding encoding, std::int64_t steps) {
  nn::RoformerConfig config = small_config();
  config.vocab_size = kSecondMarker + 1 + kFillers;
  config.d_model = 32;
  config.d_feed_forward = 64;
  config.encoding = encoding;
  config.labels = {"no", "yes"};
  auto model = std::make_shared<nn::Roformer>(config, 1);
  nn::TrainOptions options;
  options.batch_size = 32;
  options.epochs = 100;
  options.max_steps = steps;
  options.max_length = kLength;
  options.num_threads = 2;
  const auto objective = std::make_shared<const nn::Classification>(task.documents, task.classes);
  nn::Trainer(model, objective, nullptr, options).run({});
  return model;
}

double accuracy(const nn::Roformer& model, const Task& task) {
  nn::TrainOptions options;
  options.max_length = kLength;
  return nn::validate(model, nn::Classification(task.documents, task.classes), options).accuracy;
}

double accuracy_after(nn::Encoding encoding, const auto& place, std::int64_t steps) {
  const Task train = make_task(6400, 1, place), test = make_task(kTested, 2, place);
  return accuracy(*trained(train, encoding, steps), test);
}

// Guesses are right in half of n documents, give or take four standard deviations sqrt(n)/2.
constexpr double kChance = 0.5, kSpread = 4 * 0.5 / 24.49;

TEST(WhichComesFirst, IsLearnedByRope) { EXPECT_GE(accuracy_after(nn::Encoding::kRope, by_order, 400), 0.95); }

TEST(WhichComesFirst, IsAGuessWithoutPositions) {
  EXPECT_NEAR(accuracy_after(nn::Encoding::kNone, by_order, 400), kChance, kSpread);
}

TEST(MoreThanHalfApart, IsLearnedByRope) { EXPECT_GE(accuracy_after(nn::Encoding::kRope, by_distance, 600), 0.9); }

TEST(MoreThanHalfApart, IsAGuessWithoutPositions) {
  EXPECT_NEAR(accuracy_after(nn::Encoding::kNone, by_distance, 400), kChance, kSpread);
}

// Sums in another order: rounding alone.
TEST(Reversing, ChangesNothingWithoutPositionsAndMuchWithRope) {
  const torch::NoGradGuard no_grad;
  for (const auto encoding : {nn::Encoding::kNone, nn::Encoding::kRope}) {
    nn::RoformerConfig config = small_config();
    config.encoding = encoding;
    const auto model = drawn_model(config);
    const Tensor tokens = drawn_tokens(4, kLength, config.vocab_size);
    const double change = gap(say(*model, {tokens, {}}), say(*model, {tokens.flip(1), {}}));
    if (encoding == nn::Encoding::kNone)
      EXPECT_LE(change, 1e-5);
    else
      EXPECT_GE(change, 1e-2);
  }
}

}  // namespace
}  // namespace rotary::testing
