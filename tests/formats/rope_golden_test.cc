// Every recorded rotation of transformers 5.24.0, read from its configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "formats/golden_compare.h"

namespace rotary::testing {
namespace {

class RopeGolden : public ::testing::TestWithParam<GoldenPlace> {};

TEST_P(RopeGolden, IsWhatTransformersApplies) {
  const GoldenGroup group = golden_group(GetParam());
  const GoldenRecord& record = group.records.at(GetParam().index);
  ASSERT_EQ(record.id, GetParam().id);
  EXPECT_EQ(differs(group, record, {}, kExactTolerance), "") << group.config;
  const ReadOptions float32{.arithmetic = Arithmetic::kTransformersFloat32};
  EXPECT_EQ(differs(group, record, float32, kFloat32Tolerance), "") << "in transformers' float32\n" << group.config;
}

std::string name_of(const ::testing::TestParamInfo<GoldenPlace>& info) {
  std::string out = info.param.kind + "_" + info.param.id;
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  static std::set<std::string> taken;
  while (!taken.insert(out).second) out += "_again";
  return out;
}

INSTANTIATE_TEST_SUITE_P(, RopeGolden, ::testing::ValuesIn(golden_places()), name_of);

TEST(RopeGoldenComparison, NoticesEveryKindOfDifference) {
  const char* config =
      R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 8, "num_hidden_layers": 2})";
  const GoldenRecord right = golden_record(Json::parse(
      R"({"record": "r", "component": "", "layers": [[0, 1, 1]], "head_dim": 8, "rotary_dim": 8,
          "blocks": [{"a": 0, "b": 4, "count": 4, "axis": 0, "base": 10000, "width": 8}]})"));
  const auto difference = [&](const std::function<void(GoldenRecord&)>& change) {
    GoldenRecord record = right;
    change(record);
    return differs({"models", "", config, {record}}, record, {}, kExactTolerance);
  };
  EXPECT_EQ(difference([](GoldenRecord&) {}), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.component = "text_config"; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.layers->push_back(2); }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.no_rotation = true; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.not_a_rotation = true; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.head_dim = 16; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.rotary_dim = 4; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.pairs.pop_back(); }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.pairs[1].b = 7; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.pairs[1].d = 7; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.pairs[1].axis = {1}; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.pairs[3].frequency[0] *= 1 + 4e-6; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.attention_factor = 1.00001; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.input_scale = 0.5; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.softmax_factor = 2; }), "");
  EXPECT_NE(difference([](GoldenRecord& r) { r.lengths = {{4096, 2.0, {1, 0.1, 0.01, 0.001}}}; }), "");
}

// Its frequencies are learned: no configuration holds them, so there is no record to meet.
TEST(LearnedFrequencies, OfLightGlueAreSaidToBeInTheWeights) {
  const ModelConfig config = parse_model_config(R"({"model_type": "lightglue"})", "config.json");
  ASSERT_EQ(config.rotations.size(), 1u);
  EXPECT_THAT(config.rotations[0].rotation.not_a_rotation, ::testing::HasSubstr("learned frequencies"));
  EXPECT_FALSE(config.rotations[0].spec.has_value());
}

}  // namespace
}  // namespace rotary::testing
