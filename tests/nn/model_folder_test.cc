// Model folders: what is saved comes back, what cannot be read is refused by file and key.
#include "nn/model_folder.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "formats/scratch_folder.h"
#include "nn/golden_tensors.h"
#include "nn/models.h"
#include "rotary/formats/files.h"

namespace rotary::testing {
namespace {

using Json = nlohmann::json;

class ModelFolder : public ScratchFolder {
 protected:
  void save(const nn::Roformer& model) const { nn::save_model(folder_.string(), model); }
  nn::LoadedModel load() const { return nn::load_model(folder_.string()); }
  Json config() const { return Json::parse(contents("config.json")); }

  void expect_refused(const std::string& where, const std::string& what) const {
    try {
      load();
      ADD_FAILURE() << "was loaded";
    } catch (const std::runtime_error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(where), std::string::npos) << message;
      EXPECT_NE(message.find(what), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }

  const torch::NoGradGuard no_grad_;
};

class EveryFolder : public ModelFolder, public ::testing::WithParamInterface<ModelCase> {};

TEST_P(EveryFolder, HoldsTheSameModel) {
  const auto model = drawn_model(GetParam().config);
  save(*model);
  const nn::LoadedModel loaded = load();
  EXPECT_TRUE(loaded.warnings.empty());
  nn::RoformerConfig want = model->config();
  const bool permutes = want.encoding == nn::Encoding::kRope && want.pairing == Pairing::kHalf;
  if (permutes) want.pairing = Pairing::kInterleaved;
  EXPECT_EQ(nn::to_json(loaded.model->config()), nn::to_json(want));
  for (const bool masked : {false, true}) {
    const nn::Input input = drawn_input(masked);
    const Tensor before = say(*model, input), after = say(*loaded.model, input);
    // Half pairing adds up the same products in another order.
    EXPECT_LE(gap(after, before), permutes ? 600 * 0x1p-24 * largest(before) : 0) << "masked " << masked;
  }
}

TEST_P(EveryFolder, IsWrittenTwiceAsTheSameBytes) {
  save(*drawn_model(GetParam().config));
  const std::string weights = contents("model.safetensors"), config = contents("config.json");
  save(*load().model);
  EXPECT_EQ(contents("config.json"), config);
  EXPECT_EQ(contents("model.safetensors"), weights);
  EXPECT_EQ(listing().size(), 2U);
}

// Nobody shall take a model for one that it is not.
TEST_P(EveryFolder, SaysRoformerOnlyWhereTransformersHasTheSameFunction) {
  const nn::RoformerConfig& c = GetParam().config;
  save(*drawn_model(c));
  const bool is_roformer = c.encoding == nn::Encoding::kRope && c.norm == nn::NormPlacement::kPost && c.base == 10000 &&
                           c.scaling.method == "default";
  EXPECT_EQ(config().at("model_type"), is_roformer ? "roformer" : "rotary-encoder");
}

INSTANTIATE_TEST_SUITE_P(Models, EveryFolder, ::testing::ValuesIn(model_cases()), model_name);

TEST_F(ModelFolder, HasTransformersNames) {
  nn::RoformerConfig c = small_config(nn::Head::kFirstTokenClassifier);
  c.embedding_size = 6;
  save(*drawn_model(c));
  std::vector<std::string> got = SafetensorsFile(file("model.safetensors")).names();
  std::vector<std::string> want = SafetensorsFile(golden_path("roformer_seqcls/model.safetensors")).names();
  want.emplace_back("roformer.encoder.embed_positions.weight");
  std::ranges::sort(got);
  std::ranges::sort(want);
  EXPECT_EQ(got, want);
}

TEST_F(ModelFolder, OfShardsIsOneModel) {
  const auto model = drawn_model(small_config());
  save(*model);
  Json map;
  {
    const SafetensorsFile whole(file("model.safetensors"));
    const auto all = whole.tensors();
    for (const int part : {0, 1}) {
      std::vector<StoredTensor> tensors;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 2 == static_cast<std::size_t>(part)) tensors.push_back(all[i]);
      const std::string name = "model-0000" + std::to_string(part + 1) + "-of-00002.safetensors";
      write_safetensors(file(name), tensors);
      for (const StoredTensor& tensor : tensors) map[tensor.name] = name;
    }
  }
  std::filesystem::remove(file("model.safetensors"));
  write("model.safetensors.index.json", Json{{"weight_map", map}}.dump());
  EXPECT_TRUE(torch::equal(all_weights(*load().model), all_weights(*model)));
}

TEST_F(ModelFolder, OfNamesWithoutPrefixAndOldNormsIsRead) {
  const auto model = drawn_model(small_config());
  save(*model);
  {
    const SafetensorsFile whole(file("model.safetensors"));
    std::vector<StoredTensor> tensors(whole.tensors().begin(), whole.tensors().end());
    for (StoredTensor& tensor : tensors) {
      if (tensor.name.rfind("roformer.", 0) == 0) tensor.name.erase(0, 9);
      const std::size_t at = tensor.name.find("LayerNorm.");
      if (at == std::string::npos) continue;
      tensor.name.replace(at + 10, std::string::npos, tensor.name.back() == 't' ? "gamma" : "beta");
    }
    write_safetensors(file("other.safetensors"), tensors);
  }
  std::filesystem::rename(file("other.safetensors"), file("model.safetensors"));
  EXPECT_TRUE(torch::equal(all_weights(*load().model), all_weights(*model)));
}

TEST_F(ModelFolder, WithoutAFileIsRefused) {
  expect_refused("config.json", "");
  save(*drawn_model(small_config()));
  std::filesystem::remove(file("model.safetensors"));
  expect_refused("model.safetensors", "");
}

// --- config.json

struct BadConfig {
  const char* name;
  const char* key;
  Json value;
  const char* substring;
  friend void PrintTo(const BadConfig& x, std::ostream* out) { *out << x.name; }
};

class BadConfigs : public ModelFolder, public ::testing::WithParamInterface<BadConfig> {};

TEST_P(BadConfigs, AreRefusedByFileAndKey) {
  save(*drawn_model(small_config()));
  Json json = config();
  json[Json::json_pointer(GetParam().key)] = GetParam().value;
  write("config.json", json.dump());
  expect_refused("config.json", GetParam().substring);
}

const BadConfig kBadConfigs[] = {
    {"size_in_words", "/hidden_size", "eight", "hidden_size"},
    {"broken_size", "/hidden_size", 8.5, "hidden_size"},
    {"no_size", "/hidden_size", 0, "d_model must be 1 .. 2^24, got 0"},
    {"negative_vocabulary", "/vocab_size", -3, "vocab_size"},
    {"huge_vocabulary", "/vocab_size", 1e18, "vocab_size"},
    {"heads_that_do_not_divide", "/num_attention_heads", 3, "d_model must be a multiple of num_heads"},
    {"odd_head", "/num_attention_heads", 8, "rotary_dim"},
    {"layers_as_a_list", "/num_hidden_layers", Json::array({2}), "num_hidden_layers"},
    {"dropout_of_one", "/hidden_dropout_prob", 1, "dropout"},
    {"dropout_in_words", "/hidden_dropout_prob", "none", "hidden_dropout_prob"},
    {"negative_epsilon", "/layer_norm_eps", -1, "norm_epsilon"},
    {"another_activation", "/hidden_act", "relu", "hidden_act"},
    {"another_model", "/model_type", "bert", "model_type"},
    {"model_type_is_a_number", "/model_type", 7, "model_type"},
    {"another_head", "/architectures", Json::array({"RoFormerForTokenClassification"}), "architectures"},
    {"labels_with_gaps", "/id2label", Json{{"0", "a"}, {"2", "b"}, {"3", "c"}}, "id2label"},
    {"labels_as_a_list", "/id2label", Json::array({"a", "b"}), "id2label"},
    {"label_is_a_number", "/id2label/0", 7, "id2label"},
    {"labels_that_are_alike", "/id2label/1", "a", "id2label"},
    {"label_without_a_name", "/id2label/1", "", "id2label"},
    {"label_of_control_characters", "/id2label/1", "\x1b[2J", "id2label"},
    {"one_label", "/id2label", Json{{"0", "a"}}, "2 labels or more"},
    {"decoder_in_words", "/is_decoder", "yes", "is_decoder"},
    {"own_part_is_a_list", "/rotary", Json::array(), "rotary"},
    {"unknown_encoding", "/rotary/encoding", "alibi", "rotary.encoding"},
    {"unknown_pooling", "/rotary/pooling", "median", "rotary.pooling"},
    {"unknown_norm", "/rotary/norm", "no", "rotary.norm"},
    {"unknown_pairing", "/rotary/pairing", "both", "rotary.pairing"},
    {"unknown_head", "/rotary/head", "two", "rotary.head"},
    {"unknown_scaling", "/rotary/scaling", "magic", "method must be"},
    {"factor_below_one", "/rotary/factor", 0.5, "factor must be 1 or more"},
    {"base_of_zero", "/rotary/base", 0, "base"},
};
INSTANTIATE_TEST_SUITE_P(Keys, BadConfigs, ::testing::ValuesIn(kBadConfigs),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(ModelFolder, WithABrokenConfigIsRefused) {
  save(*drawn_model(small_config()));
  for (const char* text : {"", "{", "[]", "7", "{\"model_type\": \"roformer\""}) {
    SCOPED_TRACE(text);
    write("config.json", text);
    expect_refused("config.json", "");
  }
}

TEST_F(ModelFolder, OfALanguageModelWithWordsOfItsOwnIsRefused) {
  save(*drawn_model(small_config(nn::Head::kMaskedLanguageModel)));
  Json json = config();
  json["tie_word_embeddings"] = false;
  write("config.json", json.dump());
  expect_refused("config.json", "tie_word_embeddings must be true");
}

TEST_F(ModelFolder, OfRotatedValuesInHalfPairingIsRefused) {
  save(*drawn_model(small_config()));
  Json json = config();
  json["rotary_value"] = true;
  json["rotary"]["pairing"] = "half";
  write("config.json", json.dump());
  expect_refused("config.json", "rotary.pairing must be interleaved where values rotate too");
}

TEST_F(ModelFolder, OfRotatedValuesInHalfPairingIsNotWritten) {
  nn::RoformerConfig c = small_config();
  c.rotates_values = true;
  c.pairing = Pairing::kHalf;
  EXPECT_THROW(save(*drawn_model(c)), std::invalid_argument);
  EXPECT_TRUE(listing().empty());
}

TEST_F(ModelFolder, WithoutAModelTypeIsRefused) {
  save(*drawn_model(small_config()));
  Json json = config();
  json.erase("model_type");
  write("config.json", json.dump());
  expect_refused("config.json", "model_type must be roformer or rotary-encoder");
}

// --- Tensors

class Weights : public ModelFolder {
 protected:
  // A folder whose weights were changed.
  template <class Change>
  void write_changed(const Change& change) const {
    save(*drawn_model(small_config()));
    {
      const SafetensorsFile whole(file("model.safetensors"));
      std::vector<StoredTensor> tensors(whole.tensors().begin(), whole.tensors().end());
      change(tensors);
      write_safetensors(file("other.safetensors"), tensors);
    }
    std::filesystem::rename(file("other.safetensors"), file("model.safetensors"));
  }
  static StoredTensor& find(std::vector<StoredTensor>& tensors, const std::string& name) {
    return *std::ranges::find(tensors, name, &StoredTensor::name);
  }
};

constexpr const char* kKeys = "roformer.encoder.layer.1.attention.self.key.weight";

TEST_F(Weights, ThatLackATensorAreRefused) {
  write_changed([](auto& tensors) { tensors.erase(std::ranges::find(tensors, kKeys, &StoredTensor::name)); });
  expect_refused(folder_.string(), std::string("tensor ") + kKeys + " must be there, got none");
}

TEST_F(Weights, ThatAreNotFiniteAreRefused) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> values(64, 0.5f);
    values[33] = bad;
    write_changed([&](auto& tensors) { find(tensors, kKeys).data = std::as_bytes(std::span(values)); });
    expect_refused(folder_.string(), std::string("tensor ") + kKeys + " must be finite");
  }
}

TEST_F(Weights, AreLookedAtBeforeMemoryIsTakenForTheirConfig) {
  save(*drawn_model(small_config()));
  const std::pair<const char*, const char*> sizes[] = {{"num_hidden_layers", "encoder.layer.9999999."},
                                                       {"vocab_size", "must have shape [10000000, 8]"},
                                                       {"intermediate_size", "must have shape [10000000, 8]"}};
  const Json whole = config();
  for (const auto& [key, part] : sizes) {
    Json json = whole;
    json[key] = 10000000;
    write("config.json", json.dump());
    expect_refused(folder_.string(), part);
  }
}

TEST_F(Weights, OfAnotherShapeAreRefused) {
  write_changed([](auto& tensors) { find(tensors, kKeys).shape = {4, 16}; });
  expect_refused(folder_.string(), std::string("tensor ") + kKeys + " must have shape [8, 8], got [4, 16]");
}

TEST_F(Weights, OfWholeNumbersAreRefused) {
  write_changed([](auto& tensors) { find(tensors, kKeys).dtype = StoredDType::kInt32; });
  expect_refused("model.safetensors", kKeys);
}

TEST_F(Weights, BesideOthersThatNobodyNeedsAreRead) {
  const std::vector<float> more(3);
  write_changed([&](auto& tensors) {
    tensors.push_back({"pooler.bias", StoredDType::kFloat32, {3}, std::as_bytes(std::span(more))});
  });
  EXPECT_NO_THROW(load());
}

}  // namespace
}  // namespace rotary::testing
