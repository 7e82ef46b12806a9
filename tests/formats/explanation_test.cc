// What a rotation is, in words.
#include "rotary/formats/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "formats/reading.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const Json& config, const ReadOptions& options = {.reference = kTransformers}) {
  std::string out;
  const ModelConfig model = parse_model_config(config.dump(), "config.json", options);
  for (const Passage& p : explain_rotation(model.rotations.at(0), options)) out += p.heading + "\n" + p.text + "\n";
  return out;
}

TEST(Explanation, NamesThePairingWithItsNumbers) {
  EXPECT_THAT(text_of(llama()), HasSubstr("channel i meets channel i + 64"));
  EXPECT_THAT(text_of({{"model_type", "gptj"}}), HasSubstr("neighbouring channels 2i and 2i + 1 meet"));
}

TEST(Explanation, SaysWhatEachMethodDoes) {
  const auto scaled = [](const Json& scaling) { return text_of(llama({{"rope_scaling", scaling}})); };
  EXPECT_THAT(text_of(llama()), HasSubstr("No scaling"));
  EXPECT_THAT(scaled({{"type", "linear"}, {"factor", 4.0}}), HasSubstr("every frequency is divided by 4"));
  EXPECT_THAT(scaled({{"type", "dynamic"}, {"factor", 2.0}}), HasSubstr("the base grows with the length"));
  const std::string yarn =
      scaled({{"type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 4096}, {"truncate", false}});
  EXPECT_THAT(yarn, HasSubstr("Pairs that turn more than 32 times within the original 4096 positions are kept"));
  EXPECT_THAT(yarn, HasSubstr("(the range is not rounded)"));
  EXPECT_THAT(yarn, HasSubstr("cos and sin are multiplied by 1.138629436"));  // 0.1 ln 4 + 1
  EXPECT_THAT(yarn, HasSubstr("logits of the rotated channels by 1.296476993"));
}

TEST(Explanation, SaysWhichPairsNeverCompletedATurn) {
  // 2 pi 10000^(2i/128) is above 2048 from i = 40.2 on: ln(2048 / 2 pi) / ln(10000) * 64.
  EXPECT_THAT(text_of(llama({{"max_position_embeddings", 2048}})),
              HasSubstr("Within 2048 positions pairs 41-63 never completed a turn"));
  EXPECT_THAT(text_of(llama({{"max_position_embeddings", 1 << 20}})), HasSubstr("Every pair completed a turn"));
}

TEST(Explanation, FollowsTheLength) {
  const Json config =
      llama({{"max_position_embeddings", 2048}, {"rope_scaling", {{"type", "dynamic"}, {"factor", 2.0}}}});
  EXPECT_THAT(text_of(config), HasSubstr("Shown for a short sequence"));
  EXPECT_THAT(text_of(config, {.reference = kTransformers, .seq_len = 8192}), HasSubstr("a sequence of 8192"));
}

TEST(Explanation, UP37_BasesAreSaidInFull) {
  for (const char* base : {"10000000", "11158840", "100000000000", "1000000.5"})
    EXPECT_THAT(text_of(llama({{"rope_theta", std::stod(base)}})), HasSubstr("The base is " + std::string(base) + "."));
}

TEST(Explanation, SaysWhatIsAssumed) {
  const std::string text = text_of({{"model_type", "llama"}, {"head_dim", 64}, {"num_hidden_layers", 1}});
  EXPECT_THAT(text, HasSubstr("From the file: head_dim = 64 (head_dim)"));
  EXPECT_THAT(text, HasSubstr("The family's defaults, for want of a key"));
}

TEST(ExplanationGolden, EveryModelTypeHasItsPassages) {
  std::ifstream in(ROTARY_TEST_DATA "/rope/models.jsonl");
  for (std::string line; std::getline(in, line);) {
    const Json record = Json::parse(line);
    if (!record.contains("config")) continue;
    const ModelConfig model = parse_model_config(record.at("json").dump(), "config.json", {.reference = kTransformers});
    for (const ModelRotation& r : model.rotations)
      for (const Passage& p : explain_rotation(r)) {
        EXPECT_FALSE(p.heading.empty() || p.text.empty()) << record.at("config");
        EXPECT_THAT(p.text, Not(HasSubstr("nan"))) << record.at("config");
        EXPECT_THAT(p.text, Not(HasSubstr(".."))) << record.at("config") << p.text;
      }
  }
}

TEST(Explanation, SaysWhyNothingIsKnown) {
  EXPECT_THAT(text_of({{"model_type", "vjepa2"}}), HasSubstr("no set of plane rotations"));
  EXPECT_THAT(text_of({{"model_type", "vjepa2"}}), Not(HasSubstr("Method")));
}

}  // namespace
}  // namespace rotary::testing
