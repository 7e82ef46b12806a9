// Whole models compared: files of different kinds that describe one model.
#include "rotary/formats/model_compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "formats/reading.h"

namespace rotary::testing {
namespace {

const std::string kGguf = std::string(ROTARY_TEST_DATA) + "/dialects/gguf/";

std::vector<RotationDifference> compared(const std::string& first, const std::string& second) {
  return compare_models(first, {}, second, {}, 131071);
}

TEST(ModelCompare, TakesTheRowsOfGgufFilesAsPermuted) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kGguf)) {
    if (entry.path().extension() != ".gguf") continue;
    const std::string config = entry.path().string().substr(0, entry.path().string().size() - 5) + ".json";
    if (!std::filesystem::exists(config)) continue;
    ++files;
    for (const RotationDifference& d : compared(config, entry.path().string())) {
      EXPECT_TRUE(d.difference.same) << config << ": " << d.difference.cause;
      EXPECT_EQ(d.difference.cause, "on permuted rows");
    }
  }
  EXPECT_EQ(files, 4);
}

TEST(ModelCompare, StillSeesWhatElseDiffers) {
  for (const RotationDifference& d : compared(kGguf + "llama.json", kGguf + "llama_linear.gguf")) {
    EXPECT_FALSE(d.difference.same);
    EXPECT_THAT(d.difference.cause, ::testing::HasSubstr("linear"));
  }
}

TEST(ModelCompare, SeesThatOneModelIsDeeper) {
  Json deep{{"model_type", "smollm3"}, {"num_hidden_layers", 8}, {"no_rope_layers", {1, 1, 1, 0, 1, 1, 1, 0}}};
  Json flat = deep;
  flat["num_hidden_layers"] = 4;
  flat["no_rope_layers"] = {1, 1, 1, 0};
  for (const bool swapped : {false, true}) {
    const auto rows = swapped ? compare(read(flat), read(deep), 100) : compare(read(deep), read(flat), 100);
    ASSERT_EQ(rows.size(), 4U);
    std::vector<std::vector<int>> alone;
    for (const RotationDifference& row : rows) {
      const bool both = !row.first.empty() && !row.second.empty();
      EXPECT_EQ(row.difference.same, both);
      if (both) continue;
      alone.push_back(row.layers);
      EXPECT_EQ(row.difference.cause, swapped ? "only in the second" : "only in the first");
    }
    EXPECT_THAT(alone, ::testing::UnorderedElementsAre(std::vector{4, 5, 6}, std::vector{7}));
  }
}

TEST(ModelCompare, HasNothingToCompareWhereNothingIsKnown) {
  const Json strange{{"model_type", "never_heard_of"}, {"head_dim", 64}};
  const ModelConfig x = read(strange), y = read(strange, Reference::kVllm);
  const RotationDifference d = compare(x, y, 1).at(0);
  EXPECT_FALSE(d.difference.same);
  EXPECT_THAT(d.no_answer, ::testing::HasSubstr("not known what vllm"));
  EXPECT_FALSE(compare(y, y, 1).at(0).difference.same);
}

}  // namespace
}  // namespace rotary::testing
