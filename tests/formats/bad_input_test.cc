// Whatever a file holds, it is read or refused by one std::runtime_error that names the file and the key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/golden_records.h"
#include "formats/json_reader.h"
#include "formats/reading.h"

namespace rotary::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string text_error(const std::string& text, Reference reference = kTransformers) {
  try {
    parse_model_config(text, "config.json", {.reference = reference});
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

std::string nested(int depth, const std::string& open, const std::string& middle, const std::string& close) {
  std::string out;
  for (int i = 0; i < depth; ++i) out += open;
  out += middle;
  for (int i = 0; i < depth; ++i) out += close;
  return out;
}

// A Llama with one key replaced.
std::string llama_with(const std::string& member) {
  return R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, )" + member +
         "}";
}

struct BadText {
  const char* name;
  std::string text;
  const char* error;  // after "config.json: "
};

void PrintTo(const BadText& bad, std::ostream* out) { *out << bad.name; }

class BadJson : public ::testing::TestWithParam<BadText> {};

TEST_P(BadJson, IsOneErrorThatNamesTheFile) {
  for (Reference reference : {kTransformers, kOriginal})
    EXPECT_THAT(text_error(GetParam().text, reference),
                AllOf(StartsWith("config.json: "), HasSubstr(GetParam().error)));
}

INSTANTIATE_TEST_SUITE_P(
    , BadJson,
    ::testing::Values(
        BadText{"Empty", "", "must be JSON, got an error at byte"}, BadText{"Blank", " \n\t ", "must be JSON"},
        BadText{"Truncated", R"({"model_type": "llama", "rope_sc)", "must be JSON, got an error at byte 33"},
        BadText{"TruncatedInAValue", R"({"model_type": "llama", "rope_theta": 100)", "after the key rope_theta"},
        BadText{"TwoDocuments", R"({"model_type": "llama"} {})", "must be JSON"},
        BadText{"TrailingComma", R"({"model_type": "llama",})", "must be JSON"},
        BadText{"RawNul", std::string("{\"model_type\": \"ll\0ma\"}", 24), "must be JSON, got a NUL at byte 18"},
        BadText{"NulAtTheEnd", std::string("{\"model_type\": \"llama\"}\0", 24), "must be JSON"},
        BadText{"InvalidUtf8", "{\"model_type\": \"\xff\"}", "must be JSON"},
        BadText{"LoneSurrogate", R"({"model_type": "\ud800"})", "must be JSON"},
        BadText{"NumberBeyondDouble", R"({"model_type": "llama", "rope_theta": 1e400})", "after the key rope_theta"},
        BadText{"NanWithoutAKey", "NaN", "the file must hold a JSON object, got NaN"},
        BadText{"NotAnObject", R"([{"model_type": "llama"}])", "the file must hold a JSON object, got ["},
        BadText{"AScalar", "3", "the file must hold a JSON object, got 3"},
        BadText{"DeepLists", nested(200, "[", "", "]"), "must be nested at most 128 levels deep"},
        BadText{"DeepObjects", nested(129, "{\"a\": ", "1", "}"), "must be nested at most 128 levels deep"},
        BadText{"UnclosedDepth", std::string(1000000, '['), "must be nested at most 128 levels deep"},
        BadText{"ThousandTextConfigs", nested(1000, R"({"model_type": "llava", "text_config": )", "{}", "}"),
                "must be nested at most 128 levels deep, got more at text_config.text_config"},
        BadText{"TooManyComponents", nested(100, R"({"model_type": "llava", "text_config": )", "{}", "}"),
                "must hold at most 64 components"}),
    [](const auto& info) { return info.param.name; });

TEST(BadJsonSize, IsLimitedTo64MiB) {
  std::string text = R"({"model_type": "llama"})";
  text.resize(detail::kMaxFileBytes, ' ');
  EXPECT_EQ(text_error(text), "");
  text += ' ';
  EXPECT_EQ(text_error(text), "config.json: must be at most 64 MiB, got 67108865 bytes");
}

TEST(BadJsonSize, IsLimitedToFourMillionValues) {
  std::string text = R"({"model_type": "llama", "x": [1)";
  for (int i = 0; i < detail::kMaxValues; ++i) text += ",1";
  EXPECT_EQ(text_error(text + "]}"), "config.json: must hold at most 4194304 values, got more");
}

TEST(BadFiles, ThatDoNotExistOrAreNoFilesAreNamed) {
  for (const char* path : {"/no/such/config.json", "/dev/null/config.json"})
    EXPECT_THROW(read_model_config(path), std::runtime_error) << path;
  try {
    read_model_config("/no/such/config.json");
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "/no/such/config.json: must be a readable file, got: No such file or directory");
  }
}

TEST(BadJsonSize, OfOneListIsLimited) {
  const Json config{{"model_type", "smollm3"}, {"no_rope_layers", Json::array_t(70000, 1)}};
  EXPECT_EQ(error_of(config), "config.json: no_rope_layers must have at most 65536 entries, got a list of 70000");
}

TEST(BadJsonSize, OfAllDifferentLayersTogetherIsLimited) {
  Json config = parse(R"({"model_type": "granite_swa", "num_hidden_layers": 4096, "hidden_size": 1024,
                          "num_attention_heads": 16})");
  for (int i = 0; i < 4096; ++i) config["layer_rope_theta"].push_back(1000);
  EXPECT_EQ(error_of(config), "") << "alike, they cost what one costs";
  for (int i = 0; i < 4096; ++i) config["layer_rope_theta"][static_cast<std::size_t>(i)] = 1000 + i;
  EXPECT_THAT(error_of(config), HasSubstr("must be of a sensible size (at most 131072 frequencies"));
}

TEST(DuplicateKeys, CountTheirLastValueWithAWarning) {
  const ModelConfig config = parse_model_config(llama_with(R"("rope_theta": 5, "rope_theta": 7)"), "config.json");
  EXPECT_EQ(config.rotations.at(0).spec->base, 7);
  EXPECT_THAT(warnings_of(config), HasSubstr("rope_theta: given twice; the last value counts"));
}

TEST(DuplicateKeys, InDictionariesAreNamedByPath) {
  const ModelConfig config =
      parse_model_config(llama_with(R"("rope_scaling": {"type": "linear", "factor": 2, "factor": 4})"), "config.json");
  EXPECT_THAT(warnings_of(config), HasSubstr("rope_scaling.factor: given twice"));
}

TEST(DuplicateKeys, ByTheMillionAreReportedInPart) {
  std::string text = R"({"model_type": "llama")";
  for (int i = 0; i < 100000; ++i) text += ", \"k" + std::to_string(i) + "\": 0, \"k" + std::to_string(i) + "\": 0";
  EXPECT_EQ(parse_model_config(text + "}", "config.json").warnings.size(), 1000u);
}

TEST(Warnings, ByTheMillionAreCutOff) {
  std::string text = R"("rope_parameters": {"rope_theta": 10000)";
  for (int i = 0; i < 100000; ++i) text += ", \"k" + std::to_string(i) + "\": 0";
  const ModelConfig config = parse_model_config(llama_with(text + "}"), "config.json");
  EXPECT_EQ(config.warnings.size(), 1001u);
  EXPECT_EQ(config.warnings.back().message, "further warnings are left out");
}

TEST(NonFiniteNumbers, AreAcceptedWhereTheyDoNotFeedTheRotation) {
  const std::string text = llama_with(R"("router_z_loss": NaN, "clip": [Infinity, -Infinity], "name": "NaN Infinity")");
  EXPECT_EQ(parse_model_config(text, "config.json").rotations.size(), 1u);
}

TEST(NonFiniteNumbers, AreErrorsWhereTheyFeedTheRotation) {
  for (const char* value : {"NaN", "Infinity", "-Infinity"}) {
    EXPECT_EQ(text_error(llama_with(std::string("\"rope_theta\": ") + value)),
              std::string("config.json: rope_theta must be a finite number, got ") + value);
    EXPECT_THAT(
        text_error(llama_with(std::string("\"rope_scaling\": {\"type\": \"linear\", \"factor\": ") + value + "}")),
        HasSubstr("rope_scaling.factor must be a finite number"));
  }
}

struct BadMember {
  const char* name;
  const char* config;
  const char* error;
};

void PrintTo(const BadMember& bad, std::ostream* out) { *out << bad.name; }

const BadMember kBadMembers[]{
    {"ModelTypeNumber", R"({"model_type": 7})", "model_type must be a string, got 7"},
    {"HugeLayerCount", R"({"model_type": "llama", "num_hidden_layers": 1000000000})",
     "num_hidden_layers must be in 1 .. 2^24, got 1000000000"},
    {"ManyLayers", R"({"model_type": "llama", "num_hidden_layers": 4097})", "num_hidden_layers must be at most 4096"},
    {"NoLayers", R"({"model_type": "llama", "num_hidden_layers": 0})", "num_hidden_layers must be in 1 .. 2^24, got 0"},
    {"FractionOfALayer", R"({"model_type": "llama", "num_hidden_layers": 2.5})",
     "num_hidden_layers must be an integer"},
    {"LayersAsText", R"({"model_type": "llama", "num_hidden_layers": "2"})", "num_hidden_layers must be an integer"},
    {"LayersAsBoolean", R"({"model_type": "llama", "num_hidden_layers": true})",
     "num_hidden_layers must be an integer, got true"},
    {"HugeInteger", R"({"model_type": "llama", "hidden_size": 99999999999999999999999})",
     "hidden_size must be an integer"},
    {"UnsignedInteger", R"({"model_type": "llama", "head_dim": 18446744073709551615})", "head_dim must be an integer"},
    {"NegativeHeads", R"({"model_type": "llama", "num_attention_heads": -32})",
     "num_attention_heads must be in 1 .. 2^24"},
    {"HugeHead", R"({"model_type": "llama", "head_dim": 16777216})", "rope_parameters must be of a sensible size"},
    {"HeadAsList", R"({"model_type": "llama", "head_dim": [128]})", "head_dim must be an integer, got [128]"},
    {"LimitAsText", R"({"model_type": "llama", "max_position_embeddings": "many"})",
     "max_position_embeddings must be a finite number, got \"many\""},
    {"ThetaAsObject", R"({"model_type": "llama", "rope_theta": {}})", "rope_theta must be a finite number, got {}"},
    {"HugePartial", R"({"model_type": "stablelm", "partial_rotary_factor": 1e308})",
     "partial_rotary_factor must give a rotary width in 2 .. 80"},
    {"PartialAsBoolean", R"({"model_type": "stablelm", "partial_rotary_factor": true})",
     "partial_rotary_factor must be a finite number, got true"},
    {"RopeTypeAsList", R"({"model_type": "llama", "rope_scaling": {"rope_type": ["yarn"]}})",
     "rope_scaling.rope_type must be a string"},
    {"TruncateAsNumber", R"({"model_type": "llama", "rope_scaling": {"rope_type": "yarn", "factor": 2,
      "original_max_position_embeddings": 4096, "truncate": 1}})",
     "rope_scaling.truncate must be true or false, got 1"},
    {"MscaleAsText", R"({"model_type": "llama", "rope_scaling": {"rope_type": "yarn", "factor": 2,
      "original_max_position_embeddings": 4096, "mscale": "1"}})",
     "rope_scaling.mscale must be a finite number"},
    {"FactorListOfLists", R"({"model_type": "llama", "rope_scaling": {"rope_type": "longrope", "short_factor": [[1]],
      "long_factor": [1], "original_max_position_embeddings": 4096}})",
     "rope_scaling.short_factor[0] must be a finite number"},
    {"SectionsAsText", R"({"model_type": "qwen2_vl", "text_config": {"rope_scaling": {"type": "mrope",
      "mrope_section": "16,24,24"}}})",
     "text_config.rope_scaling.mrope_section must be a list of integers"},
    {"SectionNegative", R"({"model_type": "qwen2_vl", "text_config": {"hidden_size": 1024, "num_attention_heads": 8,
      "rope_scaling": {"type": "mrope", "mrope_section": [-16, 40, 40]}}})",
     "mrope_section must not be negative, got -16"},
    {"SectionFraction", R"({"model_type": "qwen2_vl", "text_config": {"rope_scaling": {"type": "mrope",
      "mrope_section": [16.5, 24, 24]}}})",
     "mrope_section[0] must be an integer, got 16.5"},
    {"LayerTypesShort", R"({"model_type": "gemma3_text", "num_hidden_layers": 3, "layer_types": ["full_attention"]})",
     "layer_types must have one entry per layer (3), got 1 entries"},
    {"LayerTypesText", R"({"model_type": "gemma3_text", "layer_types": "full_attention"})",
     "layer_types must be a list"},
    {"LayerTypesNumbers", R"({"model_type": "gemma3_text", "num_hidden_layers": 2, "layer_types": [0, 1]})",
     "layer_types[0] must be a string, got 0"},
    {"RotationListShort", R"({"model_type": "smollm3", "num_hidden_layers": 3, "no_rope_layers": [1, 0]})",
     "no_rope_layers must have one entry per layer (3), got 2 entries"},
    {"RotationListText", R"({"model_type": "smollm3", "no_rope_layers": "1110"})",
     "no_rope_layers must be a list of numbers"},
    {"BaseListShort", R"({"model_type": "granite_swa", "num_hidden_layers": 3, "layer_rope_theta": [1e4]})",
     "layer_rope_theta must be a list with one base per layer (3)"},
    {"BaseListText", R"({"model_type": "granite_swa", "num_hidden_layers": 1, "layer_rope_theta": ["1e4"]})",
     "layer_rope_theta[0] must be a finite number"},
    {"PatternZero", R"({"model_type": "gemma3_text", "sliding_window_pattern": 0})",
     "sliding_window_pattern must be in 1 .. 2^24, got 0"},
    {"IndicesText", R"({"model_type": "bamba", "attn_layer_indices": "9, 18"})",
     "attn_layer_indices must be a list of integers"},
    {"ComponentAsList", R"({"model_type": "llava", "text_config": ["llama"]})",
     "text_config must be an object or null"},
    {"ComponentTypeNumber", R"({"model_type": "llava", "text_config": {"model_type": 3}})",
     "text_config.model_type must be a string, got 3"},
    {"SetAsList",
     R"({"model_type": "gemma3_text", "rope_parameters": {"full_attention": [1], "sliding_attention": {}}})",
     "rope_parameters.full_attention must be an object or null, got [1]"},
    {"PerLayerList", R"({"model_type": "gemma4_text", "per_layer_config": [1, 2]})",
     "per_layer_config must be an object or null, got [1,2]"},
    {"PerLayerEntry", R"({"model_type": "gemma4_text", "per_layer_config": {"3": 7}})",
     "per_layer_config.3 must be an object or null, got 7"},
    {"PerLayerWidth", R"({"model_type": "gemma4_text", "per_layer_config": {"03": {"head_dim": "wide"}}})",
     "head_dim must be an integer, got \"wide\""},
    {"InterleaveText", R"({"model_type": "deepseek_v3", "rope_interleave": "yes"})",
     "rope_interleave must be true or false"},
    {"FrequencyListTooLong", R"({"model_type": "esmfold2", "atom_encoder": {"num_uid_rope_pairs": 16777216}})",
     "atom_encoder.num_uid_rope_pairs must fit into the head of 32 channels"},
    {"FrequencyListBase", R"({"model_type": "esmfold2", "atom_encoder": {"spatial_rope_base_frequency": 0}})",
     "atom_encoder.spatial_rope_base_frequency must be above 1, got 0"},
};

class BadValues : public ::testing::TestWithParam<BadMember> {};

TEST_P(BadValues, AreOneErrorThatNamesFileAndKey) {
  for (Reference reference : {kTransformers, kOriginal})
    EXPECT_THAT(text_error(GetParam().config, reference),
                AllOf(StartsWith("config.json: "), HasSubstr(GetParam().error)));
}

INSTANTIATE_TEST_SUITE_P(, BadValues, ::testing::ValuesIn(kBadMembers),
                         [](const auto& info) { return info.param.name; });

TEST(PerLayerConfig, KeysOfNoLayerAreIgnored) {
  const Json plain = parse(R"({"model_type": "gemma4_text", "num_hidden_layers": 2})");
  EXPECT_EQ(fingerprints_of(with(plain, parse(R"({"per_layer_config": {"": {}, "x": 3, "99": {"head_dim": 2}}})"))),
            fingerprints_of(plain));
}

// What every key of a configuration may be replaced by.
const std::vector<Json> kRubbish{nullptr,
                                 true,
                                 0,
                                 -1,
                                 0.5,
                                 1e308,
                                 18446744073709551615u,
                                 "",
                                 "x",
                                 Json::array(),
                                 Json::array({nullptr}),
                                 Json::array({-1, "x"}),
                                 Json::object(),
                                 Json{{"x", Json::array()}},
                                 "\x01NaN"};

void add_paths(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& out) {
  if (!value.is_object()) return;
  for (const auto& [key, inner] : value.items()) {
    out.push_back(at / key);
    add_paths(inner, at / key, out);
  }
}

// Reading may succeed or fail, but only so.
std::string misbehaviour(const Json& config, Reference reference) {
  try {
    read(config, reference);
    return "";
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    return what.starts_with("config.json: ") ? "" : "names no file: " + what;
  } catch (const std::exception& error) {
    return std::string("another exception: ") + error.what();
  }
}

TEST(RubbishProperty, InAnyKeyIsReadOrRefusedProperly) {
  std::size_t step = 0;
  for (const GoldenGroup& group : golden_groups()) {
    const Json config = Json::parse(group.config);
    std::vector<Json::json_pointer> paths;
    add_paths(config, Json::json_pointer(), paths);
    for (const Json::json_pointer& path : paths) {
      Json changed = config;
      changed[path] = kRubbish[++step % kRubbish.size()];
      ASSERT_EQ(misbehaviour(changed, step % 2 == 0 ? kOriginal : kTransformers), "")
          << group.name << " " << path.to_string() << " = " << changed[path];
    }
  }
}

}  // namespace
}  // namespace rotary::testing
