// RoformerConfig <-> config.json.
#include <algorithm>
#include <string>

#include "formats/config_view.h"
#include "nn/roformer_config.h"

namespace rotary::nn {
namespace {

using detail::fail;
using detail::Json;
using detail::member;
using detail::Reading;
using detail::Value;

constexpr const char* kOtherModelType = "rotary-encoder";

// Reads one object; a missing key leaves the default.
class Reader {
 public:
  Reader(const Reading& reading, const Json& object, std::string path)
      : reading_(reading), object_(object), path_(std::move(path)) {}

  void read(const char* key, std::int64_t& to) const {
    if (const Value value = find(key)) to = to_integer(reading_, value);
  }
  void read(const char* key, double& to) const {
    if (const Value value = find(key)) to = to_number(reading_, value);
  }
  void read(const char* key, bool& to) const {
    if (const Value value = find(key)) to = to_boolean(reading_, value);
  }
  void read(const char* key, std::string& to) const {
    if (const Value value = find(key)) to = to_text(reading_, value);
  }
  // A name that `parse` turns into a value.
  template <class E>
  void read(const char* key, E& to, E (*parse)(std::string_view)) const {
    const Value value = find(key);
    if (!value) return;
    const std::string name = to_text(reading_, value);
    try {
      to = parse(name);
    } catch (const std::invalid_argument& error) {
      fail(reading_, value.path, error.what(), name);
    }
  }
  Value find(const char* key) const { return member(object_, path_, key); }

 private:
  const Reading& reading_;
  const Json& object_;
  std::string path_;
};

Pairing parse_pairing(std::string_view name) {
  if (name == to_string(Pairing::kHalf)) return Pairing::kHalf;
  if (name == to_string(Pairing::kInterleaved)) return Pairing::kInterleaved;
  throw std::invalid_argument("pairing must be half or interleaved");
}

Head parse_head(std::string_view name) {
  if (name == "none") return Head::kNone;
  if (name == "masked_language_model") return Head::kMaskedLanguageModel;
  if (name == "first_token_classifier") return Head::kFirstTokenClassifier;
  if (name == "pooled_classifier") return Head::kPooledClassifier;
  throw std::invalid_argument("head must be none, masked_language_model, first_token_classifier or pooled_classifier");
}

const char* name_of(Head head) {
  switch (head) {
    case Head::kMaskedLanguageModel: return "masked_language_model";
    case Head::kFirstTokenClassifier: return "first_token_classifier";
    case Head::kPooledClassifier: return "pooled_classifier";
    default: return "none";
  }
}

// Keys of transformers' RoFormerConfig.
void read_shared(const Reader& reader, const Reading& reading, RoformerConfig& config) {
  config.vocab_size = 50000;
  config.d_model = 768;
  config.num_layers = config.num_heads = 12;
  config.d_feed_forward = 3072;
  reader.read("vocab_size", config.vocab_size);
  reader.read("hidden_size", config.d_model);
  reader.read("embedding_size", config.embedding_size);
  reader.read("num_hidden_layers", config.num_layers);
  reader.read("num_attention_heads", config.num_heads);
  reader.read("intermediate_size", config.d_feed_forward);
  reader.read("type_vocab_size", config.type_vocab_size);
  reader.read("max_position_embeddings", config.max_position);
  reader.read("layer_norm_eps", config.norm_epsilon);
  reader.read("hidden_dropout_prob", config.dropout);
  reader.read("rotary_value", config.rotates_values);
  reader.read("is_decoder", config.is_causal);
  std::string activation = "gelu";
  reader.read("hidden_act", activation);
  if (activation != "gelu") fail(reading, "hidden_act", "be gelu, the only activation here", activation);
}

// The labels in the order of their numbers.
std::vector<std::string> read_labels(const Reader& reader, const Reading& reading) {
  const Value value = reader.find("id2label");
  if (!value) return {};
  if (!value.json->is_object()) fail(reading, "id2label", "be an object", detail::show(*value.json));
  std::vector<std::string> labels(value.json->size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Value label = member(*value.json, "id2label", std::to_string(i));
    if (!label) fail(reading, "id2label", "number the labels 0, 1, ...", "no " + std::to_string(i));
    labels[i] = to_text(reading, label);
    const bool is_printable = std::ranges::none_of(labels[i], [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (labels[i].empty() || !is_printable ||
        std::ranges::count(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(i), labels[i]) > 0)
      fail(reading, "id2label", "hold labels that differ, of characters that can be printed",
           detail::show(*label.json));
  }
  return labels;
}

Head head_of(const Reader& reader, const Reading& reading) {
  const Value value = reader.find("architectures");
  if (!value) return Head::kNone;
  const std::vector<std::string> names = to_texts(reading, value);
  const std::string name = names.empty() ? "RoFormerModel" : names[0];
  if (name == "RoFormerModel") return Head::kNone;
  if (name == "RoFormerForMaskedLM" || name == "RoFormerForCausalLM") return Head::kMaskedLanguageModel;
  if (name == "RoFormerForSequenceClassification") return Head::kFirstTokenClassifier;
  fail(reading, "architectures",
       "be RoFormerModel, RoFormerForMaskedLM, RoFormerForCausalLM or RoFormerForSequenceClassification", name);
}

void read_own(const Reader& reader, RoformerConfig& config) {
  reader.read("head", config.head, parse_head);
  reader.read("encoding", config.encoding, parse_encoding);
  reader.read("pooling", config.pooling, parse_pooling);
  reader.read("norm", config.norm, parse_norm_placement);
  reader.read("pairing", config.pairing, parse_pairing);
  reader.read("base", config.base);
  reader.read("scaling", config.scaling.method);
  reader.read("factor", config.scaling.factor);
  reader.read("original_max_position", config.scaling.original_max_position);
}

bool is_transformers_roformer(const RoformerConfig& config) {
  return config.encoding == Encoding::kRope && config.norm == NormPlacement::kPost && config.base == 10000 &&
         config.pairing == Pairing::kInterleaved && config.scaling.method == "default";
}

const char* architecture_of(const RoformerConfig& config) {
  switch (config.head) {
    case Head::kMaskedLanguageModel: return config.is_causal ? "RoFormerForCausalLM" : "RoFormerForMaskedLM";
    case Head::kFirstTokenClassifier: return "RoFormerForSequenceClassification";
    default: return "RoFormerModel";
  }
}

nlohmann::ordered_json own_part(const RoformerConfig& config) {
  nlohmann::ordered_json own{{"head", name_of(config.head)},         {"encoding", to_string(config.encoding)},
                             {"pooling", to_string(config.pooling)}, {"norm", to_string(config.norm)},
                             {"pairing", to_string(config.pairing)}, {"base", config.base}};
  if (config.scaling.method != "default") {
    own["scaling"] = config.scaling.method;
    own["factor"] = config.scaling.factor;
    own["original_max_position"] = config.scaling.original_max_position;
  }
  return own;
}

}  // namespace

RoformerConfig parse_config(std::string_view text, const std::string& name) {
  const detail::JsonDocument document = detail::parse_json(text, name);
  Reading reading;
  reading.name = name;
  if (!document.root.is_object()) fail(reading, "the file", "be an object", detail::show(document.root));
  const Reader reader(reading, document.root, "");
  std::string model_type = "none";
  reader.read("model_type", model_type);
  if (model_type != "roformer" && model_type != kOtherModelType)
    fail(reading, "model_type", "be roformer or rotary-encoder", model_type);
  RoformerConfig config;
  read_shared(reader, reading, config);
  config.head = head_of(reader, reading);
  bool is_tied = true;
  reader.read("tie_word_embeddings", is_tied);
  if (config.head == Head::kMaskedLanguageModel && !is_tied)
    fail(reading, "tie_word_embeddings", "be true: the language model's words are the embeddings'", "false");
  config.labels = read_labels(reader, reading);
  if (const Value own = reader.find("rotary")) {
    if (!own.json->is_object()) fail(reading, "rotary", "be an object", detail::show(*own.json));
    read_own(Reader(reading, *own.json, "rotary"), config);
  }
  if (config.rotates_values && config.pairing == Pairing::kHalf)
    fail(reading, "rotary.pairing", "be interleaved where values rotate too, as RoFormer has it", "half");
  config = completed(config);
  if (config.head == Head::kFirstTokenClassifier && config.labels.empty()) config.labels = {"LABEL_0", "LABEL_1"};
  try {
    validate_config(config);
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(name + ": " + error.what());
  }
  return config;
}

std::string to_json(const RoformerConfig& config) {
  nlohmann::ordered_json labels = nlohmann::ordered_json::object(), numbers = labels;
  for (std::size_t i = 0; i < config.labels.size(); ++i) {
    labels[std::to_string(i)] = config.labels[i];
    numbers[config.labels[i]] = i;
  }
  nlohmann::ordered_json out{{"model_type", is_transformers_roformer(config) ? "roformer" : kOtherModelType},
                             {"architectures", {architecture_of(config)}},
                             {"vocab_size", config.vocab_size},
                             {"hidden_size", config.d_model},
                             {"embedding_size", config.embedding_size},
                             {"num_hidden_layers", config.num_layers},
                             {"num_attention_heads", config.num_heads},
                             {"intermediate_size", config.d_feed_forward},
                             {"hidden_act", "gelu"},
                             {"hidden_dropout_prob", config.dropout},
                             {"attention_probs_dropout_prob", 0.0},
                             {"max_position_embeddings", config.max_position},
                             {"type_vocab_size", config.type_vocab_size},
                             {"layer_norm_eps", config.norm_epsilon},
                             {"rotary_value", config.rotates_values},
                             {"is_decoder", config.is_causal},
                             {"pad_token_id", 0},
                             {"tie_word_embeddings", true},
                             {"dtype", "float32"}};
  if (!config.labels.empty()) {
    out["id2label"] = labels;
    out["label2id"] = numbers;
  }
  out["rotary"] = own_part(config);
  return out.dump(2) + "\n";
}

}  // namespace rotary::nn
