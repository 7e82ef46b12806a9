// `rotary pairs`: who meets whom, drawn and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/workbench.h"

namespace rotary::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const PublishedCase kPublished[] = {{"llama-3.1-8b"},
                                    {"qwen2.5-vl-7b"},
                                    {"qwen3-vl-2b-embedding-build"},
                                    {"qwen3.5-27b"},
                                    {"gpt-neox-20b"},
                                    {"gpt-j-6b"},
                                    {"gemma-4-26b-31b-e2b-e4b"},
                                    {"deepseek-v2-236b"},
                                    {"kimi-k2-instruct-0905"},
                                    {"llama-4-maverick-17b-128e"},
                                    {"modernbert-base-large"},
                                    {"glm-4.5v-autoglm-phone-9b"}};

class PairsPublished : public Workbench, public ::testing::WithParamInterface<PublishedCase> {};

TEST_P(PairsPublished, IsAsRecorded) { expect_goldens(GetParam(), "pairs"); }

INSTANTIATE_TEST_SUITE_P(Models, PairsPublished, ::testing::ValuesIn(kPublished), published_label);

class Pairs : public Workbench {
 protected:
  json pairs(const std::string& options) const { return json_of("pairs " + options).at("rotations").at(0); }
};

TEST_F(Pairs, DrawsBothEndsOfEveryPair) {
  EXPECT_EQ(verb("pairs --head-dim 8 --pairing half").out,
            "  channel  0\n  pair     01230123\n  end      <<<<>>>>\n\n  pairs 0-3: channels 0-3 meet 4-7\n");
  EXPECT_EQ(verb("pairs --head-dim 8 --pairing interleaved --rotary-dim 4 --rotary-offset 2").out,
            "  channel  0\n  pair     ..0011..\n  end      ..<><>..\n\n  pairs 0-1: channels 2, 4 meet 3, 5\n"
            "  copied as they are: channels 0-1, 6-7\n");
}

TEST_F(Pairs, MarksAxesByLetters) {
  EXPECT_THAT(verb("pairs --head-dim 12 --pairing half --sections 1,2,3").out, HasSubstr("axis     THHWWWTHHWWW\n"));
  EXPECT_THAT(verb("pairs --head-dim 12 --pairing half --sections 2,2,2 --mrope-interleaved").out,
              HasSubstr("axis     THWTHWTHWTHW\n"));
}

TEST_F(Pairs, ListsThemForPrograms) {
  const json out = pairs("--head-dim 8 --pairing half --rotary-dim 4");
  EXPECT_EQ(out.at("layout"), "half");
  EXPECT_EQ(out.at("rotary_dim"), 4);
  EXPECT_EQ(out.at("pairs"), json::parse(R"([{"a": 0, "b": 2, "axis": 0}, {"a": 1, "b": 3, "axis": 0}])"));
}

TEST_F(Pairs, UP04_InterleavedInHalvesOutIsALayoutOfItsOwn) {
  const json out = pairs("--head-dim 4 --pairing interleaved-to-half");
  EXPECT_EQ(out.at("pairs"), json::parse(R"([{"a": 0, "b": 1, "axis": 0, "written_to": [0, 2]},
                            {"a": 2, "b": 3, "axis": 0, "written_to": [1, 3]}])"));
  EXPECT_THAT(verb("pairs --head-dim 4 --pairing interleaved-to-half").out, HasSubstr("written to 0-1 and 2-3"));
}

TEST_F(Pairs, UP01_ThePairingIsNeverGuessed) {
  expect_failure(verb("pairs --head-dim 128"), 2,
                 "--pairing: must be half, interleaved or interleaved-to-half, got none");
}

TEST_F(Pairs, UP10_OddWidthsAreRefusedWithTheNumber) {
  expect_failure(verb("pairs --head-dim 65 --pairing half"), 2,
                 "--head-dim: channels that turn must be even in number, got 65");
  expect_failure(verb("pairs --head-dim 100 --rotary-dim 25 --pairing half"), 2, "--rotary-dim");
  write(R"({"model_type": "gpt_neox", "hidden_size": 800, "num_attention_heads": 8, "rotary_pct": 0.25,
            "num_hidden_layers": 1})");
  EXPECT_EQ(verb("pairs config.json --as original").status, 1);
}

TEST_F(Pairs, RefusesWhatDoesNotFit) {
  expect_failure(verb("pairs"), 2, "path: must be a file, or --head-dim a number of channels, got neither");
  expect_failure(verb("pairs /no/such/file"), 1, "/no/such/file");
  expect_failure(verb("pairs --head-dim 8 --pairing diagonal"), 2, "must be one of half, interleaved");
  expect_failure(verb("pairs --head-dim 8 --pairing half --rotary-dim 16"), 2, "rotary_dim");
  expect_failure(verb("pairs --head-dim 12 --pairing half --sections 1,2"), 2,
                 "--sections: must sum to the 6 pairs, got 3");
  expect_failure(verb("pairs --pairing half"), 2, "--head-dim");
  expect_failure(verb("pairs config.json --head-dim 8"), 2, "--head-dim");
}

}  // namespace
}  // namespace rotary::testing
