// Rotations of models: the one that is asked for, with what the layer does besides.
#include <cstring>

#include "c_api/handles.h"
#include "rotary/formats/model_config.h"

namespace rotary::testing {
namespace {

const std::string kConfigs = "examples/configs/";  // tests run in the project's root

Handle read(const std::string& file, const rotary_layer_choice* choice = nullptr,
            const rotary_rotation_options* options = nullptr) {
  rotary_rotation* made = nullptr;
  EXPECT_EQ(rotary_rotation_from_config((kConfigs + file).c_str(), choice, options, &made), ROTARY_OK)
      << rotary_last_error();
  return Handle(made);
}

Handle parse(const std::string& text, const rotary_layer_choice* choice = nullptr) {
  rotary_rotation* made = nullptr;
  EXPECT_EQ(rotary_rotation_from_json(text.data(), text.size(), choice, nullptr, &made), ROTARY_OK)
      << rotary_last_error();
  return Handle(made);
}

rotary_layer_info layer_of(const Handle& handle) {
  rotary_layer_info layer{};
  layer.struct_size = sizeof layer;
  EXPECT_EQ(rotary_rotation_get_layer(handle.get(), &layer), ROTARY_OK) << rotary_last_error();
  return layer;
}

TEST(CConfig, ReadsTheMapOfCpp) {
  for (const char* file : {"llama-3.1-8b.json", "gpt-oss-20b.json", "kimi-k2-0905.json", "roformer-base.json"}) {
    const ModelConfig config = read_model_config(kConfigs + file);
    EXPECT_EQ(map_of_handle(read(file).get()), config.rotations.at(0).rotation.query) << file;
  }
}

TEST(CConfig, TellsTheFactorsThatTheModelAppliesBesides) {
  const ModelConfig config = read_model_config(kConfigs + "kimi-k2-0905.json");
  const Handle handle = read("kimi-k2-0905.json");
  EXPECT_EQ(layer_of(handle).softmax_factor, config.rotations.at(0).rotation.softmax_factor);
  EXPECT_NE(layer_of(handle).softmax_factor, 1);
}

TEST(CConfig, FindsComponentsAndNamesTheirAxes) {
  rotary_layer_choice choice{sizeof choice, "vision_config", nullptr, nullptr, 0, 0};
  const Handle handle = read("qwen2.5-vl-7b.json", &choice);
  EXPECT_EQ(map_of_handle(handle.get()).channels, 80);
  rotary_axis_info axis{};
  axis.struct_size = sizeof axis;
  ASSERT_EQ(rotary_rotation_get_axis(handle.get(), 1, &axis), ROTARY_OK);
  EXPECT_STREQ(axis.name, "width");
}

TEST(CConfig, ReadsTheOptionsArithmeticAndLength) {
  const rotary_rotation_options options{sizeof options, ROTARY_ARITHMETIC_GGML, 16, 0};
  rotary_rotation_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(rotary_rotation_get_info(read("llama-3-8b.json", nullptr, &options).get(), &info), ROTARY_OK);
  EXPECT_EQ(info.arithmetic, ROTARY_ARITHMETIC_GGML);
  EXPECT_EQ(info.table_rows, 16);
}

TEST(CConfig, GivesTheIdentityForALayerWithoutRotation) {
  const std::int32_t layer = 3;
  const rotary_layer_choice choice{sizeof choice, nullptr, nullptr, &layer, 0, 0};
  const Handle handle = parse(R"({"model_type": "smollm3", "hidden_size": 64, "num_attention_heads": 4,
                                  "num_hidden_layers": 4, "no_rope_layers": [1, 1, 1, 0]})",
                              &choice);
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(layer_of(handle).rotates, 0);
  EXPECT_EQ(rotary_dim(map_of_handle(handle.get())), 0);
  EXPECT_EQ(map_of_handle(handle.get()).channels, 16);
}

}  // namespace
}  // namespace rotary::testing
