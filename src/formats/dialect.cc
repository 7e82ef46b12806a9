#include "formats/dialect.h"

#include <algorithm>
#include <map>

#include "formats/component_reader.h"
#include "formats/family_table.h"

namespace rotary::detail {
namespace {

bool has_all(const Json& object, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(), [&](const char* key) { return object.contains(key); });
}

// Model types that the other dialects write; any other is Hugging Face's.
bool is_foreign_type(const Json& root) {
  const auto type = root.find("model_type");
  if (type == root.end() || type->is_null()) return true;
  if (!type->is_string()) return false;
  static const std::vector<std::string> kForeign{"transformer", "mamba", "encoder_or_decoder", "encoder_and_decoder"};
  return std::find(kForeign.begin(), kForeign.end(), type->get<std::string>()) != kForeign.end();
}

std::string canonical_key(std::string key) {
  if (key.starts_with("--")) key.erase(0, 2);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

// Sizes and a key that only such a file has, at the top or in the object that a configuration file keeps them in.
bool holds_arguments(const Json& root, std::initializer_list<const char*> marks) {
  const auto in = [&](const Json& object) {
    bool sized = false, marked = false;
    for (const auto& [key, value] : object.items()) {
      const std::string name = canonical_key(key);
      sized |= name == "num_layers" || name == "num_attention_heads";
      marked |= std::find(marks.begin(), marks.end(), name) != marks.end();
    }
    return std::pair(sized, marked);
  };
  auto [sized, marked] = in(root);
  for (const char* key : {"language_model", "model"}) {
    const auto inner = root.find(key);
    if (inner == root.end() || !inner->is_object()) continue;
    const auto [sized_inside, marked_inside] = in(*inner);
    sized |= sized_inside;
    marked |= marked_inside;
  }
  return sized && marked;
}

}  // namespace

Dialect dialect_of(const Json& root) {
  if (!root.is_object() || !is_foreign_type(root)) return Dialect::kHuggingFace;
  if (has_all(root, {"dim", "n_layers"})) {
    if (has_all(root, {"hidden_dim"}) || has_all(root, {"model_type"})) return Dialect::kMistral;
    if (has_all(root, {"n_heads"})) return Dialect::kMeta;
  }
  if (const auto model = root.find("model"); model != root.end() && model->is_object())
    if (has_all(*model, {"dim", "n_layers", "n_heads"})) return Dialect::kMeta;
  if (holds_arguments(root, {"pos_emb", "rotary_pct", "rotary_emb_base"})) return Dialect::kNeox;
  if (holds_arguments(root, {"position_embedding_type", "rotary_base", "rotary_percent", "rotary_interleaved",
                             "use_rotary_position_embeddings", "use_rope_scaling", "multi_latent_attention"}))
    return Dialect::kMegatron;
  return Dialect::kHuggingFace;
}

std::string_view format_name(Dialect dialect) {
  switch (dialect) {
    case Dialect::kHuggingFace: return "config.json";
    case Dialect::kMeta: return "params.json of Meta";
    case Dialect::kMistral: return "params.json of Mistral";
    case Dialect::kMegatron: return "arguments of Megatron-LM";
    case Dialect::kNeox: return "arguments of GPT-NeoX";
  }
  return "";
}

const Json& dialect_row(const std::string& name) { return *FamilyTable::dialects().find(name); }

void add_rotations(const ConfigView& view, const std::string& model_type, ModelConfig& out) {
  for (ModelRotation& r : read_component(view, model_type)) out.rotations.push_back(std::move(r));
}

bool is_on(const ConfigView& view, const std::string& key) {
  const Value value = view.get(key);
  return value && to_boolean(view.reading(), value);
}

void add_source(ModelConfig& out, const Source& source) {
  for (ModelRotation& r : out.rotations)
    if (r.spec) r.sources.push_back(source);
}

void add_component(const Value& component, const std::string& family, const Json& patch, Reading& reading,
                   ModelConfig& out) {
  if (!component) return;
  if (!component.json->is_object()) fail(reading, component.path, "be an object or null", show(*component.json));
  const Json* known = FamilyTable::built_in().find(family);
  if (known == nullptr) return;
  Json row = *known;
  row.merge_patch(patch);
  add_rotations(ConfigView(*component.json, component.path, row, reading, component.path), family, out);
}

Value object_member(const ConfigView& view, const std::string& key) {
  const Value value = view.in_file(key);
  if (value && !value.json->is_object()) fail(view.reading(), value.path, "be an object or null", show(*value.json));
  return value;
}

void refuse_two_spellings(const Json& arguments, const std::string& path, const Reading& reading) {
  std::map<std::string, std::string> seen;
  for (const auto& [key, value] : arguments.items()) {
    const auto [place, is_new] = seen.emplace(canonical_key(key), key);
    if (!is_new)
      fail(reading, path.empty() ? key : path + "." + key, "be given in one spelling", "it also as " + place->second);
  }
}

}  // namespace rotary::detail
